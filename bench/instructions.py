"""Instructions of a cold `trainc compile` and of a further job, counted by callgrind.

They are the same in every run on one machine.
`python -m bench.instructions --check` fails if one is over its limit.
"""

from __future__ import annotations

import compileall
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import trainc
from bench.job import JOB, TRAINC, write_jobs

BUDGET = 230_000_000
# The count differs by a few per cent between builds of Python, so the check has a margin.
ALLOWED = 211_000_000
WARM_BUDGET = 8_000_000  # per job
WARM_ALLOWED = 8_100_000
_FILES = (96, 352)  # both are compiled in chunks


def count() -> int | None:
    """Return the instructions of one cold compilation, None without valgrind."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder, "job.yaml")
        job.write_text(JOB)
        return _instructions([str(TRAINC), "compile", str(job)])


def count_warm(command: str) -> float | None:
    """Return the instructions of a command per further job file, in one process; None without valgrind."""
    few, many = (_count_files(command, files) for files in _FILES)
    return None if few is None or many is None else (many - few) / (_FILES[1] - _FILES[0])


def _count_files(command: str, files: int) -> int | None:
    with tempfile.TemporaryDirectory() as folder:
        jobs = write_jobs(Path(folder), files)
        output = ["-o", f"{folder}/manifests.yaml"] if command == "compile" else []
        return _instructions([str(TRAINC), command, str(jobs), *output, "--jobs", "1"])


def _instructions(command: list[str]) -> int | None:
    """Return the instructions of a command of Python, None without valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    warm_up([sys.executable, *command])
    tool = [valgrind, "--tool=callgrind", f"--callgrind-out-file={os.devnull}", sys.executable]
    process = subprocess.run([*tool, *command], check=True, capture_output=True, text=True)
    match = re.search(r"Collected : (\d+)", process.stderr)
    if match is None:
        raise RuntimeError(f"valgrind reported no count: {process.stderr}")
    return int(match[1])


def warm_up(command: list[str]) -> None:
    """Compile templates and modules, as in an installed wheel."""
    # The first run compiles the templates. Then all modules are compiled, as by pip, also under
    # PYTHONDONTWRITEBYTECODE: otherwise the figures would include the compilation of trainc's modules.
    subprocess.run(command, check=True, capture_output=True)
    compileall.compile_dir(str(Path(trainc.__file__).parent), quiet=2)


def main() -> int:
    """Print the counts; with --check return 1 if one is over its limit."""
    cold, warm = count(), count_warm("compile")
    if cold is None or warm is None:
        required = "TRAINC_REQUIRE_VALGRIND" in os.environ
        print("bench: valgrind is not installed: instructions are not counted", file=sys.stderr)
        return 1 if required else 0
    too_many = False
    for what, number, budget, allowed in (
        ("a cold compile takes", cold, BUDGET, ALLOWED),
        ("a further job takes", warm, WARM_BUDGET, WARM_ALLOWED),
    ):
        print(f"bench: {what} {number / 1e6:.2f} million instructions, {number / budget:.0%} of its budget")
        if "--check" in sys.argv and number > allowed:
            print(f"bench: the limit is {allowed / 1e6:.1f} million", file=sys.stderr)
            too_many = True
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
