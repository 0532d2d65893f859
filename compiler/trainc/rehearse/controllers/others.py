"""Bare Pods, which nobody replaces; StatefulSets, whose pods come again under the same name; Deployments."""

from __future__ import annotations

from trainc.plan.fields import Object, number, text
from trainc.plan.pods import create_pods, replica_range, statefulset_pod
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.controllers.base import Controller


class Pods(Controller):
    """All bare Pods together: the job has ended when all have."""

    def __init__(self, objects: list[Object], cluster: Cluster) -> None:
        super().__init__({}, objects, cluster)
        self.wanted = [pod for pod in create_pods(objects) if not pod.owner]
        self.size = len(self.wanted)
        self._away: set[str] = set()

    def reconcile(self) -> None:
        """Each is made once, or again after it was scaled away."""
        if self.stopped or self.finished:
            return
        there = {pod.name: pod for pod in self.pods}
        for place, made in enumerate(self.wanted):
            if place < self.size and (made.name not in there or (there[made.name].gone and made.name in self._away)):
                self._away.discard(made.name)
                self.create(made)
            elif place >= self.size and made.name in there and not there[made.name].deleting:
                self._away.add(made.name)
                self.delete(there[made.name])
        there = {pod.name: pod for pod in self.pods}
        counted = [there[made.name] for made in self.wanted[: self.size] if made.name in there]
        if counted and all(pod.is_finished for pod in counted):
            failed = [pod.name for pod in counted if pod.phase != "Succeeded"]
            self.finish("failed" if failed else "complete", "PodFailed" if failed else "", ", ".join(failed))

    def scale(self, to: int) -> None:
        """The last are deleted, or those that were deleted made again; there are never more than in the manifests."""
        self.size = min(to, len(self.wanted))


class StatefulSet(Controller):
    """https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/"""

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        super().__init__(manifest, objects, cluster)
        self.size = replica_range(manifest, objects).initial
        self.first = number(manifest, "spec", "ordinals", "start") or 0
        self.parallel = text(manifest, "spec", "podManagementPolicy") == "Parallel"

    def reconcile(self) -> None:
        """A pod is replaced once it is gone. In order, each waits until those before it are ready."""
        if self.stopped:
            return
        there = {pod.definition.index: pod for pod in self.pods if not pod.gone}
        for index in sorted(there, reverse=True):
            if index >= self.first + self.size or there[index].is_finished:
                self.delete(there[index])
        for index in range(self.first, self.first + self.size):
            if index not in there:
                there[index] = self.create(statefulset_pod(self.manifest, index))
            if not self.parallel and not there[index].ready:
                break
        if self.size == 0 and self.pods and not there and not self.finished:
            self.finish("complete", message="scaled to zero")

    def scale(self, to: int) -> None:
        """`spec.replicas`."""
        self.size = to


class Deployment(Controller):
    """A server, like etcd, that is made again when it is gone."""

    runs_workers = False

    def reconcile(self) -> None:
        """As many as the manifest says, all alike."""
        if self.stopped:
            return
        there = [pod for pod in self.pods if not pod.gone and not pod.deleting and not pod.is_finished]
        wanted = list(create_pods([self.manifest]))
        for made in wanted[len(there) :]:
            self.create(made)
