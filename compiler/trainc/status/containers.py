"""States of a pod's containers, as its kubelet reports them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.record import Record
from trainc.status.times import timestamp

# Exit codes that say more than that the program failed: signals are 128 and their number.
# https://tldp.org/LDP/abs/html/exitcodes.html, signal(7)
_MEANINGS = {
    126: "the program is not executable",
    127: "the program was not found",
    128: "the container did not start",
    134: "SIGABRT",
    135: "SIGBUS, as when /dev/shm is full",
    136: "SIGFPE",
    137: "SIGKILL",
    139: "SIGSEGV",
    143: "SIGTERM",
}


class Exit(Record):
    """End of a container. `reason` is the kubelet's, like `OOMKilled`."""

    code: int
    reason: str
    message: str
    time: datetime | None

    def __str__(self) -> str:
        if self.reason == "OOMKilled":
            return f"OOMKilled (exit code {self.code})"
        return exit_text(self.code)


def exit_text(code: int) -> str:
    """Format an exit code with its meaning."""
    return f"exit code {code}" + (f" ({_MEANINGS[code]})" if code in _MEANINGS else "")


class ContainerStatus(Record):
    """Container in one of the states `Waiting`, `Running` and `Terminated`; with its end, or that before its restart.

    `keeps_running` marks a sidecar, an init container that runs next to the others.
    """

    name: str
    state: str
    reason: str
    message: str
    started: datetime | None
    exit: Exit | None
    restarts: int
    ready: bool
    is_init: bool
    keeps_running: bool


def running_container() -> ContainerStatus:
    """Return the state of a container of which only this is known: that it runs."""
    return ContainerStatus(
        name="",
        state="Running",
        reason="",
        message="",
        started=None,
        exit=None,
        restarts=0,
        ready=True,
        is_init=False,
        keeps_running=False,
    )


def container_statuses(pod: Object) -> list[ContainerStatus]:
    """Return the states of a pod's containers, init containers first."""
    sidecars = {
        text(each, "name") for each in items(pod, "spec", "initContainers") if each.get("restartPolicy") == "Always"
    }
    return [*_statuses(pod, "initContainerStatuses", sidecars), *_statuses(pod, "containerStatuses", set())]


def _statuses(pod: Object, field: str, sidecars: set[str]) -> Iterator[ContainerStatus]:
    for each in items(pod, "status", field):
        state = next(
            (kind for kind in ("running", "terminated", "waiting") if at(each, "state", kind) is not None), "waiting"
        )
        current, name = mapping(each, "state", state), text(each, "name")
        ended = current if state == "terminated" else mapping(each, "lastState", "terminated")
        yield ContainerStatus(
            name=name,
            state=state.capitalize(),
            reason=text(current, "reason"),
            message=text(current, "message"),
            started=timestamp(current, "startedAt"),
            exit=_exit(ended) if ended else None,
            restarts=number(each, "restartCount") or 0,
            ready=each.get("ready") is True,
            is_init=field == "initContainerStatuses",
            keeps_running=name in sidecars,
        )


def _exit(terminated: Object) -> Exit:
    return Exit(
        code=number(terminated, "exitCode") or 0,
        reason=text(terminated, "reason"),
        message=text(terminated, "message"),
        time=timestamp(terminated, "finishedAt"),
    )
