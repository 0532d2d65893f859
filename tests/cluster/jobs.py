"""A small job on the cluster: compile, apply and observe it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import trainc
from tests.cluster.api import Api, Object
from tests.cluster.cluster import true_condition, wait
from tests.cluster.goldens import JOB_LABEL
from tests.cluster.kubelet import Kubelet
from tests.support import build
from trainc.systems import registry

VERSION = "1.36"
TORCHRUN: dict[str, Any] = {"torchrun": {}}
ELASTIC: dict[str, Any] = {"minReplicas": 1, "maxReplicas": 3}
SMALL: dict[str, Any] = {"cpu": 1, "memory": "1Gi"}


class ClusterJob(NamedTuple):
    """A job called `name` in a namespace of the cluster."""

    api: Api
    namespace: str
    backend: str
    name: str = "mnist"

    def compile(self, **spec: Any) -> trainc.Result:
        """Compile the job with these fields of spec."""
        text = build.job_text({"name": self.name, "namespace": self.namespace}, **spec)
        result = trainc.compile(text, backend=self.backend, kubernetes_version=VERSION)
        assert result.ok, result.diagnostics
        return result

    def apply(self, **spec: Any) -> None:
        """Compile and apply the job, possibly again with changed fields. Raises ApiError."""
        for manifest in self.compile(**spec).objects():
            self.api.apply(manifest)

    def start(self, workers: int = 2, **spec: Any) -> list[Object]:
        """Apply a job and return its running pods."""
        self.apply(**{"workers": workers, "launch": TORCHRUN, "resources": SMALL, **spec})
        return self.wait_for("Running", workers)

    def pods(self, role: str = "worker") -> list[Object]:
        """Return its pods that aren't being deleted, by the index in their hostname."""
        selector = f"{JOB_LABEL}={self.name},trainc.dev/role={role}"
        path = self.api.of_kind("Pod").path(self.namespace)
        pods = self.api.call("GET", path, labelSelector=selector)["items"]
        return sorted((pod for pod in pods if not pod["metadata"].get("deletionTimestamp")), key=worker_index)

    def phases(self) -> list[str]:
        """Return the phases of its pods."""
        return [pod["status"]["phase"] for pod in self.pods()]

    def wait_for(self, phase: str, count: int, seconds: float = 60, role: str = "worker") -> list[Object]:
        """Return its pods in a phase once there are `count` of them."""

        def in_phase() -> list[Object]:
            pods = [pod for pod in self.pods(role) if pod["status"]["phase"] == phase]
            return pods if len(pods) == count else []

        return wait(f"{count} pods {phase} but {self.phases()}", in_phase, seconds)

    def job(self) -> Object:
        """Return the object whose controller creates the pods."""
        return self.api.get(registry.find(self.backend).kind, self.namespace, self.name)

    def wait_for_condition(self, kind: str, seconds: float = 60) -> Object:
        """Wait for a condition of this object, such as Complete or Failed, and return it."""
        return wait(f"{self.backend} that is {kind}", lambda: true_condition(self.job(), kind), seconds)


def names(objects: Sequence[Object]) -> list[str]:
    """Return the names of objects, in order."""
    return sorted(each["metadata"]["name"] for each in objects)


def uids(objects: Sequence[Object]) -> set[str]:
    """Return the UIDs of objects."""
    return {each["metadata"]["uid"] for each in objects}


def worker_index(pod: Object) -> int:
    """Return a worker's index from its hostname."""
    hostname = pod["spec"].get("hostname") or pod["metadata"]["name"]
    last = hostname.rpartition("-")[2]
    return int(last) if last.isdecimal() else -1


def exit_programs(kubelet: Kubelet, pods: Sequence[Object], code: int = 0) -> None:
    """Let the programs of pods exit."""
    for pod in pods:
        kubelet.exit(pod, code)
