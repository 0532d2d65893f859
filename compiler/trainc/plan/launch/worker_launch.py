"""What a pod's launcher will do, as far as it can be known before."""

from __future__ import annotations

from typing import Literal

from trainc.record import Record

Launcher = Literal["basic", "torchrun", "deepspeed", "none"]


LOCAL = ("localhost", "127.0.0.1", "::1")


class WorkerLaunch(Record):
    """How one pod takes part. Node counts are the launcher's own; what is None can't be known before it runs.

    `program` is the command line of a process. `meets` is where all meet: the rendezvous' endpoint, or the master's
    address. `address` is what the pod calls itself there, if that isn't its full name.
    """

    launcher: Launcher
    program: tuple[str, ...]
    processes: int | None = None
    processes_source: str = ""
    nodes: tuple[int, int] | None = None
    node_rank: int | None = None
    rank: int | None = None
    world: int | None = None
    backend: str = ""
    rendezvous_host: str = ""
    port: int | None = None
    id: str = ""
    local_addr: str = ""
    is_host: bool | None = None
    restarts: int = 0
    slots: tuple[tuple[str, int], ...] = ()
    ssh: bool = False
    scales_to_zero: bool = False
    errors: tuple[str, ...] = ()

    @property
    def is_standalone(self) -> bool:
        """Whether each pod is a world of its own."""
        return self.launcher == "torchrun" and self.backend == "c10d" and self.rendezvous_host in LOCAL
