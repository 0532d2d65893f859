"""Record what JAX does with environments and lost peers, in tests/unit/launchers/jax.json.

    PYTHON-WITH-JAX tools/jax_cases.py

Each case starts up to two processes on this machine's CPUs. Timeouts are shortened where its name says so.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import socket
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "tests" / "unit" / "launchers" / "jax.json"
EXPLICIT = (
    'jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]),'
    ' process_id=int(os.environ["JAX_PROCESS_ID"]){})'
)
BARE = "jax.distributed.initialize()"
NUMBER = 'jax.distributed.initialize(num_processes=int(os.environ["JAX_NUM_PROCESSES"]))'
HEAD = "import os, sys, time, jax\n"
GATHER = """
from jax.experimental import multihost_utils
import jax.numpy as jnp
print([int(each) for each in multihost_utils.process_allgather(jnp.array([jax.process_index()])).ravel()], flush=True)
"""
DEVICES = "\nfrom jax._src import xla_bridge; print(xla_bridge.CUDA_VISIBLE_DEVICES.value, flush=True)"
EXIT_0 = "\nif jax.process_index() == 0: time.sleep(2); os._exit(3)\ntime.sleep(60)"
RAISE_1 = """
if jax.process_index() == 1: time.sleep(2); raise RuntimeError("out of memory")
while True: multihost_utils.process_allgather(jnp.array([1]))
"""
EXIT_1 = "\nif jax.process_index() == 1: time.sleep(2); os._exit(3)\ntime.sleep(60)"
KILL_1 = """
if jax.process_index() == 1: time.sleep(2); os.kill(os.getpid(), 9)
while True: multihost_utils.process_allgather(jnp.array([1]))
"""
ONE = {"JAX_COORDINATOR_ADDRESS": "localhost:PORT", "JAX_NUM_PROCESSES": "1"}  # PORT is a free port
TWO = {"JAX_COORDINATOR_ADDRESS": "localhost:PORT", "JAX_NUM_PROCESSES": "2"}
FIRST, SECOND = {"JAX_PROCESS_ID": "0"}, {"JAX_PROCESS_ID": "1"}
ON_DEVICES = tuple({"JAX_PROCESS_ID": each, "JAX_LOCAL_DEVICE_IDS": each} for each in ("0", "1"))
TIMEOUT, HEARTBEAT, SHUTDOWN = "initialization_timeout", "heartbeat_timeout_seconds", "shutdown_timeout_seconds"


def explicit(more: str = "") -> str:
    """Return a call with explicit arguments, and more of them."""
    return EXPLICIT.format(more and f", {more}")


# Name, program, variables of all processes, of each process.
CASES: tuple[tuple[str, str, dict[str, str], tuple[dict[str, str], ...]], ...] = (
    ("bare call without variables", BARE, {}, ({},)),
    ("bare call with the variables", BARE, {**ONE, **FIRST}, ({},)),
    ("number of processes alone", NUMBER, ONE, ({},)),
    ("both arguments", explicit() + GATHER, TWO, (FIRST, SECOND)),
    ("local devices", explicit() + DEVICES, TWO, ON_DEVICES),
    ("process id outside the world", explicit(), {**TWO, "JAX_PROCESS_ID": "2"}, ({},)),
    (f"missing peer, {TIMEOUT} 5", explicit(f"{TIMEOUT}=5"), TWO, (FIRST,)),
    (f"missing coordinator, {TIMEOUT} 5", explicit(f"{TIMEOUT}=5"), TWO, (SECOND,)),
    ("coordinator exits with 3", explicit() + EXIT_0, TWO, (FIRST, SECOND)),
    (f"other process exits with 3, {HEARTBEAT} 10", explicit(f"{HEARTBEAT}=10") + EXIT_1, TWO, (FIRST, SECOND)),
    (f"other process raises, {SHUTDOWN} 10", explicit(f"{SHUTDOWN}=10") + GATHER + RAISE_1, TWO, (FIRST, SECOND)),
    (
        f"other process is killed in a collective, {HEARTBEAT} 10",
        explicit(f"{HEARTBEAT}=10") + GATHER + KILL_1,
        TWO,
        (FIRST, SECOND),
    ),
)


def record(program: str, shared: dict[str, str], each: tuple[dict[str, str], ...]) -> list[dict[str, Any]]:
    """Return exit code, seconds, output and error of each process; codes are a shell's, 134 for SIGABRT."""
    with socket.socket() as free:
        free.bind(("", 0))
        port = str(free.getsockname()[1])
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    started, processes = time.time(), []
    for own in each:
        env = {name: value.replace("PORT", port) for name, value in {**shared, **own}.items()}
        env |= {**keep, "JAX_PLATFORMS": "cpu"}
        command = [sys.executable, "-c", HEAD + program]
        processes.append(subprocess.Popen(command, env=env, stdout=-1, stderr=-1, text=True))
    ends: dict[int, float] = {}
    while len(ends) < len(processes):
        ends |= {
            at: time.time() for at, process in enumerate(processes) if at not in ends and process.poll() is not None
        }
        time.sleep(0.1)
    results = []
    for at, process in enumerate(processes):
        output, errors = process.communicate()
        error = next(
            (line for line in reversed(errors.splitlines()) if line.startswith(("ValueError", "TypeError"))), ""
        )
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        outcome = {
            "code": code,
            "seconds": round(ends[at] - started),
            "output": output.split("\n")[-2:-1],
            "error": error,
        }
        results.append({name: value for name, value in outcome.items() if value or name == "code"})
    return results


def main() -> None:
    """Write the file."""
    cases = []
    for name, program, shared, each in CASES:
        cases.append({"case": name, "program": program, "shared": shared, "processes": record(program, shared, each)})
        print(json.dumps(cases[-1]), file=sys.stderr)
    lines = ",\n".join(f"  {json.dumps(case)}" for case in cases)
    parameters = inspect.signature(importlib.import_module("jax").distributed.initialize).parameters
    defaults = {name: each.default for name, each in parameters.items()}
    head = f'"jax": "{version("jax")}", "defaults": {json.dumps(defaults)}'
    FILE.write_text(f'{{{head}, "cases": [\n{lines}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main()
