"""Controllers of a rehearsal's objects, each from its system."""

from __future__ import annotations

from trainc.plan.fields import Object, text
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.controller import Controller
from trainc.rehearse.operator_controller import OperatorController
from trainc.systems.registry import of_kind


def controller_class(manifest: Object) -> type[Controller] | None:
    """Return the controller of a kind; None for objects that don't run pods."""
    system = of_kind(text(manifest, "kind"), text(manifest, "apiVersion"))
    if system is None or "model" not in system.parts:
        return None
    controller: type[Controller] = OperatorController
    if "rehearsal" in system.parts:
        controller = system.part("rehearsal").CONTROLLER
    return controller


def controllers(objects: list[Object], cluster: Cluster) -> list[Controller]:
    """Return the controllers of all objects that run pods."""
    manifests: dict[type[Controller], list[Object]] = {}
    for manifest in objects:
        controller = controller_class(manifest)
        if controller is not None:
            manifests.setdefault(controller, []).append(manifest)
    return [each for cls, of_class in manifests.items() for each in cls.controllers(of_class, objects, cluster)]
