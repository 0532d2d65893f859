"""What one worker's pod holds."""

from __future__ import annotations

from typing import Any

from trainc.ir.env import Arg, EnvVar
from trainc.record import Record
from trainc.source.node import Mapping
from trainc.span import Span


class Port(Record):
    """A named port; the name is a Kubernetes port name (at most 15 characters)."""

    name: str
    number: int


class Mount(Record):
    """Where a volume is mounted."""

    volume: str
    path: str
    sub_path: str | None = None
    read_only: bool = False
    origin: Span | None = None


SHM_VOLUME = "dshm"  # the volume at /dev/shm
# RDMA pins the memory that it reads and writes, beyond what a process may lock without it.
LOCK_MEMORY = "IPC_LOCK"
# Where a Secret holds one: https://kubernetes.io/docs/concepts/configuration/secret/#ssh-authentication-secrets
PRIVATE_KEY = "ssh-privatekey"


class Volume(Record):
    """A volume; `source` is Kubernetes' own description of its kind, which many kinds of objects share."""

    name: str
    kind: str
    source: dict[str, Any]
    origin: Span | None = None


class Files(Record):
    """Text files that are made with the job; a volume of kind configMap shows them by this name."""

    name: str
    texts: dict[str, str]


class Claim(Record):
    """Storage to be made with the job. Size in bytes, as a quantity."""

    name: str
    size: str
    access_mode: str
    storage_class: str | None


class Program(Record):
    """What the training container runs: the launcher's words and the program's, in order."""

    command: tuple[str, ...]
    args: tuple[Arg, ...]


class Colocation(Record):
    """All pods of the job on nodes with one value of a label; where it is not required it is only preferred."""

    key: str
    required: bool


class Placement(Record):
    """Where pods may run, in Kubernetes' own words, and what pods of one job want of each other."""

    node_selector: dict[str, str] | None = None
    affinity: dict[str, Any] | None = None
    tolerations: list[dict[str, Any]] | None = None
    topology_spread_constraints: list[dict[str, Any]] | None = None
    priority_class_name: str | None = None
    scheduler_name: str | None = None
    one_a_node: bool = False
    colocation: Colocation | None = None


class InitCommand(Record):
    """A command that must have ended well before the program starts; it runs in the program's own image."""

    name: str
    command: tuple[str, ...]
    mounts: tuple[Mount, ...] = ()


class PodPlan(Record):
    """A pod of a role, the same for each worker but for its pod facts. Times in seconds.

    `capabilities` are Linux' that the training container has beside the runtime's own.
    A pod with `ready` is ready when something listens on that port.
    """

    image: str
    image_pull_policy: str | None
    image_pull_secrets: list[dict[str, str]]
    program: Program
    working_dir: str | None
    env: tuple[EnvVar, ...]
    env_from: tuple[dict[str, Any], ...]
    requests: dict[str, str]
    limits: dict[str, str]
    capabilities: tuple[str, ...]
    host_network: bool
    ports: tuple[Port, ...]
    ready: Port | None
    volumes: tuple[Volume, ...]
    mounts: tuple[Mount, ...]
    init_commands: tuple[InitCommand, ...]
    placement: Placement
    termination_grace_period_seconds: int | None
    patch: Mapping | None
