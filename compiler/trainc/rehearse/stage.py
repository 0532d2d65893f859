"""Where a job is rehearsed: its pods run on this machine, and things can be done to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from trainc.plan.plan import Plan
from trainc.plan.tree import Object
from trainc.rehearse.events import Event, PodState, Program


class Stage:
    """The pods of one job's manifests.

        with Stage(objects, program=Program(file=path), processes=2) as stage:
            stage.start()
            for event in stage.events(timeout=60):
                ...

    `image` is a folder that is laid over the machine's own files, which stand in for the image. `python` is the
    interpreter that the pods find as `python`, with what lies beside it (torchrun, deepspeed); by default the one that
    runs this. `processes` a pod and a `limit` of pods make a large job small: the manifests are changed before they
    run, and `plan` is that of the changed ones. `pace` divides the waits that Kubernetes itself makes (back-off,
    probes' periods); the grace period and all that is the job's own stay. `keep` is a folder for what would be gone
    otherwise: each container's output, its environment and command line, each pod's hosts and resolv.conf.

    Pods are named by their names, or by their index among the workers. Raises RehearsalError from __enter__ where the
    machine can't do it. Not for several threads, but for one that reads events and one that acts.
    """

    def __init__(
        self,
        objects: list[Object],
        *,
        image: Path | None = None,
        program: Program | None = None,
        python: str | None = None,
        processes: int | None = None,
        limit: int | None = None,
        pace: float = 1.0,
        keep: Path | None = None,
    ) -> None:
        raise NotImplementedError

    plan: Plan
    not_imitated: tuple[str, ...]

    @property
    def pods(self) -> tuple[PodState, ...]:
        """All pods that there are now, those that have ended too, in the order of their creation."""
        raise NotImplementedError

    @property
    def now(self) -> float:
        """Seconds since the start, as events count them."""
        raise NotImplementedError

    @property
    def finished(self) -> Literal["complete", "failed"] | None:
        """How the job ended; None while it goes on."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        raise NotImplementedError

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        raise NotImplementedError

    def events(self, timeout: float) -> Iterator[Event]:
        """What has happened since the last call, and what happens in the next `timeout` seconds."""
        raise NotImplementedError

    def start(
        self, delays: Mapping[int, float] | None = None, dns_delays: Mapping[int | str, float] | None = None
    ) -> None:
        """What `kubectl apply` does.

        `delays`: seconds by which a worker's containers start late (a slow image); with `math.inf` it finds no room and
        stays pending until it may `arrive`. `dns_delays`: seconds for which
        the DNS doesn't know a worker after it has its address, or a name after the start.
        """
        raise NotImplementedError

    def arrive(self, pod: str | int) -> None:
        """There is room now for a worker that was held back."""
        raise NotImplementedError

    def kill_process(self, pod: str | int, target: int | str) -> None:
        """SIGKILL to the process of a rank, or to those whose command line matches a regular expression."""
        raise NotImplementedError

    def kill_pod(self, pod: str | int, grace: float | None = None) -> None:
        """`kubectl delete pod`: SIGTERM, and SIGKILL after the grace period; 0 is a node that dies."""
        raise NotImplementedError

    def cut(self, pod: str | int) -> None:
        """Take a pod from the network, without a word to anybody."""
        raise NotImplementedError

    def mend(self, pod: str | int) -> None:
        """Undo `cut`."""
        raise NotImplementedError

    def scale(self, to: int) -> None:
        """`kubectl scale`, or for a Job the patch of its parallelism; with bare Pods, delete or create the last."""
        raise NotImplementedError

    def stop(self) -> None:
        """`kubectl delete` of all: every pod gets SIGTERM and its grace period."""
        raise NotImplementedError
