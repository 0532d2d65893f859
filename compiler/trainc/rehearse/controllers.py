"""Controllers of a rehearsal's objects, each from its system."""

from __future__ import annotations

from trainc.plan.fields import Object, text
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.controller import Controller
from trainc.rehearse.operator_controller import OperatorController
from trainc.systems.registry import System, of_kind


def controllers(objects: list[Object], cluster: Cluster) -> list[Controller]:
    """Return the controllers of all objects whose systems have a model."""
    manifests: dict[System, list[Object]] = {}
    for manifest in objects:
        system = of_kind(text(manifest, "kind"), text(manifest, "apiVersion"))
        if system is not None and "model" in system.parts:
            manifests.setdefault(system, []).append(manifest)
    found: list[Controller] = []
    for system, of_system in manifests.items():
        in_rehearsal = "rehearsal" in system.parts
        controller: type[Controller] = system.part("rehearsal").CONTROLLER if in_rehearsal else OperatorController
        found += controller.controllers(of_system, objects, cluster)
    return found
