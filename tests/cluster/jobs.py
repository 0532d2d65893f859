"""A small job on the cluster: compiled, applied, and watched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import trainc
from tests.cluster.api import Api, Object
from tests.cluster.cluster import condition, wait
from tests.cluster.goldens import JOB_LABEL
from tests.cluster.kubelet import Kubelet
from tests.support import build

VERSION = "1.36"
TORCHRUN: dict[str, Any] = {"torchrun": {}}
ELASTIC: dict[str, Any] = {"minReplicas": 1, "maxReplicas": 3}
SMALL: dict[str, Any] = {"cpu": 1, "memory": "1Gi"}


class Running(NamedTuple):
    """A job called `name` in a namespace."""

    api: Api
    namespace: str
    backend: str
    name: str = "mnist"

    def compile(self, **spec: Any) -> trainc.Result:
        """Compile it, with these fields of spec."""
        text = build.text({"name": self.name, "namespace": self.namespace}, **spec)
        result = trainc.compile(text, backend=self.backend, kubernetes_version=VERSION)
        assert result.ok, result.diagnostics
        return result

    def apply(self, **spec: Any) -> None:
        """Apply it, as one does again with a file that has changed. Raises Refused."""
        for thing in self.compile(**spec).objects():
            self.api.apply(thing)

    def pods(self, role: str = "worker") -> list[Object]:
        """Its pods that are not on their way out, in the order of their hostnames' numbers."""
        selector = f"{JOB_LABEL}={self.name},trainc.dev/role={role}"
        path = self.api.of_kind("Pod").path(self.namespace)
        found = self.api.call("GET", path, labelSelector=selector)["items"]
        return sorted((pod for pod in found if not pod["metadata"].get("deletionTimestamp")), key=number)

    def phases(self) -> list[str]:
        """The phases of its pods."""
        return [pod["status"]["phase"] for pod in self.pods()]

    def wait_for(self, phase: str, count: int, seconds: float = 60) -> list[Object]:
        """Its pods, when so many are in a phase."""

        def found() -> list[Object]:
            pods = [pod for pod in self.pods() if pod["status"]["phase"] == phase]
            return pods if len(pods) == count else []

        return wait(f"{count} pods {phase} but {self.phases()}", found, seconds)

    def job(self) -> Object:
        """The Job."""
        return self.api.get("Job", self.namespace, self.name)

    def end(self, kind: str, seconds: float = 60) -> Object:
        """The condition with which the Job ends, Complete or Failed, when it has it."""
        return wait(f"Job that is {kind}", lambda: condition(self.job(), kind), seconds)


def number(pod: Object) -> int:
    """A worker's number, by its hostname."""
    hostname = pod["spec"].get("hostname") or pod["metadata"]["name"]
    last = hostname.rpartition("-")[2]
    return int(last) if last.isdecimal() else -1


def finish(kubelet: Kubelet, pods: Sequence[Object], code: int = 0) -> None:
    """The programs of pods end."""
    for pod in pods:
        kubelet.exit(pod, code)
