"""`trainc compile --check`: whether the files that are there are what would be written."""

from __future__ import annotations

import difflib

from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.output import files
from trainc.cli.streams import to_stderr, to_stdout
from trainc.driver import Compiled


def compare(jobs: list[Compiled], output: str, form: str) -> int:
    """Print how the files differ; returns the exit code. OSError when one is there and can't be read."""
    stale = 0
    for path, wanted in files(jobs, output, form).items():
        try:
            with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                there = file.read()
        except FileNotFoundError:
            to_stderr(f"{path} is missing\n")
            stale += 1
            continue
        if there == wanted:
            continue
        stale += 1
        to_stderr(f"{path} is not what its job compiles to\n")
        lines = difflib.unified_diff(
            there.encode("utf-8", "replace").decode().splitlines(keepends=True),
            wanted.splitlines(keepends=True),
            path,
            f"{path} (compiled)",
        )
        to_stdout("".join(line if line.endswith("\n") else line + "\n" for line in lines))
    if stale:
        to_stderr("the same command without --check writes what it should be\n")
    return WRONG_INPUT if stale else OK
