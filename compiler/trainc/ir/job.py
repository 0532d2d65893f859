"""Lowered job: workers, their launch and names, failure, storage and scheduling."""

from __future__ import annotations

from trainc.ir.env import Arg
from trainc.ir.launch import Hosts, Launch
from trainc.ir.pod import Claim, FileMap, Files, PodPlan, Port, Program
from trainc.record import Record
from trainc.span import Span, Text
from trainc.typenames import Any


class Replicas(Record):
    """Number of workers: at least minimum, at most maximum, and at the start initial."""

    minimum: int
    initial: int
    maximum: int

    @property
    def elastic(self) -> bool:
        """Return whether the number can change."""
        return self.minimum != self.maximum


class HeadlessService(Record):
    """Headless Service for peer discovery: a worker is `<host>.<name>` for all of the namespace.

    With `leader_alias` worker 0 is also reached by its bare name, `first`.
    """

    name: str
    first: str
    ports: tuple[Port, ...]
    leader_alias: bool


class Etcd(Record):
    """etcd server for the rendezvous, created with the job."""

    name: str
    port: int
    image: str


class Scaling(Record):
    """Metrics and behavior of the autoscaler, as in autoscaling/v2."""

    metrics: list[dict[str, Any]]
    behavior: dict[str, Any] | None
    origin: Span | None = None


class Queue(Record):
    """Queue for quota, and the priority class in it."""

    name: str
    priority_class: str | None


class Gang(Record):
    """Gang: at least `minimum` pods start together or none. `version` is the minor version of Kubernetes, whose own
    gangs differ between versions; `priority` is the gang's in its queue, from 0 to 100."""

    scheduler: str
    minimum: int
    queue: str | None
    priority: int | None
    version: int


class ComputeDomain(Record):
    """Nodes whose GPUs share memory over NVLink. `nodes` is their number, 0 if it isn't fixed.

    Its controller creates the template `claim_template`, by which each pod claims a channel.
    """

    name: str
    claim_template: str
    nodes: int
    origin: Span


class Runtime(Record):
    """Runtime of Kubeflow Trainer that exists in the cluster."""

    kind: str
    name: str


class Failure(Record):
    """Failure limits of the job. Times in seconds.

    `backoff_limit` counts the failures of all pods, `backoff_limit_per_index` those of each worker; at least one is
    set unless the operator has the default. Exit codes of the training container in `fatal` fail the job; if `unless`
    is set, all codes but these do. With `restarts_together` all workers restart after a failure, which counts once.
    """

    backoff_limit: int | None
    backoff_limit_per_index: int | None
    fatal: tuple[int, ...]
    unless: tuple[int, ...]
    active_deadline_seconds: int | None
    restart_policy: str | None
    restarts_together: bool


class LauncherCommand(Record):
    """Arguments of a launcher that an operator starts.

    `kind` is python, module or exec, `slots` the processes on each worker, `flags` further arguments before the
    program. With `exports_env` the launcher passes the container's variables on to the processes. `head_flags` and
    `worker_flags` are further arguments on worker 0 and on the others, of a launcher that the operator starts on all.
    """

    kind: str
    words: tuple[Arg, ...]
    slots: int
    local_rank: bool
    autotune: str
    exports_env: bool
    flags: tuple[str, ...]
    head_flags: tuple[str, ...] = ()
    worker_flags: tuple[str, ...] = ()


class LauncherPod(Record):
    """Pod that starts the processes of all workers over ssh. It differs from the workers in these fields only.

    The keys of ssh are in `ssh_folder` of all pods.
    """

    program: Program
    requests: dict[str, str]
    limits: dict[str, str]
    mpi_implementation: str
    ssh_folder: str


class RunMode(Record):
    """Changes of the pods in a mode that the operator implements. Without a command, the operator's default."""

    command: tuple[str, ...]
    skip_init_containers: bool


class Addition(Record):
    """Words that trainc adds to the program's command line, and the field that adds them."""

    words: str
    field: str
    is_launcher: bool = False


class Job(Record):
    """Job with all defaults.

    With `leader_decides`, worker 0's success completes the job, because others may never have started; with
    `has_leader_role` worker 0 is also a role of its own. A paused job has names and storage, but no pods. With
    `ends_itself`, worker 0 deletes the objects that would restart it after a success, by the service account `account`
    (None: a new one). A job with a queue starts when it has quota. `clean_pod_policy` selects the pods to delete when
    the job has finished; None is the back end's default. The Secret `key_secret` has the SSH key of the pods.
    `launcher_pod` is for systems that have one, and `pod` then is that of a worker, which runs sshd.
    `launcher_command`, `debug` and `resume` are for operators that start the launcher, idle pods, or the pods of a
    paused job. `slices` are the slices of TPUs, each with as many workers. `additions` are in the order of the command
    line. `debug_command` starts the program of a job in mode debug by hand.
    """

    name: str
    namespace: str | None
    labels: dict[str, str]
    annotations: dict[str, str]
    role: str
    replicas: Replicas
    pod: PodPlan
    launcher_pod: LauncherPod | None
    launch: Launch
    slices: int
    hosts: Hosts
    headless_service: HeadlessService | None
    etcd: Etcd | None
    scaling: Scaling | None
    failure: Failure
    leader_decides: bool
    has_leader_role: bool
    clean_pod_policy: str | None
    ttl_seconds_after_finished: int | None
    claims: tuple[Claim, ...]
    queue: Queue | None
    gang: Gang | None
    runtime: Runtime | None
    files: Files | None
    file_maps: tuple[FileMap, ...]
    compute_domain: ComputeDomain | None
    key_secret: str | None
    launcher_command: LauncherCommand | None
    debug: RunMode | None
    resume: RunMode | None
    debug_command: str
    paused: bool
    ends_itself: bool
    account: str | None
    additions: tuple[Addition, ...]
    origin: Span

    @property
    def added_words(self) -> str:
        """Additions for people; empty if trainc adds only the launcher that the file names."""
        if all(addition.is_launcher for addition in self.additions):
            return ""
        return "; ".join(f"{addition.words} ({addition.field})" for addition in self.additions)

    @property
    def most_workers(self) -> int:
        """Largest number of workers unless a user scales the job."""
        return self.replicas.maximum if self.scaling else self.replicas.initial


class EtcdServer(Record):
    """etcd server in the input: the names of its Services, its image, and whether its options turn on the v2 API."""

    hosts: tuple[str, ...]
    image: Text
    enables_v2: bool

    def serves(self, host: str) -> bool:
        """Return whether a host is the name of one of the Services, with or without a namespace and domain."""
        return host.partition(".")[0] in self.hosts


class InputObjects(Record):
    """Objects of the input that are no jobs: etcd servers, and the texts of ConfigMaps by name and key."""

    servers: tuple[EtcdServer, ...] = ()
    config_maps: dict[str, dict[str, Text]] = {}
