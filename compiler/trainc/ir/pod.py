"""Pod of one worker."""

from __future__ import annotations

from trainc.ir.env import Arg, EnvVar
from trainc.record import Record
from trainc.source.node import Mapping
from trainc.span import Span
from trainc.typenames import Any


class Port(Record):
    """Named port; the name is a Kubernetes port name (at most 15 characters)."""

    name: str
    number: int


class Mount(Record):
    """Mount of a volume in the training container."""

    volume: str
    path: str
    sub_path: str | None = None
    read_only: bool = False
    origin: Span | None = None


SHM_VOLUME = "dshm"  # the volume at /dev/shm
# RDMA pins the memory that it reads and writes, beyond what a process may lock without it.
LOCK_MEMORY = "IPC_LOCK"
# Key of a Secret with an SSH key: https://kubernetes.io/docs/concepts/configuration/secret/#ssh-authentication-secrets
PRIVATE_KEY = "ssh-privatekey"


class Volume(Record):
    """Volume; `source` is Kubernetes' description of its kind."""

    name: str
    kind: str
    source: dict[str, Any]
    origin: Span | None = None


class Files(Record):
    """Text files in a ConfigMap of this name, created with the job."""

    name: str
    texts: dict[str, str]


class FileProblem(Record):
    """Why a local file can't be used, and what to do."""

    message: str
    help: str
    where: Span


class FileMap(Record):
    """Local files of a volume in a ConfigMap, created with the job; `size` counts also what was not read."""

    name: str
    volume: str
    contents: dict[str, bytes]
    size: int
    problems: tuple[FileProblem, ...]
    origin: Span


class Claim(Record):
    """PersistentVolumeClaim created with the job. Size in bytes, as a quantity."""

    name: str
    size: str
    access_mode: str
    storage_class: str | None


class Program(Record):
    """Command and arguments of the training container: the launcher's, then the program's."""

    command: tuple[str, ...]
    args: tuple[Arg, ...]


class Colocation(Record):
    """All pods of the job on nodes with the same value of a label, required or preferred."""

    key: str
    required: bool


class Placement(Record):
    """Placement of the pods: Kubernetes' fields, and rules between the pods of the job."""

    node_selector: dict[str, str] | None = None
    affinity: dict[str, Any] | None = None
    tolerations: list[dict[str, Any]] | None = None
    topology_spread_constraints: list[dict[str, Any]] | None = None
    priority_class_name: str | None = None
    scheduler_name: str | None = None
    one_a_node: bool = False
    colocation: Colocation | None = None


class InitCommand(Record):
    """Command that must succeed before the program starts, in an init container with the program's image."""

    name: str
    command: tuple[str, ...]
    mounts: tuple[Mount, ...] = ()


class DeviceClaim(Record):
    """Claim of devices of the training container. `source` is the pod's reference to it, in Kubernetes' form."""

    name: str
    source: dict[str, str]
    request: str | None = None
    origin: Span | None = None


class Security(Record):
    """Security contexts in Kubernetes' form: of the pod, its training container and each other container of trainc."""

    pod: dict[str, Any]
    main: dict[str, Any]
    others: dict[str, Any]


class PodPlan(Record):
    """Pod of a role, the same for each worker except for its pod facts. Times in seconds.

    `host_network` is the position of the field that puts the pod on its node's network, None if it isn't there.
    A pod with `ready` is ready when something listens on that port. `annotations` are in addition to the job's.
    `sidecars` are init containers in Kubernetes' form that run until the pod ends. They and the annotations belong to
    the fabric, as the volumes with names in `fabric_volumes`: a pod without devices has none of them.
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
    security: Security
    host_network: Span | None
    ports: tuple[Port, ...]
    ready: Port | None
    volumes: tuple[Volume, ...]
    mounts: tuple[Mount, ...]
    init_commands: tuple[InitCommand, ...]
    placement: Placement
    termination_grace_period_seconds: int | None
    patch: Mapping | None
    annotations: dict[str, str] = {}
    sidecars: tuple[dict[str, Any], ...] = ()
    device_claims: tuple[DeviceClaim, ...] = ()
    fabric_volumes: tuple[str, ...] = ()
