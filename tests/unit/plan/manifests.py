"""Golden manifests, whole or with a fault."""

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
    (each,) = [each for each in manifests if each["kind"] == kind and name in (None, each["metadata"]["name"])]
    return each


def container(manifests: Objects, index: int = 0) -> dict[str, Any]:
    """Return the training container of the controller, or of one of the Pods or roles."""
    owners = [each for each in manifests if each["kind"] in ("Job", "StatefulSet", "Pod", "PyTorchJob")]
    if owners[0]["kind"] == "PyTorchJob":
        each = list(owners[0]["spec"]["pytorchReplicaSpecs"].values())[index]
    else:
        each = owners[index]["spec"]
    spec = each if "template" not in each else each["template"]["spec"]
    first: dict[str, Any] = spec["containers"][0]
    return first


def variable(manifests: Objects, name: str, index: int = 0) -> dict[str, Any]:
    """Return a variable of the training container."""
    (each,) = [each for each in container(manifests, index)["env"] if each["name"] == name]
    return each  # type: ignore[no-any-return]


def drop(manifests: Objects, name: str, index: int = 0) -> None:
    env = container(manifests, index)["env"]
    env.remove(variable(manifests, name, index))


def report(manifests: Objects) -> str:
    """Return all findings, a line each."""
    return "\n".join(f"{each.where}: {each.message}" for each in plan(manifests).findings)
