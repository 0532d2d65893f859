"""Queries of `trainc status JOB` and `--watch`: the only code of trainc that starts kubectl."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from trainc.cli.exit_codes import OK, USAGE, WRONG_INPUT
from trainc.cli.notices import notify
from trainc.diagnostics.cells import visible
from trainc.plan.fields import Object
from trainc.span import Source
from trainc.status.documents import parse_objects
from trainc.status.queries import Query
from trainc.status.status import JobStatus

_TIMEOUT = 60  # seconds of one call
_LOG = re.compile(r"[IWEF]\d{4} \d\d:")  # lines of klog, which repeat the error
_CLEAR = "\x1b[H\x1b[2J"


class KubectlError(Exception):
    """kubectl can't be started, or fails; the message says why."""


class MissingKubectl(KubectlError):
    """kubectl is not on PATH; the message is the line for a shell that has it."""


def watch(queries: Sequence[Query], interval: float, show: Callable[[list[Object], str], list[JobStatus]]) -> int:
    """Show the status again and again until the jobs have ended; return 0 if none has failed, and one exists.

    `show` prints the status of objects after a text that clears the screen, and returns it.
    """
    clears = sys.stdout is not None and sys.stdout.isatty()
    has_shown = False
    while True:
        try:
            objects = cluster_objects(queries)
        except KubectlError as problem:
            report_failure(problem)
            if not has_shown:
                return USAGE
        else:
            statuses = show(objects, _CLEAR if clears else "")
            has_shown = True
            states = {each.state for each in statuses}
            if states <= {"succeeded", "failed", "stopped"}:
                return OK if states and "failed" not in states else WRONG_INPUT
        time.sleep(interval)


def cluster_objects(queries: Sequence[Query]) -> list[Object]:
    """Return the objects that commands of kubectl print. Raises KubectlError."""
    return [each for query in queries for each in _run(query)]


def report_failure(problem: KubectlError) -> None:
    """Print why kubectl failed."""
    if isinstance(problem, MissingKubectl):
        reason = "kubectl is not on PATH: run this line where it is"
        notify("kubectl-failed", f"{reason}: {problem}", f"error: {reason}\n\n  {problem}\n")
        return
    notify("kubectl-failed", visible(" ".join(str(problem).split())))


def _run(query: Query) -> list[Object]:
    """Return the objects that a command of kubectl prints. Raises KubectlError."""
    words = [word if isinstance(word, str) else f"{word.before}{_output(word.command).strip()}" for word in query]
    objects, _ = parse_objects(Source("kubectl", _output(words)))  # none if the list is empty
    return objects


def _output(command: Sequence[str]) -> str:
    """Return what a command of kubectl prints. Raises KubectlError."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise KubectlError(f"kubectl has not answered for {_TIMEOUT} s") from None
    except OSError as problem:
        raise KubectlError(f"kubectl can't be started: {(problem.strerror or str(problem)).lower()}") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        lines = [line for line in lines if not _LOG.match(line)]
        raise KubectlError(" ".join(lines) or f"kubectl exited with {done.returncode}")
    return done.stdout.decode(errors="replace")
