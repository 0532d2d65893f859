"""The golden manifests, each moved to a namespace of its own."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.cluster.api import Object
from tests.support.examples import ROOT

GOLDENS = tuple(sorted((ROOT / "golden").glob("*/*.yaml")))
JOB_LABEL = "trainc.dev/job"
# What the scheduler and the autoscaler write into specs.
DECIDED = {"Pod": "nodeName", "StatefulSet": "replicas"}


def key(golden: Path) -> str:
    """What a golden is called: example/backend."""
    return f"{golden.parent.name}/{golden.stem}"


@cache
def _read(golden: Path) -> list[Object]:
    return [document for document in YAML(typ="safe").load_all(golden.read_text("utf-8")) if document]


def moved(documents: list[Object], namespace: str) -> list[Object]:
    """Objects in another namespace than their own, which subjects of a RoleBinding name, too."""
    found: list[Object] = deepcopy(documents)
    for document in found:
        document["metadata"]["namespace"] = namespace
        for subject in document.get("subjects", []):
            subject["namespace"] = namespace
    return found


def objects(golden: Path, namespace: str) -> list[Object]:
    """The objects of a golden in a namespace."""
    return moved(_read(golden), namespace)


def comparable(thing: Object) -> Any:
    """What is somebody's wish in an object, and not a controller's report."""
    found = {name: value for name, value in thing.items() if name != "status"}
    if decided := DECIDED.get(thing["kind"]):
        found["spec"] = {name: value for name, value in thing["spec"].items() if name != decided}
    changing = ("managedFields", "resourceVersion", "generation")
    found["metadata"] = {name: value for name, value in thing["metadata"].items() if name not in changing}
    return found
