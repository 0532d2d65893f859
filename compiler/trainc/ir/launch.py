"""Start of the processes: launcher, size of the world, rendezvous and host names, before they become arguments."""

from __future__ import annotations

from trainc.ir.env import PodFact
from trainc.launchers.traits import Traits
from trainc.record import Record


class Rendezvous(Record):
    """Rendezvous of the workers.

    `backend` is c10d, static, etcd or etcd-v2; launchers that only know MASTER_ADDR and MASTER_PORT have static.
    `endpoint` is host and port as the launcher gets them, `id` the name of the run, `conf` the backend's options.
    `timeout` is the option of `conf` with the seconds that the launcher waits for its peers, and their default.
    """

    backend: str
    endpoint: str
    host: str
    port: int
    id: str | PodFact | None = None
    conf: dict[str, str] = {}
    timeout: tuple[str, int] | None = None


class Launch(Record):
    """Launch of a job's processes.

    `command` starts a launcher that systems may start with options of their own.
    `nodes` are the fewest and most workers. A standalone launch has one worker, which hosts its own rendezvous. With
    `wraps_program` the launcher is started before the program. With `starts_workers` worker 0, or the launcher pod,
    starts the processes of all workers, and the others only wait for it. Times are in seconds. `variables` are further
    environment variables of the launcher, `arguments` further options. `process_variables` are set for each process,
    and not for the pod. The program itself reads the world from `program_variables`.
    """

    launcher: Traits
    command: tuple[str, ...] = ()
    processes_per_pod: int | str
    nodes: tuple[int, int]
    rendezvous: Rendezvous
    is_standalone: bool = False
    wraps_program: bool = True
    starts_workers: bool = False
    max_restarts: int | None = None
    shutdown_timeout: int | None = None
    variables: dict[str, str | PodFact] = {}
    arguments: tuple[str, ...] = ()
    process_variables: tuple[str, ...] = ()
    program_variables: tuple[str, ...] = ()

    @property
    def process_count(self) -> int | None:
        """Processes in each pod; None if the launcher counts them on the node."""
        return self.processes_per_pod if isinstance(self.processes_per_pod, int) else None


class Hosts(Record):
    """Host names: worker 0 is `first`, worker i `<stem>-<i - offset>`.

    The name followed by `domain` resolves in every pod of the namespace. With `is_full` that is the fully qualified
    name, which the kubelet writes to the pod's own /etc/hosts. `names` are those of the first workers if they have no
    common stem.
    """

    first: str
    stem: str
    offset: int = 0
    domain: str = ""
    is_full: bool = False
    names: tuple[str, ...] = ()

    def name(self, index: int) -> str:
        """Return the pod's hostname."""
        if index < len(self.names):
            return self.names[index]
        return self.first if index == 0 else f"{self.stem}-{index - self.offset}"

    def first_names(self, count: int) -> list[str]:
        """Return the hostnames of the first pods, without a call for each."""
        names = [*self.names[:count], *([] if self.names or not count else [self.first])]
        return names + [f"{self.stem}-{index - self.offset}" for index in range(len(names), count)]

    def resolvable(self, index: int) -> str:
        """Return the name that every pod of the namespace can resolve."""
        return self.name(index) + self.domain
