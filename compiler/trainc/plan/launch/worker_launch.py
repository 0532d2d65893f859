"""Launch of one worker: what its first process starts, as far as the manifests decide it."""

from __future__ import annotations

from typing import Literal

from trainc.plan.container import Container
from trainc.plan.fields import Object
from trainc.plan.pods import Pod
from trainc.record import Record

LOCAL = ("localhost", "127.0.0.1", "::1")
# How ranks and the store's host are decided. static: ranks are fixed in advance and rank 0 listens at the endpoint.
# peer: a worker hosts the store, and nodes are ranked by address. external: the store is another server, and nodes
# are ranked in the order in which they arrive.
Rendezvous = Literal["static", "peer", "external"]


class LaunchCommand(Record):
    """Container and its command line without wrapper scripts; `arguments` are those of the scripts, by name.

    `gpus` is the container's limit; `objects` are all manifests, for files that a ConfigMap provides.
    """

    container: Container
    argv: tuple[str, ...]
    arguments: dict[str, str]
    pod: Pod
    gpus: int
    objects: list[Object]


class WorkerLaunch(Record):
    """How one worker joins the job. Node counts are the launcher's own; None is unknown before the pod runs.

    `program` is the command line of a process. `rendezvous_host` is the host of the rendezvous endpoint, or the master
    address; `local_addr` is the worker's own address there if it is not its full name. `slots` are the hosts of a
    hostfile with their processes. `last_call` is the seconds that an elastic rendezvous waits for more nodes than its
    minimum. `option_env` are variables that the launcher reads as options.
    """

    launcher: str
    label: str
    program: tuple[str, ...]
    processes: int | None = None
    processes_source: str = ""
    nodes: tuple[int, int] | None = None
    node_rank: int | None = None
    rank: int | None = None
    world: int | None = None
    rendezvous: Rendezvous = "static"
    backend: str = ""
    rendezvous_host: str = ""
    port: int | None = None
    id: str = ""
    local_addr: str = ""
    is_host: bool | None = None
    is_standalone: bool = False
    restarts: int = 0
    last_call: int = 0
    slots: tuple[tuple[str, int], ...] = ()
    uses_ssh: bool = False
    needs_gpu_per_process: bool = True
    scales_to_zero: bool = False
    option_env: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def has_launcher(self) -> bool:
        """Return whether the worker takes part in distributed training at all."""
        return self.launcher != "none"

    @property
    def is_elastic(self) -> bool:
        """Return whether the launcher accepts several numbers of nodes."""
        return self.nodes is not None and self.nodes[0] < self.nodes[1]

    @property
    def joins(self) -> bool:
        """Return whether the worker connects to an endpoint that it shares with others."""
        return bool(self.rendezvous_host) and self.has_launcher and not self.is_standalone


def parse_count(text: str | None) -> int | None:
    """Parse a number of at most nine decimal digits; None for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None
