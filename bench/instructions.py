"""Instructions of a cold `trainc compile`, counted by callgrind: the same on every run and machine alike.

`python -m bench.instructions --check` fails when they come near the budget.
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
from bench.job import JOB, TRAINC

BUDGET = 450_000_000
# What is counted differs by a few per cent between builds of Python, so the check fails before the budget does.
ALLOWED = 420_000_000


def count() -> int | None:
    """Instructions of one cold compilation, or None where there is no valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder, "job.yaml")
        job.write_text(JOB)
        command = [str(TRAINC), "compile", str(job)]
        # The first run leaves the templates' Python behind. Then everything is compiled as pip leaves a package, also
        # under PYTHONDONTWRITEBYTECODE: a count of Python compiling our sources would say nothing.
        subprocess.run(command, check=True, capture_output=True)
        compileall.compile_dir(str(Path(trainc.__file__).parent), quiet=2)
        tool = [valgrind, "--tool=callgrind", f"--callgrind-out-file={os.devnull}", sys.executable]
        done = subprocess.run([*tool, *command], check=True, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise RuntimeError(f"valgrind counted nothing: {done.stderr}")
    return int(found[1])


def main() -> int:
    """Print the count; with --check fail when it is too high."""
    instructions = count()
    if instructions is None:
        required = "TRAINC_REQUIRE_VALGRIND" in os.environ
        print("bench: no valgrind here, so the instructions of a cold start are not counted", file=sys.stderr)
        return 1 if required else 0
    share = instructions / BUDGET
    print(f"bench: a cold compile takes {instructions / 1e6:.0f} million instructions, {share:.0%} of its budget")
    if "--check" in sys.argv and instructions > ALLOWED:
        print(f"bench: at most {ALLOWED / 1e6:.0f} million are allowed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
