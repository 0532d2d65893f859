"""What happens in a rehearsal, and what a pod is at one moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from trainc.record import Record

Kind = Literal[
    "pod-created",  # by its controller; data: owner, index, ip
    "pod-pending",  # it waits: a slow image, a suspended controller; data: reason
    "init-started",
    "container-started",
    "pod-ready",
    "pod-unready",
    "container-exited",  # data: exit_code (128 + signal of one that was killed), signal (0 for none), init
    "container-restarted",  # by the kubelet, in the same pod; data: restarts
    "pod-succeeded",
    "pod-failed",  # data: reason, exit_code
    "pod-deleted",  # gone; its address and names too
    "line",  # one line of output; data: stream (stdout, stderr)
    "job-complete",
    "job-failed",  # data: reason, as the controller names it: BackoffLimitExceeded, DeadlineExceeded, …
    "scaled",  # data: to
    "note",  # something to know, like a thing that isn't imitated
    "rank",  # of a program that doesn't say it: a process that has one; data: pid, rank, world, local_rank, master, …
    "rank-gone",  # that process has ended; data: pid
    "dns",  # a pod asked, and the answer is another than the last; data: name, answer (addresses; None for NXDOMAIN)
    "fault",  # what was done to the pods on purpose; data: action
]


class Event(Record):
    """One thing that happened, `at` seconds after the pods were started. `pod` is the pod's full name."""

    at: float
    kind: Kind
    pod: str = ""
    container: str = ""
    text: str = ""
    data: dict[str, Any] = {}


class PodState(Record):
    """A pod now. `name` is the real one, with a Job's random suffix; `index` is its number in its controller.

    `phase` is Kubernetes': Pending, Running, Succeeded, Failed; or Terminating, while it is being deleted. `env` and
    `argv` are those of the container that trains, as it was started last; without what stands for the image's own
    variables. `server` pods don't train, like etcd.
    """

    name: str
    index: int
    phase: str
    ready: bool
    restarts: int
    ip: str
    uid: str
    hostname: str
    env: dict[str, str]
    argv: tuple[str, ...]
    owner: str = ""
    server: bool = False
    exit_code: int | None = None


class Program(Record):
    """A file that takes the place of the job's own program, under its name and with its arguments.

    Its folder is seen where the folder of the job's program would be. What it writes there is gone with its container.
    The ranks of one that is `silent` are read from its processes' variables.
    """

    file: Path
    silent: bool = False


class RehearsalError(Exception):
    """A rehearsal can't run here: the message says what is missing and what would cure it."""
