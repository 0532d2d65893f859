"""Small jobs for tests: the fields of `spec` that matter, the rest filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from trainc.driver import manifests
from trainc.emit.manifest import to_yaml
from trainc.emit.render import render
from trainc.ir.env import EnvVar, PodFact
from trainc.ir.job import Job
from trainc.lower.job import lower
from trainc.source.load import load
from trainc.span import Source
from trainc.spec.document import read
from trainc.spec.job import TrainingJob
from trainc.systems.registry import NAMES, traits
from trainc.systems.shared.objects.backend import backend
from trainc.target import Target

BASIC: dict[str, Any] = {"image": "image:1", "launch": {"basic": {}}, "run": {"python": ["train.py"]}}
TARGET = Target()
# Back ends for every launcher: the operator of a DeepSpeedJob starts only deepspeed, a launcher pod cannot torchrun.
ANY_LAUNCHER_BACKENDS = tuple(
    name for name in NAMES if not traits(name).starts_launcher and not traits(name).has_launcher_pod
)
# Back ends without an operator, which would create names, Services and pod groups of its own.
NATIVE_BACKENDS = tuple(name for name in NAMES if not traits(name).operator)


def job_text(metadata: dict[str, Any] | None = None, **spec: Any) -> str:
    """Return a job named mnist: BASIC with fields of `spec` and of `metadata` replaced."""
    document = {
        "apiVersion": "trainc.dev/v1alpha1",
        "kind": "TrainingJob",
        "metadata": {"name": "mnist", **(metadata or {})},
        "spec": {**BASIC, **spec},
    }
    return json.dumps(document, indent=1)


def emit(text: str, backend: str) -> str:
    """Return the manifests of a job file, also of a job that rules reject."""
    (document,), problems = load(Source("job.yaml", text))
    job = read(document)
    assert isinstance(job, TrainingJob), (problems, job)
    return to_yaml(manifests(job, Target(backend=backend)))


def parse_job(metadata: dict[str, Any] | None = None, **spec: Any) -> TrainingJob:
    """Return a job as the user wrote it; the schema must accept it."""
    documents, problems = load(Source("job.yaml", job_text(metadata, **spec)))
    assert problems == []
    job = read(documents[0])
    assert isinstance(job, TrainingJob), job
    return job


def lower_job(metadata: dict[str, Any] | None = None, target: Target = TARGET, **spec: Any) -> Job:
    """Return the lowered job."""
    return lower(parse_job(metadata, **spec), target)


def lower_torchrun_job(options: dict[str, Any] | None = None, target: Target = TARGET, **spec: Any) -> Job:
    """Return the lowered job with `launch.torchrun`."""
    return lower_job(target=target, launch={"torchrun": options or {}}, **spec)


def compile_objects(
    name: str, metadata: dict[str, Any] | None = None, target: Target = TARGET, **spec: Any
) -> list[dict[str, Any]]:
    """Return the objects that a back end emits for a job, in order."""
    if traits(name).has_launcher_pod:
        target = target.replace(backend=name)
    objects = backend(name).objects(lower_job(metadata, target, **spec), target)
    return [manifest.data() for manifest in render(objects)]


def job_env(job: Job) -> dict[str, str | PodFact | dict[str, Any]]:
    """Return the environment of the training container by name; each name must occur once."""
    variables: dict[str, str | PodFact | dict[str, Any]] = {}
    for variable in job.pod.env:
        assert isinstance(variable, EnvVar)
        assert variable.name not in variables
        variables[variable.name] = variable.value
    return variables


def pod_template(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the pod template of an object; a Pod is its own template."""
    template: dict[str, Any] = manifest if manifest["kind"] == "Pod" else worker_spec(manifest)["template"]
    return template


def workers_of(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the last object that has the workers' pods: of a TrainJob its runtime, which precedes it."""
    return objects[-2] if objects[-1]["kind"] == "TrainJob" else objects[-1]


def worker_spec(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the part of an object that contains its pod template and the number of pods: of several the workers'."""
    return [*pod_owners(manifest)][-1]


def pod_owners(manifest: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of an object that contain a pod template, in order: an operator's roles."""
    if isinstance(manifest, list):
        for item in manifest:
            yield from pod_owners(item)
    elif isinstance(manifest, dict) and "containers" in manifest.get("template", {}).get("spec", {}):
        yield manifest
    elif isinstance(manifest, dict):
        for value in manifest.values():
            yield from pod_owners(value)


def training_container(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the training container of an object."""
    container: dict[str, Any] = pod_template(manifest)["spec"]["containers"][0]
    names = {"PyTorchJob": "pytorch", "ElasticJob": "elasticjob-worker", "DeepSpeedJob": "worker"}
    names["TrainingRuntime"] = "node"
    assert container["name"] == names.get(manifest["kind"], "main")
    return container
