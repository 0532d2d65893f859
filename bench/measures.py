"""Figures of `make bench` besides instructions."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.instructions import warm_up
from bench.job import JOB, TRAINC, write_jobs

CHART = Path(__file__).parent / "chart"
# Arguments of torchx for the same job.
TORCHX_ARGUMENTS = [
    *("run", "-s", "kubernetes", "--dryrun", "--workspace=", "-cfg", "queue=default", "dist.ddp"),
    *("--image", "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime", "-j", "4x8"),
    *("--gpu", "8", "--cpu", "32", "--memMB", "262144", "--script", "train.py", "--", "--epochs", "3"),
]


def cpu_times(commands: list[list[str]], rounds: int = 15) -> list[float]:
    """Return the least CPU time of each command in seconds; they alternate, so that load affects all of them."""
    best = [float("inf")] * len(commands)
    for _ in range(rounds):
        for number, command in enumerate(commands):
            before = _children_time()
            subprocess.run(command, check=True, capture_output=True)
            best[number] = min(best[number], _children_time() - before)
    return best


def _children_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cold(programs: dict[str, str | None]) -> tuple[float, dict[str, float]]:
    """Return the CPU seconds of a cold `trainc compile`, and those of the peers that are installed, by name."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder, "job.yaml")
        job.write_text(JOB)
        compile_ = [str(TRAINC), "compile", str(job)]
        warm_up(compile_)
        subprocess.run([*compile_, "-o", str(Path(folder, "manifests.yaml"))], check=True)
        Path(folder, "kustomization.yaml").write_text("resources: [manifests.yaml]\n")
        arguments = {
            "kubectl": ["kustomize", folder],
            "kustomize": ["build", folder],
            "helm": ["template", "mnist", str(CHART)],
            "torchx": TORCHX_ARGUMENTS,
        }
        commands = {name: [program, *arguments[name]] for name, program in programs.items() if program}
        own, *peers = cpu_times([compile_, *commands.values()])
    return own, dict(zip(commands, peers, strict=True))


def pods(count: int) -> float:
    """Return the seconds of compiling one job to many Pods, without garbage collection like the command line."""
    import trainc

    gc.disable()
    start = time.perf_counter()
    result = trainc.compile(JOB, backend="pods", overrides={"spec.workers": str(count)})
    text = result.to_yaml()
    elapsed = time.perf_counter() - start
    gc.enable()
    assert text.count("\nkind: Pod\n") == count
    return elapsed


def plan_growth(backend: str) -> float:
    """CPU time of checking and planning a job of 100,000 workers, as a multiple of 100 workers'; the best of three."""
    import trainc
    from trainc.plan.formats.report import report
    from trainc.plan.plan import plan
    from trainc.report.text import text

    def seconds(workers: int) -> float:
        start = time.process_time()
        result = trainc.compile(JOB, backend=backend, overrides={"spec.workers": str(workers)})
        assert f"{workers} pods" in text([report(plan(list(result.objects())))], 100)
        return time.process_time() - start

    few, many = (min(seconds(workers) for _ in range(3)) for workers in (100, 100_000))
    return many / few


_FILES = """
import resource, sys
from trainc.__main__ import run
assert run(sys.argv[1:]) == 0
own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime, own.ru_maxrss, children.ru_maxrss)
"""


class ManyFiles(NamedTuple):
    """CPU seconds of a run's first process and of all others together, and the peak memory of the largest in bytes."""

    own: float
    others: float
    memory: int


def many_files(count: int, command: str, processes: int) -> ManyFiles:
    """Return the figures of a command on so many files."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = write_jobs(Path(folder), count)
        output = ["-o", f"{folder}/manifests.yaml"] if command == "compile" else []
        arguments = [command, str(jobs), *output, "--jobs", str(processes)]
        process = subprocess.run([sys.executable, "-c", _FILES, *arguments], check=True, capture_output=True, text=True)
    own, others, *memory = map(float, process.stdout.split())
    return ManyFiles(own, others, int(max(memory)) * (1 if sys.platform == "darwin" else 1024))


def speed_of_two(count: int, command: str) -> float:
    """Return the speed of two processors relative to one, by CPU time: the better of two runs."""

    def speed() -> float:
        one, two = many_files(count, command, 1), many_files(count, command, 2)
        return one.own / (two.own + two.others / 2)

    return max(speed() for _ in range(2))


JOB_FILE = "job.yaml"
# A child's peak memory includes that of its parent at the start, so the parent must be small.
_SMALL_PARENT = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_CLOSE, 1)])
_, status, usage = os.wait4(child, 0)
sys.stderr.write(f"{status} {usage.ru_maxrss}")
"""


def unknown_fields(count: int) -> float:
    """Return the processor time in seconds of the errors for a job with so many unknown fields."""
    import trainc

    text = JOB + "".join(f"  field{number}: 1\n" for number in range(count))
    start = time.process_time()
    result = trainc.compile(text)
    elapsed = time.process_time() - start
    assert len(result.diagnostics) == count
    return elapsed


def memory(*arguments: str) -> int:
    """Return the peak memory of one cold start of the command in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, JOB_FILE).write_text(JOB)
        command = [sys.executable, "-S", "-c", _SMALL_PARENT, sys.executable, str(TRAINC), *arguments]
        process = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    peak = process.stderr.split()[-1]
    return int(peak) * (1 if sys.platform == "darwin" else 1024)
