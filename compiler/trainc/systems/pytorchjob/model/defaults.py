"""PyTorchJob with the training operator's defaults: SetDefaults_PyTorchJob of

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/pytorch_defaults.go
"""

from __future__ import annotations

from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.record import Record
from trainc.systems.pytorchjob.facts import CONTAINER, PORT, PORT_NAME, WORKER
from trainc.systems.shared.model.shapes import container_ports


class Job(Record):
    """PyTorchJob. `policy` is its elasticPolicy or None; `bounds` are the numbers of Workers that it allows."""

    resource: Object
    name: str
    roles: dict[str, Object]
    policy: Object | None
    bounds: tuple[int, int]
    processes: str | None

    def replicas(self, role: str) -> int:
        """Return the stated number of pods of a role."""
        return self.roles[role]["replicas"] if role in self.roles else 0

    @property
    def total(self) -> int:
        """Stated number of all pods."""
        return sum(self.replicas(role) for role in self.roles)

    @property
    def at_first(self) -> int:
        """Initial number of Workers, which an autoscaler brings into its bounds."""
        low, high = self.bounds
        return min(max(self.replicas(WORKER), low), high) if self.scaled else self.replicas(WORKER)

    @property
    def scaled(self) -> bool:
        """Return whether an autoscaler changes the number of Workers."""
        return at(self.policy, "metrics") is not None

    def most(self, role: str) -> int:
        """Return the maximum number of pods of a role, unless it is scaled by hand."""
        return self.bounds[1] if role == WORKER and self.scaled else self.replicas(role)

    def container(self, role: str) -> Object:
        """Return the training container of a role."""
        containers = items(self.roles[role], "template", "spec", "containers")
        return next(each for each in containers if text(each, "name") == CONTAINER)

    def port(self, role: str) -> int:
        """Return the number of the port with the operator's name."""
        return container_ports(self.container(role)).get(PORT_NAME, PORT)


def apply_defaults(resource: Object) -> Job:
    """Return a PyTorchJob without validation errors, with its defaults."""
    spec = mapping(resource, "spec")
    roles = {role: _role(mapping(spec, "pytorchReplicaSpecs", role)) for role in mapping(spec, "pytorchReplicaSpecs")}
    policy = None if at(spec, "elasticPolicy") is None else mapping(spec, "elasticPolicy")
    low, high = number(policy, "minReplicas"), number(policy, "maxReplicas")
    workers = roles[WORKER]["replicas"] if WORKER in roles else 0
    if low is None:
        low = workers if high is None else high
    if high is None:
        high = low
    processes = text(spec, "nprocPerNode") or None
    if processes is None and at(policy, "nProcPerNode") is None:
        processes = "auto"
    return Job(
        resource=resource,
        name=text(resource, "metadata", "name"),
        roles=roles,
        policy=policy,
        bounds=(low, high),
        processes=processes,
    )


def _role(stated: Object) -> Object:
    template = mapping(stated, "template")
    spec = mapping(template, "spec")
    containers = [_with_port(each) if text(each, "name") == CONTAINER else each for each in items(spec, "containers")]
    return {
        "replicas": 1 if stated.get("replicas") is None else stated["replicas"],
        "restartPolicy": text(stated, "restartPolicy") or "OnFailure",
        "template": {**template, "spec": {**spec, "containers": containers}},
    }


def _with_port(container: Object) -> Object:
    if PORT_NAME in container_ports(container):
        return container
    return {**container, "ports": [*items(container, "ports"), {"name": PORT_NAME, "containerPort": PORT}]}
