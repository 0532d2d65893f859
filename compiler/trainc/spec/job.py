"""The whole job."""

from __future__ import annotations

from typing import Any, Literal

from trainc.source.node import Mapping, Node
from trainc.spec.elastic import Elastic, read_elastic
from trainc.spec.env import EnvVar, read_env, read_env_from
from trainc.spec.launch import Launch, read_launch
from trainc.spec.lifecycle import Lifecycle, read_lifecycle
from trainc.spec.mode import Mode, read_mode, resumed, resumption
from trainc.spec.network import Network, read_network
from trainc.spec.resources import Resources, read_resources
from trainc.spec.scheduling import Scheduling, read_scheduling
from trainc.spec.section import Section, anything, flag, mapping, number, quantity, text, texts, words
from trainc.spec.storage import CHECKPOINT, SAVE, SHARE_FILE, StoredPath, read_stored_path
from trainc.spec.volumes import Volume, read_volumes

RunKind = Literal["python", "module", "exec", "entrypoint"]


class Metadata(Section):
    """Name and marks of the job."""

    name: str
    namespace: str | None
    labels: dict[str, str]
    annotations: dict[str, str]


class Run(Section):
    """The program, first word first; of the image's own entrypoint the arguments."""

    kind: RunKind
    words: tuple[str, ...]


class TrainingJob(Section):
    """A job as it was written. `node` is its `spec`."""

    metadata: Metadata
    image: str
    image_pull_policy: str | None
    image_pull_secrets: list[dict[str, str]]
    launch: Launch
    run: Run
    workers: int
    working_dir: str | None
    resources: Resources
    shared_memory: str | Literal[False] | None
    elastic: Elastic | None
    env: tuple[EnvVar, ...]
    env_from: tuple[dict[str, Any], ...]
    volumes: tuple[Volume, ...]
    checkpoint: StoredPath | None
    save: StoredPath | None
    share_file: StoredPath | None
    mode: Mode
    lifecycle: Lifecycle
    scheduling: Scheduling
    network: Network | None
    pod_template: Mapping | None


def read_job(document: Node) -> TrainingJob:
    """The typed job of a document that the schema accepts."""
    assert isinstance(document, Mapping)
    metadata, node = mapping(document, "metadata"), mapping(document, "spec")
    assert metadata is not None
    assert node is not None
    changes, before = resumption(node), None
    if changes:
        before, node = node, resumed(node, changes)
    launch, run = mapping(node, "launch"), mapping(node, "run")
    name, volumes = text(metadata, "name") or "", read_volumes(node)
    assert launch is not None
    assert run is not None
    kind: Any = next(iter(run.entries))  # the one key that the schema leaves is a RunKind
    return TrainingJob(
        node=node,
        metadata=Metadata(
            node=metadata,
            name=name,
            namespace=text(metadata, "namespace"),
            labels=texts(metadata, "labels"),
            annotations=texts(metadata, "annotations"),
        ),
        image=text(node, "image") or "",
        image_pull_policy=text(node, "imagePullPolicy"),
        image_pull_secrets=anything(node, "imagePullSecrets") or [],
        launch=read_launch(launch),
        run=Run(node=run, kind=kind, words=words(run, kind)),
        workers=number(node, "workers") or 1,
        working_dir=text(node, "workingDir"),
        resources=read_resources(node),
        shared_memory=False if flag(node, "sharedMemory") is False else quantity(node, "sharedMemory"),
        elastic=read_elastic(node),
        env=read_env(node),
        env_from=read_env_from(node),
        volumes=volumes,
        checkpoint=read_stored_path(node, CHECKPOINT, name, volumes),
        save=read_stored_path(node, SAVE, name, volumes),
        share_file=read_stored_path(node, SHARE_FILE, name, volumes),
        mode=read_mode(node, before),
        lifecycle=read_lifecycle(node),
        scheduling=read_scheduling(node),
        network=read_network(node),
        pod_template=mapping(node, "podTemplate"),
    )
