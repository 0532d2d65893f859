"""Golden manifests to judge, whole or with a fault in them."""

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
    """A golden's objects, to be changed at will: `torchrun/job`."""
    return copy.deepcopy(_read(name))


def planned(name: str) -> Plan:
    return plan(objects(name))


def only(found: Objects, kind: str, name: str | None = None) -> dict[str, Any]:
    """The object of a kind."""
    (one,) = [one for one in found if one["kind"] == kind and name in (None, one["metadata"]["name"])]
    return one


def container(found: Objects, place: int = 0) -> dict[str, Any]:
    """The container that trains: the controller's, or that of one of the Pods or roles."""
    makers = [one for one in found if one["kind"] in ("Job", "StatefulSet", "Pod", "PyTorchJob")]
    if makers[0]["kind"] == "PyTorchJob":
        one = list(makers[0]["spec"]["pytorchReplicaSpecs"].values())[place]
    else:
        one = makers[place]["spec"]
    spec = one if "template" not in one else one["template"]["spec"]
    first: dict[str, Any] = spec["containers"][0]
    return first


def variable(found: Objects, name: str, place: int = 0) -> dict[str, Any]:
    """A variable of that container."""
    (one,) = [one for one in container(found, place)["env"] if one["name"] == name]
    return one  # type: ignore[no-any-return]


def drop(found: Objects, name: str, place: int = 0) -> None:
    env = container(found, place)["env"]
    env.remove(variable(found, name, place))


def said(found: Objects) -> str:
    """All findings, a line each."""
    return "\n".join(f"{one.where}: {one.message}" for one in plan(found).findings)
