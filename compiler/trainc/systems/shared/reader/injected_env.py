"""Environment that another system injects into a training container, to compare a launcher's options with."""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.span import Span

# Replaces the pod's own number in the value of a variable; no argument holds this character.
RANK_MARK = "\ue000"


class InjectedEnv(Record):
    """Workers, and the environment that the other system injects into them.

    minimum, maximum: number of workers.
    launcher_fields: fields of launch.torchrun that the injected variables set, the other system's defaults included.
    hosts: host names of the first worker that the variables hold; unannounced_hosts: its other host names.
    variables: values of variables that a command line may reference.
    replacements: values that trainc's own variables give to the other system's variables, by name.
    starts_torchrun: torchrun is certain to be in the process tree.
    configures_torchrun: the variables include those that torchrun itself reads.
    counts_processes: WORLD_SIZE is the number of all processes, while RANK is the number of the worker.
    """

    minimum: int
    maximum: int
    elastic: bool
    gpus: int
    launcher_fields: dict[str, Any]
    hosts: tuple[str, ...] = ()
    unannounced_hosts: tuple[str, ...] = ()
    port: int | None = None
    variables: dict[str, str] = {}
    replacements: dict[str, str] = {}
    starts_torchrun: bool = False
    host_network: bool = False
    configures_torchrun: bool = True
    counts_processes: bool = False
    span: Span | None = None

    @property
    def sets_master_addr(self) -> bool:
        """Return whether MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE are set."""
        return "MASTER_ADDR" in self.variables


def env_init_variables(host: str, port: str, world_size: str, single: bool) -> dict[str, str]:
    """Return the variables of torch.distributed's env:// initialization, as the other system sets them."""
    rank = "0" if single else RANK_MARK
    return {"MASTER_ADDR": host, "MASTER_PORT": port, "WORLD_SIZE": world_size, "RANK": rank}


def env_init_replacements(port: str, world_size: str, single: bool) -> dict[str, str]:
    """Return the values of the same variables in terms of those that trainc sets for torchrun."""
    if single:
        return env_init_variables("localhost", port, world_size, single)
    names = ("MASTER_ADDR", "MASTER_PORT")
    return {name: f"$(PET_{name})" for name in names} | {"RANK": "$(PET_NODE_RANK)", "WORLD_SIZE": world_size}
