"""What `make bench` measures besides instructions."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.job import JOB, TRAINC

# What `torchx run --dryrun` is given to describe the same job.
TORCHX = [
    *("run", "-s", "kubernetes", "--dryrun", "--workspace=", "-cfg", "queue=default", "dist.ddp"),
    *("--image", "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime", "-j", "4x8"),
    *("--gpu", "8", "--cpu", "32", "--memMB", "262144", "--script", "train.py", "--", "--epochs", "3"),
]


def alternately(commands: list[list[str]], rounds: int = 7) -> list[float]:
    """The best wall time of each command in seconds; taken in turns, so that all see the same machine."""
    best = [float("inf")] * len(commands)
    for _ in range(rounds):
        for number, command in enumerate(commands):
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def cold(torchx: Path | None) -> tuple[float, float | None]:
    """Seconds of a cold `trainc compile`, and of `torchx run --dryrun` in the same run where there is one."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder, "job.yaml")
        job.write_text(JOB)
        commands = [[str(TRAINC), "compile", str(job)]]
        if torchx:
            commands.append([str(torchx), *TORCHX])
        times = alternately(commands)
    return times[0], times[1] if torchx else None


def warm(jobs: int = 1000) -> float:
    """Seconds for each of many compilations in one process."""
    import trainc

    trainc.compile(JOB)
    start = time.perf_counter()
    for number in range(jobs):
        result = trainc.compile(JOB.replace("name: mnist\n", f"name: mnist-{number}\n", 1))
        assert result.ok
        result.to_yaml()
    return (time.perf_counter() - start) / jobs


def pods(count: int) -> float:
    """Seconds for one job of so many Pods, written out as YAML; without the collector, as the command line does it."""
    import trainc

    gc.disable()
    start = time.perf_counter()
    result = trainc.compile(JOB, backend="pods", overrides={"spec.workers": str(count)})
    text = result.to_yaml()
    elapsed = time.perf_counter() - start
    gc.enable()
    assert text.count("\nkind: Pod\n") == count
    return elapsed


# A child's peak begins with that of the process that started it, so a small one must do that.
_SMALL_PARENT = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_CLOSE, 1)])
_, status, usage = os.wait4(child, 0)
sys.stderr.write(f"{status} {usage.ru_maxrss}")
"""


def memory() -> int:
    """Peak memory of one cold compilation, in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder, "job.yaml")
        job.write_text(JOB)
        command = [sys.executable, str(TRAINC), "compile", str(job), "-o", os.devnull]
        parent = [sys.executable, "-S", "-c", _SMALL_PARENT, *command]
        done = subprocess.run(parent, check=True, capture_output=True, text=True)
    status, peak = done.stderr.split()
    assert status == "0"
    return int(peak) * (1 if sys.platform == "darwin" else 1024)
