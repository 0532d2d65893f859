"""Facts about a public job and about the manifests that its translation compiles to, for comparison."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Template
from typing import Any

import yaml

from tests.support.examples import ROOT, canonical_json
from tests.support.operator_pods import operator_pods
from trainc.plan.models import native_objects, operator

Fact = tuple[str, ...]
Object = dict[str, Any]

VARIABLE = re.compile(r"^#\s+export (.+)$", re.MULTILINE)


def corpus_folder() -> Path | None:
    """Return the folder of public jobs: ../shared/corpus next to the checkout, or TRAINC_CORPUS."""
    for folder in (ROOT.parent / "shared" / "corpus", Path(os.environ.get("TRAINC_CORPUS") or os.devnull)):
        if folder.is_dir():
            return folder
    return None


def read_jobs(file: Path) -> list[Object]:
    """Return the jobs of a file, also those in AppWrappers, with the variables that its comments set."""
    text = file.read_text("utf-8")
    values = dict(
        assignment.split("=", 1)
        for line in VARIABLE.findall(text)
        for assignment in line.partition("#")[0].split()
        if "=" in assignment
    )
    result = []
    for document in yaml.safe_load_all(Template(text).safe_substitute(values)):
        if document["kind"] == "AppWrapper":
            labels = document["metadata"].get("labels", {})
            for component in document["spec"]["components"]:
                inner = component["template"]
                inner["metadata"]["labels"] = {**labels, **inner["metadata"].get("labels", {})}
                result.append(inner)
        elif document["kind"] in ("PyTorchJob", "DeepSpeedJob"):
            result.append(document)
    return result


def job_facts(job: Object) -> tuple[set[Fact], list[str]]:
    """Return the facts of a job, and the arguments in their order."""
    spec = job["spec"]
    facts: set[Fact] = {("name", job["metadata"]["name"])}
    facts |= {("job label", name, value) for name, value in job["metadata"].get("labels", {}).items()}
    if job["kind"] == "DeepSpeedJob":
        config, roles = spec.get("config", {}), [spec["worker"]]
        if "slotsPerWorker" in config:
            facts.add(("processes", str(config["slotsPerWorker"])))
        arguments = [*config.get("otherArgs", []), *config.get("run", {}).get("python", [])]
    elif job["kind"] == "PyTorchTrainingJob":
        roles, arguments = spec["replicaSpecs"], _command_line(spec["replicaSpecs"][0]["template"])
        if "torchrunConfig" in spec:
            facts.add(("processes", spec["torchrunConfig"]["procPerNode"]))
            arguments = arguments[arguments[:1] == ["python"] :]
    else:
        roles = list(spec["pytorchReplicaSpecs"].values())
        lines = [_command_line(role["template"]) for role in roles]
        arguments = lines[0]
        facts |= {("argument", argument) for line in lines for argument in line}
        facts |= {("restart", role.get("restartPolicy", "OnFailure")) for role in roles}
        facts |= set(_elastic(spec.get("elasticPolicy", {})))
        if "nprocPerNode" in spec:
            facts.add(("processes", str(spec["nprocPerNode"])))
    facts.add(("replicas", str(sum(role["replicas"] for role in roles))))
    for role in roles:
        facts |= set(_of_pod(role["template"]))
    return facts | {("argument", argument) for argument in arguments}, arguments


def manifest_facts(objects: Iterable[Object]) -> tuple[set[Fact], list[str]]:
    """Return the facts of manifests, and the arguments in their order."""
    facts: set[Fact] = set()
    arguments: list[str] = []
    pod_count = 0
    for resource in _with_pods(objects):
        if resource["kind"] in ("Service", "PodGroup", "TrainingRuntime"):
            continue
        if resource["kind"] == "DeepSpeedJob":
            return job_facts(resource)
        labels, spec = resource["metadata"]["labels"], resource["spec"]
        template = resource if resource["kind"] == "Pod" else spec["template"]
        pod_count += 1 if resource["kind"] == "Pod" else spec.get("completions") or spec["replicas"]
        container, arguments = template["spec"]["containers"][0], _command_line(template)
        facts |= {("name", labels["trainc.dev/job"]), ("restart", template["spec"].get("restartPolicy", "Always"))}
        facts |= {("job label", name, value) for name, value in labels.items()}
        facts |= {("argument", argument) for argument in arguments}
        facts |= set(_of_pod(template))
        facts |= {("processes", count) for count in _processes(container, arguments)}
    return facts | {("replicas", str(pod_count))}, arguments


def is_subsequence(values: Iterable[str], sequence: Iterable[str]) -> bool:
    """Return whether a sequence contains values in their order."""
    rest = iter(sequence)
    return all(value in rest for value in values)


def _with_pods(objects: Iterable[Object]) -> Iterator[Object]:
    """Yield the objects; a custom resource is replaced by the pods and Jobs that its operator creates."""
    objects = list(objects)
    runtimes = [resource for resource in objects if resource["kind"] == "TrainingRuntime"]
    for resource in objects:
        if operator(resource) is None or resource["kind"] == "DeepSpeedJob":
            yield resource
            continue
        created_objects = native_objects([*runtimes, resource])
        jobs = [each for each in created_objects if (each["apiVersion"], each["kind"]) == ("batch/v1", "Job")]
        for created in (*operator_pods(resource), *jobs):
            labels = {**resource["metadata"]["labels"], **created["metadata"]["labels"]}
            yield {**created, "metadata": {**created["metadata"], "labels": labels}}


def _elastic(policy: Object) -> Iterator[Fact]:
    """Yield the variables that the operator sets for an elastic policy."""
    if policy:
        yield "env", "PET_RDZV_BACKEND", canonical_json(policy["rdzvBackend"])
        yield "env", "PET_RDZV_ENDPOINT", canonical_json(f"{policy['rdzvHost']}:{policy['rdzvPort']}")
        yield "env", "PET_NNODES", canonical_json(f"{policy['minReplicas']}:{policy['maxReplicas']}")
        yield "env", "PET_MAX_RESTARTS", canonical_json(str(policy["maxRestarts"]))


def _command_line(template: Object) -> list[str]:
    container = template["spec"]["containers"][0]
    return [*container.get("command", []), *container.get("args", [])]


def _processes(container: Object, arguments: list[str]) -> Iterator[str]:
    for variable in container.get("env", []):
        if variable["name"] == "PET_NPROC_PER_NODE":
            yield variable["value"]
    for argument in arguments:
        if argument.startswith("--world_info="):
            world = json.loads(base64.urlsafe_b64decode(argument.partition("=")[2]))
            yield from {str(len(slots)) for slots in world.values()}


def _of_pod(template: Object) -> Iterator[Fact]:
    metadata, spec = template.get("metadata", {}), template["spec"]
    container = spec["containers"][0]
    yield "image", container["image"]
    for field in ("imagePullPolicy", "workingDir", "securityContext"):
        if field in container:
            yield field, canonical_json(container[field])
    for section, original in container.get("resources", {}).items():
        yield from ((section, name, str(quantity)) for name, quantity in original.items())
    for variable in container.get("env", []):
        yield "env", variable["name"], canonical_json(variable.get("value", variable.get("valueFrom")))
    sources = {volume["name"]: {**volume, "name": None} for volume in spec.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        yield "mount", canonical_json(sources[mount["name"]]), canonical_json({**mount, "name": None})
    for kind, original in (("annotation", metadata.get("annotations")), ("label", metadata.get("labels"))):
        yield from ((kind, name, value) for name, value in (original or {}).items())
    for field in ("nodeSelector", "schedulerName", "priorityClassName"):
        if field in spec:
            yield field, canonical_json(spec[field])
    yield from (("toleration", canonical_json(toleration)) for toleration in spec.get("tolerations", []))
