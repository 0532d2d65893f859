"""Run the command line in this process, or as a program where streams and signals matter."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from trainc.cli.guard import guarded

JOB = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata:
  name: mnist
spec:
  image: train:1
  launch:
    torchrun: {}
  run:
    python: [train.py]
  workers: 2
"""
INVALID_JOB = JOB.replace("workers: 2", "workers: two")


def job(name: str, more: str = "") -> str:
    """Return JOB with another name, and lines below `spec`."""
    return JOB.replace("name: mnist\n", f"name: {name}\n") + more


class CommandResult(NamedTuple):
    """Exit code, standard output and standard error."""

    code: int
    out: str
    err: str


def trainc(*arguments: str | Path, stdin: str | bytes = b"") -> CommandResult:
    """Run a command in this process."""
    stdin_stream = io.TextIOWrapper(io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin))
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    with patch.object(sys, "stdin", stdin_stream), redirect_stdout(out), redirect_stderr(err):
        code = guarded([str(argument) for argument in arguments])
        out.flush()
        err.flush()
    return CommandResult(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def succeed(*arguments: str | Path, stdin: str | bytes = b"") -> CommandResult:
    """Run a command that must succeed."""
    done = trainc(*arguments, stdin=stdin)
    assert done.code == 0, done.err
    return done


def silent(*arguments: str | Path, stdin: str | bytes = b"") -> str:
    """Return the output of a command that must succeed without messages."""
    done = trainc(*arguments, stdin=stdin)
    assert (done.code, done.err) == (0, "")
    return done.out


def fail(*arguments: str | Path, stdin: str | bytes = b"", code: int = 1) -> str:
    """Return the messages of a command that must fail without output."""
    done = trainc(*arguments, stdin=stdin)
    assert (done.code, done.out) == (code, ""), done.err
    return done.err


def clean_environment(**additional: str) -> dict[str, str]:
    """Return this process's environment with additional variables, but without those that change Python's output."""
    output_variables = ("PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "NO_COLOR", "FORCE_COLOR", "COLUMNS")
    return {**{name: value for name, value in os.environ.items() if name not in output_variables}, **additional}


def command_line(*arguments: str | bytes | Path) -> list[str | bytes | Path]:
    """Return the command line of `python -m trainc`."""
    return [sys.executable, "-m", "trainc", *arguments]


def start_process(*arguments: str | bytes | Path, env: Mapping[str, str] | None = None, **options: Any) -> Any:
    """Start the program; the caller waits for it."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(command_line(*arguments), env=clean_environment(**(env or {})), **pipes)


def run_process(*arguments: str | bytes | Path, env: Mapping[str, str] | None = None, **options: Any) -> CommandResult:
    """Start the program and wait for it; bytes that are not UTF-8 become escapes."""
    stdin = options.pop("input", None)
    process = start_process(*arguments, env=env, **options)
    out, err = process.communicate(stdin, timeout=120)
    return CommandResult(
        process.returncode, *((text or b"").decode("utf-8", "backslashreplace") for text in (out, err))
    )
