"""Typed job, as the file states it: `TrainingJob` with its sections, which have a file each."""

from __future__ import annotations

from trainc.source.node import Mapping, Node
from trainc.spec.launch import Launch, read_launch
from trainc.spec.lifecycle import Elastic, Lifecycle, Mode, has_changes, resume
from trainc.spec.scheduling import Scheduling
from trainc.spec.section import Quantity, Section, field, flag, inside, only_key, quantity, words
from trainc.spec.storage import Checkpoint, Save, ShareFile, Volume
from trainc.spec.worker import EnvVar, LauncherPod, Network, Resources, read_env
from trainc.typenames import Any, Literal

RunKind = Literal["python", "module", "exec", "entrypoint"]


class Metadata(Section):
    """Name, labels and annotations of the job."""

    name: str
    namespace: str | None
    labels: dict[str, str]
    annotations: dict[str, str]


class Run(Section):
    """Program with its arguments; for `entrypoint` the arguments only."""

    kind: RunKind = field(only_key)
    words: tuple[str, ...] = field(lambda node, _: words(node, only_key(node)))


def _shared_memory(node: Mapping, name: str) -> Any:
    return False if flag(node, name) is False else quantity(node, name)


class TrainingJob(Section):
    """Job as the file states it. `node` is its `spec`.

    `paused_spec` is the spec of a job with `mode.paused` or `mode.resumed`, without their changes.
    """

    metadata: Metadata
    paused_spec: Mapping | None
    image: str
    image_pull_policy: str | None
    image_pull_secrets: list[dict[str, Any]]
    launch: Launch = field(read_launch)
    run: Run
    workers: int = 1
    working_dir: str | None
    security_context: dict[str, Any] | None
    pod_security: Literal["baseline", "restricted"] | None
    resources: Resources
    launcher_pod: LauncherPod | None
    shared_memory: Quantity | Literal[False] | None = field(_shared_memory)
    elastic: Elastic | None
    env: tuple[EnvVar, ...] = field(read_env)
    env_from: list[dict[str, Any]]
    volumes: tuple[Volume, ...]
    checkpoint: Checkpoint | None
    save: Save | None
    share_file: ShareFile | None
    mode: Mode
    lifecycle: Lifecycle
    scheduling: Scheduling
    network: Network | None
    cluster: str | None
    pod_template: Mapping | None


def read_job(document: Node) -> TrainingJob:
    """Return the typed job of a document that the schema accepts."""
    assert isinstance(document, Mapping)
    node = inside(document, "spec")
    job = TrainingJob.read(
        resume(node) or node,
        metadata=Metadata.read(inside(document, "metadata")),
        paused_spec=node if has_changes(node) else None,
    )
    stored = {"checkpoint": job.checkpoint, "save": job.save, "share_file": job.share_file}
    located = {name: path.located(job.metadata.name, job.volumes) for name, path in stored.items() if path}
    return job.replace(**located) if located else job
