"""Golden manifests for tests, and changes to them."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import yaml

from tests.support.examples import ROOT
from trainc.plan.plan import Plan, plan

Objects = list[dict[str, Any]]


@cache
def _read(name: str) -> Objects:
    return list(yaml.safe_load_all((ROOT / "golden" / f"{name}.yaml").read_text("utf-8")))


def objects(name: str) -> Objects:
    """Return a copy of a golden's objects, like `torchrun/job`."""
    return copy.deepcopy(_read(name))


def planned(name: str) -> Plan:
    return plan(objects(name))


def only(manifests: Objects, kind: str, name: str | None = None) -> dict[str, Any]:
    """Return the only object of a kind."""
    (item,) = [item for item in manifests if item["kind"] == kind and name in (None, item["metadata"]["name"])]
    return item


def container(manifests: Objects, index: int = 0) -> dict[str, Any]:
    """Return the training container of the controller, or of one of the Pods or roles."""
    owners = [item for item in manifests if item["kind"] in ("Job", "StatefulSet", "Pod", "PyTorchJob")]
    if owners[0]["kind"] == "PyTorchJob":
        owner = list(owners[0]["spec"]["pytorchReplicaSpecs"].values())[index]
    else:
        owner = owners[index]["spec"]
    spec = owner if "template" not in owner else owner["template"]["spec"]
    first: dict[str, Any] = spec["containers"][0]
    return first


def variable(manifests: Objects, name: str, index: int = 0) -> dict[str, Any]:
    """Return a variable of the training container."""
    entries: Objects = [entry for entry in container(manifests, index)["env"] if entry["name"] == name]
    (entry,) = entries
    return entry


def remove_variable(manifests: Objects, name: str, index: int = 0) -> None:
    env = container(manifests, index)["env"]
    env.remove(variable(manifests, name, index))


def report(manifests: Objects) -> str:
    """Return all findings, one per line."""
    return "\n".join(f"{finding.where}: {finding.message}" for finding in plan(manifests).findings)
