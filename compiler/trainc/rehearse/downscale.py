"""Downscale a job to fit one machine: fewer processes per pod, fewer pods.

All sizes in the manifests change together, so that they still describe one world.
"""

from __future__ import annotations

import re
from typing import Any

from trainc.plan.fields import Object, items, mapping, number, text
from trainc.record import Record
from trainc.rehearse.downscale_container import ContainerSize

_NAMESPACE = "default"
_SLOTS = re.compile(r"slots=\d+")
_REPLICA_FIELDS = {
    "Job": ("parallelism", "completions"),
    "StatefulSet": ("replicas",),
    "HorizontalPodAutoscaler": ("minReplicas", "maxReplicas"),
}


def with_namespace(manifest: Object) -> Object:
    """Return the object with a namespace: the default one of `kubectl apply` if it has none."""
    if text(manifest, "metadata", "namespace"):
        return manifest
    return {**manifest, "metadata": {**mapping(manifest, "metadata"), "namespace": _NAMESPACE}}


def downscale(objects: list[Object], processes: int | None, max_pods: int | None) -> list[Object]:
    """Return the manifests with a number of processes per pod and at most `max_pods` pods; None keeps the original."""
    if processes is None and max_pods is None:
        return objects
    size = _Size(container=ContainerSize(processes=processes, max_pods=max_pods))
    pods = [manifest for manifest in objects if text(manifest, "kind") == "Pod"]
    removed = [] if max_pods is None else pods[max_pods:]
    return [size.resize(manifest) for manifest in objects if manifest not in removed]


class _Size(Record):
    container: ContainerSize

    def resize(self, manifest: Object) -> Object:
        kind, resized = text(manifest, "kind"), dict(manifest)
        if kind == "ConfigMap" and "hostfile" in mapping(manifest, "data"):
            resized["data"] = {**manifest["data"], "hostfile": self._hostfile(manifest["data"]["hostfile"])}
        elif isinstance(manifest.get("spec"), dict):
            spec = resized["spec"] = self._resize_containers(manifest["spec"])
            self._limit(spec, _REPLICA_FIELDS.get(kind, ()))
            if kind == "Job":
                self._success_policy(spec)
            elif kind == "PyTorchJob":
                self._pytorch_job(spec)
            elif kind == "ElasticJob":
                self._elastic_job(spec)
            elif kind == "DeepSpeedJob":
                self._deepspeed_job(spec)
        return resized

    def _limit(self, spec: Object, fields: tuple[str, ...]) -> None:
        for field in fields:
            pods = number(spec, field)
            if pods is not None:
                spec[field] = self.container.limit(pods)

    def _success_policy(self, spec: Object) -> None:
        policy = mapping(spec, "successPolicy")
        rules = [dict(rule) for rule in items(policy, "rules")]
        for rule in rules:
            low, dash, high = text(rule, "succeededIndexes").partition("-")
            if dash and high.isdecimal():
                rule["succeededIndexes"] = f"{low}-{self.container.limit(int(high) + 1) - 1}"
        if rules:
            spec["successPolicy"] = {**policy, "rules": rules}

    def _pytorch_job(self, spec: Object) -> None:
        roles = {role: dict(replicas) for role, replicas in mapping(spec, "pytorchReplicaSpecs").items()}
        spec["pytorchReplicaSpecs"] = roles
        max_pods, processes = self.container.max_pods, self.container.processes
        workers = mapping(roles, "Worker")
        if max_pods is not None and number(workers, "replicas"):
            max_workers = max_pods - 1 if "Master" in roles else max_pods
            workers["replicas"] = min(workers["replicas"], max(max_workers, 1))
        policy = dict(mapping(spec, "elasticPolicy"))
        if policy:
            self._limit(policy, ("minReplicas", "maxReplicas"))
            spec["elasticPolicy"] = policy
        if processes is not None:
            if "nProcPerNode" in policy:
                policy["nProcPerNode"] = processes
            else:
                spec["nprocPerNode"] = str(processes)

    def _elastic_job(self, spec: Object) -> None:
        self._limit(spec, ("minReplicas", "maxReplicas"))
        roles = {role: dict(replicas) for role, replicas in mapping(spec, "replicaSpecs").items()}
        spec["replicaSpecs"] = roles
        for replicas in roles.values():
            self._limit(replicas, ("replicas",))

    def _deepspeed_job(self, spec: Object) -> None:
        spec["worker"] = dict(mapping(spec, "worker"))
        self._limit(spec["worker"], ("replicas",))
        if self.container.processes is not None:
            spec["config"] = {**mapping(spec, "config"), "slotsPerWorker": self.container.processes}

    def _hostfile(self, hostfile: str) -> str:
        lines = hostfile.splitlines()[: self.container.max_pods]
        if self.container.processes is not None:
            lines = [_SLOTS.sub(f"slots={self.container.processes}", line) for line in lines]
        return "\n".join(lines) + "\n"

    def _resize_containers(self, value: Any) -> Any:
        """Return a copy of the value with all containers in it resized."""
        if isinstance(value, list):
            return [self._resize_containers(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        copy = {key: self._resize_containers(inner) for key, inner in value.items()}
        if "containers" in copy:
            copy["containers"] = [self.container.resize(container) for container in items(copy, "containers")]
        return copy
