"""Facts about a public PyTorchJob or DeepSpeedJob and about what a translation of it compiles to, to be compared."""

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

from tests.support.examples import ROOT, canonical
from tests.support.operated import pods
from trainc.plan.models import operator

Fact = tuple[str, ...]
Object = dict[str, Any]

VARIABLE = re.compile(r"^#\s+export (.+)$", re.MULTILINE)


def corpus() -> Path | None:
    """The folder with the originals: beside the checkout, or named by TRAINC_CORPUS."""
    for folder in (ROOT.parent / "shared" / "corpus", Path(os.environ.get("TRAINC_CORPUS") or os.devnull)):
        if folder.is_dir():
            return folder
    return None


def jobs_in(file: Path) -> list[Object]:
    """The PyTorchJobs and DeepSpeedJobs of a file, out of their AppWrapper, with the variables of its comments."""
    text = file.read_text("utf-8")
    values = dict(
        assignment.split("=", 1)
        for line in VARIABLE.findall(text)
        for assignment in line.partition("#")[0].split()
        if "=" in assignment
    )
    found = []
    for document in yaml.safe_load_all(Template(text).safe_substitute(values)):
        if document["kind"] == "AppWrapper":
            labels = document["metadata"].get("labels", {})
            for component in document["spec"]["components"]:
                inner = component["template"]
                inner["metadata"]["labels"] = {**labels, **inner["metadata"].get("labels", {})}
                found.append(inner)
        elif document["kind"] in ("PyTorchJob", "DeepSpeedJob"):
            found.append(document)
    return found


def of_original(job: Object) -> tuple[set[Fact], list[str]]:
    """Facts, and the words of the command line in their order."""
    spec = job["spec"]
    facts: set[Fact] = {("name", job["metadata"]["name"])}
    facts |= {("job label", name, value) for name, value in job["metadata"].get("labels", {}).items()}
    if job["kind"] == "DeepSpeedJob":
        config, roles = spec.get("config", {}), [spec["worker"]]
        if "slotsPerWorker" in config:
            facts.add(("processes", str(config["slotsPerWorker"])))
        words = [*config.get("otherArgs", []), *config.get("run", {}).get("python", [])]
    elif job["kind"] == "PyTorchTrainingJob":
        roles, words = spec["replicaSpecs"], _command_line(spec["replicaSpecs"][0]["template"])
        if "torchrunConfig" in spec:
            facts.add(("processes", spec["torchrunConfig"]["procPerNode"]))
            words = words[words[:1] == ["python"] :]
    else:
        roles = list(spec["pytorchReplicaSpecs"].values())
        lines = [_command_line(role["template"]) for role in roles]
        words = lines[0]
        facts |= {("word", word) for line in lines for word in line}
        facts |= {("restart", role.get("restartPolicy", "OnFailure")) for role in roles}
        facts |= set(_elastic(spec.get("elasticPolicy", {})))
        if "nprocPerNode" in spec:
            facts.add(("processes", str(spec["nprocPerNode"])))
    facts.add(("replicas", str(sum(role["replicas"] for role in roles))))
    for role in roles:
        facts |= set(_of_pod(role["template"]))
    return facts | {("word", word) for word in words}, words


def of_compiled(objects: Iterable[Object]) -> tuple[set[Fact], list[str]]:
    """The same of manifests."""
    facts: set[Fact] = set()
    words: list[str] = []
    count = 0
    for thing in _with_pods(objects):
        if thing["kind"] in ("Service", "PodGroup"):
            continue
        if thing["kind"] == "DeepSpeedJob":
            return of_original(thing)
        labels, spec = thing["metadata"]["labels"], thing["spec"]
        template = thing if thing["kind"] == "Pod" else spec["template"]
        count += 1 if thing["kind"] == "Pod" else spec.get("completions") or spec["replicas"]
        container, words = template["spec"]["containers"][0], _command_line(template)
        facts |= {("name", labels["trainc.dev/job"]), ("restart", template["spec"].get("restartPolicy", "Always"))}
        facts |= {("job label", name, value) for name, value in labels.items()}
        facts |= {("word", word) for word in words}
        facts |= set(_of_pod(template))
        facts |= {("processes", each) for each in _processes(container, words)}
    return facts | {("replicas", str(count))}, words


def _with_pods(objects: Iterable[Object]) -> Iterator[Object]:
    """The objects, in place of a custom resource the pods that its operator makes."""
    for thing in objects:
        if operator(thing) is None or thing["kind"] == "DeepSpeedJob":
            yield thing
            continue
        for pod in pods(thing):
            labels = {**thing["metadata"]["labels"], **pod["metadata"]["labels"]}
            yield {**pod, "metadata": {**pod["metadata"], "labels": labels}}


def _elastic(policy: Object) -> Iterator[Fact]:
    """What the operator tells torchrun of an elastic policy."""
    if policy:
        yield "env", "PET_RDZV_BACKEND", canonical(policy["rdzvBackend"])
        yield "env", "PET_RDZV_ENDPOINT", canonical(f"{policy['rdzvHost']}:{policy['rdzvPort']}")
        yield "env", "PET_NNODES", canonical(f"{policy['minReplicas']}:{policy['maxReplicas']}")
        yield "env", "PET_MAX_RESTARTS", canonical(str(policy["maxRestarts"]))


def _command_line(template: Object) -> list[str]:
    container = template["spec"]["containers"][0]
    return [*container.get("command", []), *container.get("args", [])]


def _processes(container: Object, words: list[str]) -> Iterator[str]:
    for variable in container.get("env", []):
        if variable["name"] == "PET_NPROC_PER_NODE":
            yield variable["value"]
    for word in words:
        if word.startswith("--world_info="):
            world = json.loads(base64.urlsafe_b64decode(word.partition("=")[2]))
            yield from {str(len(slots)) for slots in world.values()}


def _of_pod(template: Object) -> Iterator[Fact]:
    metadata, spec = template.get("metadata", {}), template["spec"]
    container = spec["containers"][0]
    yield "image", container["image"]
    for field in ("imagePullPolicy", "workingDir", "securityContext"):
        if field in container:
            yield field, canonical(container[field])
    for section, given in container.get("resources", {}).items():
        yield from ((section, name, str(quantity)) for name, quantity in given.items())
    for variable in container.get("env", []):
        yield "env", variable["name"], canonical(variable.get("value", variable.get("valueFrom")))
    sources = {volume["name"]: {**volume, "name": None} for volume in spec.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        yield "mount", canonical(sources[mount["name"]]), canonical({**mount, "name": None})
    for kind, given in (("annotation", metadata.get("annotations")), ("label", metadata.get("labels"))):
        yield from ((kind, name, value) for name, value in (given or {}).items())
    for field in ("nodeSelector", "schedulerName", "priorityClassName"):
        if field in spec:
            yield field, canonical(spec[field])
    yield from (("toleration", canonical(toleration)) for toleration in spec.get("tolerations", []))
