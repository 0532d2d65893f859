"""Events of a rehearsal, and the state of a pod."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from trainc.record import Record

Kind = Literal[
    "pod-created",  # by its controller; data: owner, index, server
    "pod-pending",  # unschedulable, or a slow image pull; data: reason
    "init-started",
    "container-started",
    "pod-ready",
    "pod-unready",
    "container-exited",  # data: exit_code (128 + signal of a killed container), signal (0 for none), init
    "container-restarted",  # by the kubelet, in the same pod; data: restarts
    "pod-succeeded",
    "pod-failed",  # data: reason, exit_code
    "pod-deleted",  # with its address and names
    "line",  # one line of output; data: stream (stdout, stderr)
    "job-complete",
    "job-failed",  # data: reason, as the controller names it: BackoffLimitExceeded, DeadlineExceeded, ...
    "scaled",  # data: to
    "note",  # information, like an unsupported feature
    "rank",  # a process with a rank, of a program without the probe; data: pid, rank, world, local_rank, master, ...
    "rank-exited",  # that process has exited; data: pid
    "dns",  # a pod's DNS query with a new answer; data: name, answer (addresses; None for NXDOMAIN)
    "fault",  # an action of the scenario; data: action
]


class Event(Record):
    """An event `at` seconds after the start. `pod` is the pod's full name."""

    at: float
    kind: Kind
    pod: str = ""
    container: str = ""
    text: str = ""
    data: dict[str, Any] = {}


class PodState(Record):
    """Current state of a pod. `name` includes a Job's random suffix; `index` is the pod's number in its controller.

    `phase` is Kubernetes' (Pending, Running, Succeeded, Failed), or Terminating during deletion. `env` and `argv` are
    those of the training container's last start, without the image's own variables. `server` pods, like etcd, don't
    train.
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
    """A file that replaces the job's program, under its name and with its arguments.

    Its directory appears in place of the job program's directory; what it writes there is discarded with the container.
    `ranks_from_env` reads the ranks of a program other than the probe from its processes' environment.
    """

    file: Path
    ranks_from_env: bool = False


class RehearsalError(Exception):
    """This machine can't run the rehearsal; the message says what is missing and how to get it."""
