"""Controller of one object of a rehearsal, and what all controllers have in common."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Literal, Self

from trainc.plan.expand import fill_placeholders
from trainc.plan.fields import Object, text
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.downscale_container import ContainerSize
from trainc.rehearse.pod import Pod

# Alphabet of Kubernetes' random suffixes: https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/
# apimachinery/pkg/util/rand/rand.go
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


class Controller:
    """Creates and replaces the pods of one object. A system's `rehearsal` module names its class as CONTROLLER."""

    runs_workers = True  # and not a server for the workers

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        self.manifest, self.objects, self.cluster = manifest, objects, cluster
        self.finished: Literal["complete", "failed"] | None = None
        self.reason = ""
        self.pods: list[Pod] = []
        self.stopped = False

    @classmethod
    def controllers(cls, manifests: Sequence[Object], objects: list[Object], cluster: Cluster) -> list[Self]:
        """Return a controller for each of the manifests of its kind."""
        return [cls(manifest, objects, cluster) for manifest in manifests]

    @staticmethod
    def downscale(spec: Object, size: ContainerSize) -> None:
        """Limit the sizes in a spec of its kind."""

    @property
    def name(self) -> str:
        """Name of the object."""
        return text(self.manifest, "metadata", "name")

    def reconcile(self) -> None:
        """Create missing pods and delete surplus ones. Called under the cluster's lock after every change."""
        raise NotImplementedError

    def scale(self, to: int) -> None:
        """Change the number of pods."""

    def resume(self) -> None:
        """Start if the object is suspended."""

    def stop(self) -> None:
        """Delete the object and its pods."""
        self.stopped = True
        for pod in self.pods:
            self.delete(pod)

    def create(self, definition: PodDefinition, uid: str = "") -> Pod:
        """Create a pod; `uid` is the object's."""
        values = {"random": "".join(secrets.choice(_LETTERS) for _ in range(5)), f"uid of {definition.owner}": uid}
        labels = {key: fill_placeholders(value, values) for key, value in definition.labels.items()}
        pod = self.cluster.create(
            definition.replace(
                name=fill_placeholders(definition.name, values),
                hostname=fill_placeholders(definition.hostname, values),
                labels=labels,
            ),
            server=not self.runs_workers,
        )
        self.pods.append(pod)
        return pod

    def delete(self, pod: Pod) -> None:
        """Delete a pod with its own grace period."""
        if not pod.gone:
            self.cluster.delete(pod, None)

    def finish(self, how: Literal["complete", "failed"], reason: str = "", message: str = "") -> None:
        """Record and report how the object has ended."""
        self.finished, self.reason = how, reason
        self.cluster.report(f"job-{how}", text=message or reason, reason=reason, name=self.name)
