"""Small jobs for tests: the fields of `spec` that matter, the rest filled in."""

from __future__ import annotations

import json
from typing import Any

from trainc.emit.render import render
from trainc.ir.env import EnvVar, PodFact
from trainc.ir.job import Job
from trainc.lower.job import lower
from trainc.source.load import load
from trainc.span import Source
from trainc.spec.document import read
from trainc.spec.job import TrainingJob
from trainc.systems.registry import NAMES, backend, traits
from trainc.target import Target

BASIC: dict[str, Any] = {"image": "image:1", "launch": {"basic": {}}, "run": {"python": ["train.py"]}}
TARGET = Target()
# Back ends whose objects an operator reads, which makes names, Services and groups of its own; and the others.
OPERATOR_BACKENDS = ("pytorchjob", "deepspeedjob", "elasticjob")
# Back ends for every launcher; a DeepSpeedJob's operator starts deepspeed alone.
ANY_LAUNCHER_BACKENDS = tuple(name for name in NAMES if not traits(name).starts_launcher)
NATIVE_BACKENDS = tuple(name for name in NAMES if name not in OPERATOR_BACKENDS)


def job_text(metadata: dict[str, Any] | None = None, **spec: Any) -> str:
    """A job as text: BASIC with these fields of spec; the name is mnist."""
    document = {
        "apiVersion": "trainc.dev/v1alpha1",
        "kind": "TrainingJob",
        "metadata": {"name": "mnist", **(metadata or {})},
        "spec": {**BASIC, **spec},
    }
    return json.dumps(document, indent=1)


def parse_job(metadata: dict[str, Any] | None = None, **spec: Any) -> TrainingJob:
    """The job as the user wrote it; the schema must accept it."""
    documents, problems = load(Source("job.yaml", job_text(metadata, **spec)))
    assert problems == []
    found = read(documents[0])
    assert isinstance(found, TrainingJob), found
    return found


def lower_job(metadata: dict[str, Any] | None = None, target: Target = TARGET, **spec: Any) -> Job:
    """What runs."""
    return lower(parse_job(metadata, **spec), target)


def lower_torchrun_job(options: dict[str, Any] | None = None, target: Target = TARGET, **spec: Any) -> Job:
    """What runs with launch.torchrun."""
    return lower_job(target=target, launch={"torchrun": options or {}}, **spec)


def compile_objects(
    name: str, metadata: dict[str, Any] | None = None, target: Target = TARGET, **spec: Any
) -> list[dict[str, Any]]:
    """The objects that a back end makes of a job, in order."""
    planned = backend(name).objects(lower_job(metadata, target, **spec), target)
    return [manifest.data() for manifest in render(planned)]


def job_env(job: Job) -> dict[str, str | PodFact | dict[str, Any]]:
    """The environment of the training container by name, each name once."""
    found: dict[str, str | PodFact | dict[str, Any]] = {}
    for variable in job.pod.env:
        assert isinstance(variable, EnvVar)
        assert variable.name not in found
        found[variable.name] = variable.value
    return found


def pod_template(manifest: dict[str, Any]) -> dict[str, Any]:
    """Labels and spec of the pods that an object makes, which is itself when it is a Pod."""
    found: dict[str, Any] = manifest if manifest["kind"] == "Pod" else worker_spec(manifest)["template"]
    return found


def worker_spec(manifest: dict[str, Any]) -> dict[str, Any]:
    """The part of an object that holds the template of its pods and their number; of an operator's its workers."""
    spec: dict[str, Any] = manifest["spec"]
    of: dict[str, Any] = {
        "PyTorchJob": spec.get("pytorchReplicaSpecs", {}).get("Worker"),
        "ElasticJob": spec.get("replicaSpecs", {}).get("Worker"),
        "DeepSpeedJob": spec.get("worker"),
    }
    found: dict[str, Any] = of.get(manifest["kind"], spec)
    return found


def training_container(manifest: dict[str, Any]) -> dict[str, Any]:
    """The training container of an object."""
    found: dict[str, Any] = pod_template(manifest)["spec"]["containers"][0]
    names = {"PyTorchJob": "pytorch", "ElasticJob": "elasticjob-worker", "DeepSpeedJob": "worker"}
    assert found["name"] == names.get(manifest["kind"], "main")
    return found
