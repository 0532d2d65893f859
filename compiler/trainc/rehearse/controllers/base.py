"""What all controllers have in common."""

from __future__ import annotations

import secrets
from typing import Literal

from trainc.plan.expand import fill_placeholders
from trainc.plan.fields import Object, text
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.pod import Pod

# Of Kubernetes' random suffixes: https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/
# apimachinery/pkg/util/rand/rand.go
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


class Controller:
    """Of one object. `reconcile` is called under the cluster's lock, whenever anything has changed."""

    runs_workers = True  # and is not a server for those that do

    def __init__(self, manifest: Object, objects: list[Object], cluster: Cluster) -> None:
        self.manifest, self.objects, self.cluster = manifest, objects, cluster
        self.finished: Literal["complete", "failed"] | None = None
        self.reason = ""
        self.pods: list[Pod] = []
        self.stopped = False

    @property
    def name(self) -> str:
        """Of the object."""
        return text(self.manifest, "metadata", "name")

    def reconcile(self) -> None:
        """Make what is missing, and take away what is too much."""
        raise NotImplementedError

    def scale(self, to: int) -> None:
        """Another number of pods."""

    def resume(self) -> None:
        """Begin, if it was suspended."""

    def stop(self) -> None:
        """The object is deleted, and its pods with it."""
        self.stopped = True
        for pod in self.pods:
            self.delete(pod)

    def create(self, definition: PodDefinition, uid: str = "") -> Pod:
        """A pod, with its random name."""
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
        """A pod goes, with its own grace period."""
        if not pod.gone:
            self.cluster.delete(pod, None)

    def finish(self, how: Literal["complete", "failed"], reason: str = "", message: str = "") -> None:
        """Say how the object has ended."""
        self.finished, self.reason = how, reason
        self.cluster.report(f"job-{how}", text=message or reason, reason=reason, name=self.name)
