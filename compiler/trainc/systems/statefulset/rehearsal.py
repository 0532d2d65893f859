"""Controller of a StatefulSet, which recreates pods under their names.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
"""

from __future__ import annotations

from trainc.plan.fields import Object, number, text
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.container_size import ContainerSize
from trainc.rehearse.controllers import Controller
from trainc.systems.statefulset.model import replica_range, statefulset_pod


class StatefulSet(Controller):
    """Creates pods in order, or all at once if `podManagementPolicy` is Parallel."""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        self.size = replica_range(manifest, objects).initial
        self.first = number(manifest, "spec", "ordinals", "start") or 0
        self.parallel = text(manifest, "spec", "podManagementPolicy") == "Parallel"

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        size.limit_fields(spec, "replicas")

    def reconcile(self) -> None:
        """Replace a pod when it is gone. In order, each pod waits until those before it are ready."""
        if self.stopped:
            return
        pods = {pod.definition.index: pod for pod in self.pods if not pod.gone}
        for index in sorted(pods, reverse=True):
            if index >= self.first + self.size or pods[index].is_finished:
                self.delete(pods[index])
        for index in range(self.first, self.first + self.size):
            if index not in pods:
                pods[index] = self.create(statefulset_pod(self.manifest, index))
            if not self.parallel and not pods[index].ready:
                break
        if self.size == 0 and self.pods and not pods and not self.finished:
            self.finish("complete", message="scaled to zero")

    def scale(self, to: int) -> None:
        """Set `spec.replicas`."""
        self.size = to


CONTROLLER = StatefulSet
