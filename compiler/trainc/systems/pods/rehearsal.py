"""Stand-in for a controller of bare Pods, which none replaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from trainc.plan.fields import Object
from trainc.plan.pods import create_pods
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.controllers import Controller


class Pods(Controller):
    """Creates all bare Pods; the job has ended when all of them have."""

    def __init__(self, objects: list[Object], cluster: Cluster) -> None:
        super().__init__({}, objects, cluster)
        self.definitions = [pod for pod in create_pods(objects) if not pod.owner]
        self.size = len(self.definitions)
        self._scaled_away: set[str] = set()

    @classmethod
    def controllers(cls, manifests: Sequence[Object], objects: list[Object], cluster: Cluster) -> list[Self]:
        """Return one for all bare Pods together."""
        return [cls(objects, cluster)]

    def reconcile(self) -> None:
        """Create each Pod once, and once more after each time that it was scaled away."""
        if self.stopped or self.finished:
            return
        pods = {pod.name: pod for pod in self.pods}
        for position, definition in enumerate(self.definitions):
            name = definition.name
            if position < self.size and (name not in pods or (pods[name].gone and name in self._scaled_away)):
                self._scaled_away.discard(name)
                self.create(definition)
            elif position >= self.size and name in pods and not pods[name].deleting:
                self._scaled_away.add(name)
                self.delete(pods[name])
        pods = {pod.name: pod for pod in self.pods}
        counted = [pods[each.name] for each in self.definitions[: self.size] if each.name in pods]
        if counted and all(pod.is_finished for pod in counted):
            failed = [pod.name for pod in counted if pod.phase != "Succeeded"]
            self.finish("failed" if failed else "complete", "PodFailed" if failed else "", ", ".join(failed))

    def scale(self, to: int) -> None:
        """Delete the last Pods, or create deleted ones again; never more than in the manifests."""
        self.size = min(to, len(self.definitions))


CONTROLLER = Pods
