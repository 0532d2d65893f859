"""Kill writes of many files at many points, and print what each left behind as JSON.

Each write runs in a fork of this process, so a point costs milliseconds. The fork sends the signal to itself before its
n-th call of the file system, which is reproducible; the audit events of Python count the calls.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import trainc
from tests.support.command import JOB
from trainc.cli.writer import write_files

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
INTERRUPTED = 130
ADDED = 50  # jobs of every second write that have no file yet


class Calls:
    """Count the calls of the file system, and send a signal before one of them."""

    def __init__(self, at: int, number: int) -> None:
        self.events: list[str] = []
        self.at = at
        self.number = number

    def __call__(self, event: str, arguments: Any) -> None:
        if event == "open" or (event.startswith("os.") and arguments):
            self.events.append(f"{event} {arguments[0]}")
            if len(self.events) == self.at:
                os.kill(os.getpid(), self.number)


def texts_of(folder: Path, jobs: int, image: str) -> dict[str, str]:
    text = trainc.compile(JOB.replace("train:1", image)).to_yaml()
    return {f"{folder}/mnist-{number}.yaml": text.replace("mnist", f"mnist-{number}") for number in range(jobs)}


def run_fork(action: Callable[[], object], calls: Calls, log: Path | None = None) -> int:
    """Return the exit code of an action in a fork, negative for a signal."""
    child = os.fork()
    if not child:
        code = 0
        try:
            sys.addaudithook(calls)
            action()
            if log:
                log.write_text(json.dumps(calls.events))
        except KeyboardInterrupt:
            code = INTERRUPTED
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def snapshot(folder: Path) -> dict[str, str]:
    """Return the text of each file; a staging folder is an entry without text."""
    return {entry.path: "" if entry.is_dir() else Path(entry.path).read_text() for entry in os.scandir(folder)}


def points_of(events: list[str], count: int) -> list[int]:
    """Return points at equal distances, and all around the commit and the end."""
    commit = next(index for index, event in enumerate(events, 1) if event.startswith("os.rename") and "draft" in event)
    around = [*range(commit - 3, commit + 5), *range(len(events) - 4, len(events) + 1)]
    return sorted({*around, *range(1, len(events), len(events) // (count - len(around)))})


def main() -> None:
    """Kill `count` writes of `jobs` files, of which this process runs every `step`-th from the `first`.

    Each write also adds files and removes some.
    """
    folder, (jobs, count, first, step) = Path(sys.argv[1]), map(int, sys.argv[2:])
    current, other = (texts_of(folder, jobs, image) for image in ("train:1", "train:2"))
    leftovers = {f"{folder}/left-{number}.{('yaml', 'yml')[number % 2]}": "left over" for number in range(ADDED)}
    write_files({**current, **leftovers}, str(folder))
    remove_last(folder, current)
    log = folder.with_suffix(".json")
    assert run_fork(partial(write_files, other, str(folder), leftovers), Calls(0, 0), log) == 0
    current, other = other, current
    events = json.loads(log.read_text())
    results = []
    for index, point in enumerate(points_of(events, count)[first::step]):
        number = SIGNALS[index % len(SIGNALS)]
        remove_last(folder, current)
        for path, text in leftovers.items():
            Path(path).write_text(text)
        before = {**dict(list(current.items())[:-ADDED]), **leftovers}
        code = run_fork(partial(write_files, other, str(folder), leftovers), Calls(point, number))
        staged = [name for name in os.listdir(folder) if f"{folder}/{name}" not in {**other, **leftovers}]
        if number == signal.SIGKILL:  # the next run, too, and then one that is not killed
            run_fork(partial(write_files, {}, str(folder)), Calls(1 + index * 31, number))
            write_files({}, str(folder))
        after = snapshot(folder)
        outcome = "old" if after == before else "new" if after == other else "mixed"
        results.append({"point": point, "signal": number, "code": code, "staged": staged, "outcome": outcome})
        if outcome == "new":
            current, other = other, current
    print(json.dumps({"calls": len(events), "results": results}))


def remove_last(folder: Path, texts: dict[str, str]) -> None:
    """Remove some of the files, so that the next write adds them."""
    for path in list(texts)[-ADDED:]:
        Path(path).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
