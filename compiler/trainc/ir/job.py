"""A job to run: a role of workers, how they find each other, and when it has failed or is done."""

from __future__ import annotations

from typing import Any

from trainc.ir.env import Arg
from trainc.ir.hosts import Hosts
from trainc.ir.launch import Launch
from trainc.ir.pod import Claim, Files, PodPlan, Port
from trainc.record import Record
from trainc.span import Span


class Replicas(Record):
    """How many workers: never fewer than minimum, never more than maximum, initial at the start."""

    minimum: int
    initial: int
    maximum: int

    @property
    def elastic(self) -> bool:
        """Whether the number may change."""
        return self.minimum != self.maximum


class HeadlessService(Record):
    """Stable names: worker i is `<stem>-<i>`, and `<stem>-<i>.<stem>` for all of the namespace.

    With `leader_alias` worker 0 is also reached by its bare name `<stem>-0`.
    """

    stem: str
    ports: tuple[Port, ...]
    leader_alias: bool


class Etcd(Record):
    """A server that keeps the rendezvous, made with the job."""

    name: str
    port: int
    image: str


class Scaling(Record):
    """By what the number of workers is changed while they run (autoscaling/v2's forms)."""

    metrics: list[dict[str, Any]]
    behavior: dict[str, Any] | None
    origin: Span | None = None


class Queue(Record):
    """Where the job waits for its quota, and the class of jobs that says before which others."""

    name: str
    priority_class: str | None


class Gang(Record):
    """The pods start together or not at all, at least `minimum` of them. `version` is the minor one of Kubernetes,
    whose own gangs differ from version to version. `priority` is the gang's in its queue, from 0 to 100."""

    scheduler: str
    minimum: int
    queue: str | None
    priority: int | None
    version: int


class Failure(Record):
    """When the job has failed. Times in seconds.

    At least one of the limits is given, where they aren't left to an operator: for the failures of all pods together,
    and for those of each worker. Of the exit codes of the training container, `fatal` ones end the job; with `unless`
    all others do.
    """

    backoff_limit: int | None
    backoff_limit_per_index: int | None
    fatal: tuple[int, ...]
    unless: tuple[int, ...]
    active_deadline_seconds: int | None
    restart_policy: str | None


class LauncherCommand(Record):
    """What the `deepspeed` command is told, where not trainc but an operator writes and starts it.

    `kind` is python, module or exec, `slots` the processes on each worker, `flags` what else goes before the program.
    """

    kind: str
    words: tuple[Arg, ...]
    slots: int
    local_rank: bool
    autotune: str
    flags: tuple[str, ...]


class DebugMode(Record):
    """The pods come up and wait: by this command, or without one as their operator has them wait."""

    command: tuple[str, ...]
    skip_init_containers: bool


class Job(Record):
    """The whole plan. `leader_decides`: the job is done when worker 0 is, others may never have started.
    `has_leader_role`: and it has a name of its own, because the back end knows it as another role.

    A paused job has its names and storage and runs nothing. With `ends_itself` a worker 0 that has ended well
    takes down what would start it again, as the service account `account`. One with a queue starts when there is
    quota for it.
    Of the pods of a finished job `clean_pod_policy` says which go; None leaves that to the back end.
    The Secret `key_secret` holds the key by which its pods reach each other.
    `launcher_command` and `debug` are for operators that start the program, or have the pods wait, themselves.
    """

    name: str
    namespace: str | None
    labels: dict[str, str]
    annotations: dict[str, str]
    role: str
    replicas: Replicas
    pod: PodPlan
    launch: Launch
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
    files: Files | None
    key_secret: str | None
    launcher_command: LauncherCommand | None
    debug: DebugMode | None
    paused: bool
    ends_itself: bool
    account: str
    origin: Span
