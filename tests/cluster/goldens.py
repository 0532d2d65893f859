"""Golden manifests, each in its own namespace."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.cluster.api import Object
from tests.support.examples import ROOT, is_users_object

GOLDENS = tuple(sorted((ROOT / "golden").glob("*/*.yaml")))
JOB_LABEL = "trainc.dev/job"
# Spec fields that the scheduler and the autoscaler write.
CONTROLLED_FIELDS = {"Pod": "nodeName", "StatefulSet": "replicas"}


def key(golden: Path) -> str:
    """Return the golden's name: example/backend."""
    return f"{golden.parent.name}/{golden.stem}"


@cache
def _read(golden: Path) -> list[Object]:
    return [document for document in YAML(typ="safe").load_all(golden.read_text("utf-8")) if document]


def with_namespace(documents: list[Object], namespace: str) -> list[Object]:
    """Return the objects in another namespace, RoleBinding subjects included."""
    moved: list[Object] = deepcopy(documents)
    for document in moved:
        document["metadata"]["namespace"] = namespace
        for subject in document.get("subjects", []):
            subject["namespace"] = namespace
    return moved


def objects(golden: Path, namespace: str) -> list[Object]:
    """Return the objects of a golden in a namespace."""
    return with_namespace(_read(golden), namespace)


def users_objects(golden: Path, namespace: str) -> list[Object]:
    """Return the objects of a golden that the example's file has, too, in a namespace."""
    return with_namespace([each for each in _read(golden) if is_users_object(golden.parent.name, each)], namespace)


def desired_state(manifest: Object) -> Any:
    """Return an object without status, controllers' fields and changing metadata."""
    desired = {name: value for name, value in manifest.items() if name != "status"}
    if field := CONTROLLED_FIELDS.get(manifest["kind"]):
        desired["spec"] = {name: value for name, value in manifest["spec"].items() if name != field}
    changing = ("managedFields", "resourceVersion", "generation")
    desired["metadata"] = {name: value for name, value in manifest["metadata"].items() if name not in changing}
    return desired
