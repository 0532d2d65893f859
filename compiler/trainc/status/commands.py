"""Commands of kubectl for a job: follow its logs, open a shell, stop it, run it again; and where a hang shows."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime

from trainc.plan.fields import items, text
from trainc.record import Record
from trainc.status.queries import Subject, delete_command, follow_command, run_again_command
from trainc.status.workers import WorkerStatus

# Seconds without a start, after which a status says where a hang shows: PyTorch's timeout of NCCL since 2.2,
# https://github.com/pytorch/pytorch/pull/110947
HANG_AFTER = 600
# Of each Python process: PID 1 may be a shell, which py-spy refuses, also with --subprocesses.
_PY_SPY = (
    "pip install -q py-spy; for p in /proc/[0-9]*; do case $(readlink $p/exe) in"
    " *python*) py-spy dump --pid ${p#/proc/};; esac; done"
)


class Command(Record):
    """Command by its purpose: `logs`, `all logs`, `shell`, `stop`, `again`, `hang`; the message says when to use it."""

    name: str
    command: str
    message: str = ""


def job_commands(
    subject: Subject,
    workers: Sequence[WorkerStatus],
    launchers: Sequence[WorkerStatus],
    has_ended: bool,
    log: Sequence[str] = (),
) -> Iterator[Command]:
    """Yield the commands for the logs of a job, and for a shell in it. `log` prints the program's output in its pod."""
    main = _main_worker(workers, launchers)
    if main is not None and main.runs and log:
        yield Command(name="logs", command=_on_pod("exec", subject=subject, worker=main, program=log))
    elif main is not None:
        follow = () if has_ended else ("-f",)
        yield Command(name="logs", command=_on_pod("logs", *follow, subject=subject, worker=main))
    running = [each for each in workers if each.runs]
    if len(running) > 1 and not launchers and not has_ended and subject.selector:
        yield Command(name="all logs", command=follow_command(subject, len(running)))
    if main is not None and main.runs:
        yield Command(name="shell", command=_on_pod("exec", "-it", subject=subject, worker=main, program=("sh",)))


def stop_commands(subject: Subject, has_ended: bool, file: str) -> Iterator[Command]:
    """Yield how to stop a job, and to run it again. `file` is its job file, empty if it is unknown."""
    yield Command(name="delete" if has_ended else "stop", command=delete_command(subject))
    yield Command(name="again", command=run_again_command(subject, file))


def hang_commands(
    subject: Subject, workers: Sequence[WorkerStatus], launchers: Sequence[WorkerStatus], now: datetime
) -> Iterator[Command]:
    """Yield how to see where processes wait, if all workers have run for as long as a collective may take."""
    expected = [each for each in workers if each.is_expected]
    starts = [each.pod.started for each in expected if each.runs and each.pod and each.pod.started]
    if not starts or len(starts) < len(expected) or (now - max(starts)).total_seconds() < HANG_AFTER:
        return
    main = next(each for each in expected if each.runs) if launchers else _main_worker(workers, ())
    if main is not None:
        message = "if the log has stopped, print the stacks, and see `trainc explain hang`"
        command = _on_pod("exec", subject=subject, worker=main, program=("sh", "-c", _PY_SPY))
        yield Command(name="hang", command=command, message=message)


def _main_worker(workers: Sequence[WorkerStatus], launchers: Sequence[WorkerStatus]) -> WorkerStatus | None:
    """Return the worker whose log is the job's: the launcher, or the one with rank 0, or another that has started."""
    started = [each for each in (*launchers, *workers) if each.pod and any(_has_started(each))]
    return next(
        (each for each in started if each in launchers or (each.ranks or (1,))[0] == 0), next(iter(started), None)
    )


def _has_started(worker: WorkerStatus) -> Iterator[bool]:
    containers = worker.pod.containers if worker.pod else ()
    yield from (each.state != "Waiting" or each.exit is not None for each in containers if not each.is_init)


def _on_pod(*words: str, subject: Subject, worker: WorkerStatus, program: Sequence[str] = ()) -> str:
    """Return a command about the container that trains."""
    pod = worker.pod
    if pod is None:
        return ""
    names = [text(each, "name") for each in items(pod.manifest, "spec", "containers")]
    name = worker.planned.container.name if worker.planned else next(iter(names), "")
    container = ("-c", name) if len(names) > 1 and name else ()
    namespace = ("-n", subject.namespace) if subject.namespace else ()
    verb, *options = words
    rest = ("--", *program) if program else ()
    return shlex.join(("kubectl", verb, *options, pod.name, *container, *namespace, *rest))
