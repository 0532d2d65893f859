"""Modules that programs import, measured in one new interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMPILER = Path(__file__).resolve().parents[2] / "compiler"
# The interpreter's modules and those of the environment's .pth files don't count. trainc's modules are removed before
# each program; other packages stay imported, so they are in the results of all later programs, too.
RUNNER = """
import io, sys
initial, stdout = set(sys.modules), sys.stdout
for program, stdin in {programs!r}:
    for name in list(sys.modules):
        if name.partition(".")[0] == "trainc":
            del sys.modules[name]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    sys.stdout = io.TextIOWrapper(io.BytesIO())
    exec(program, {{}})
    print(*(set(sys.modules) - initial), file=stdout)
"""


def imported_modules(*programs: tuple[str, str]) -> list[set[str]]:
    """Run programs, each with its standard input, and return the modules that are imported after each."""
    process = subprocess.run(
        [sys.executable, "-c", RUNNER.format(programs=programs)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(COMPILER)},  # without pytest's path
    )
    return [set(line.split()) for line in process.stdout.splitlines()]
