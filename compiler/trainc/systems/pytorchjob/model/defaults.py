"""A PyTorchJob with the training operator's defaults: SetDefaults_PyTorchJob of

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/pytorch_defaults.go
"""

from __future__ import annotations

from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.record import Record
from trainc.systems.pytorchjob.facts import CONTAINER, PORT, PORT_NAME, WORKER
from trainc.systems.shared.model.shapes import ports


class Job(Record):
    """A PyTorchJob. `policy` is its elasticPolicy, whose bounds are those of the Workers; None where it has none."""

    resource: Object
    name: str
    roles: dict[str, Object]
    policy: Object | None
    bounds: tuple[int, int]
    processes: str | None

    def replicas(self, role: str) -> int:
        """How many pods of a role it says."""
        return self.roles[role]["replicas"] if role in self.roles else 0

    @property
    def total(self) -> int:
        """All pods that it says."""
        return sum(self.replicas(role) for role in self.roles)

    @property
    def at_first(self) -> int:
        """Workers that there are at first: an autoscaler brings their number into its bounds."""
        low, high = self.bounds
        return min(max(self.replicas(WORKER), low), high) if self.scaled else self.replicas(WORKER)

    @property
    def scaled(self) -> bool:
        """Whether it has an autoscaler, which changes the number of Workers."""
        return at(self.policy, "metrics") is not None

    def most(self, role: str) -> int:
        """Pods of a role that there may ever be, unless somebody scales it by hand."""
        return self.bounds[1] if role == WORKER and self.scaled else self.replicas(role)

    def container(self, role: str) -> Object:
        """The container that trains."""
        every = items(self.roles[role], "template", "spec", "containers")
        return next(one for one in every if text(one, "name") == CONTAINER)

    def port(self, role: str) -> int:
        """The number of the port that bears the operator's name."""
        return ports(self.container(role)).get(PORT_NAME, PORT)


def defaulted(resource: Object) -> Job:
    """A PyTorchJob that the operator doesn't refuse."""
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


def _role(given: Object) -> Object:
    template = mapping(given, "template")
    spec = mapping(template, "spec")
    containers = [_with_port(one) if text(one, "name") == CONTAINER else one for one in items(spec, "containers")]
    return {
        "replicas": 1 if given.get("replicas") is None else given["replicas"],
        "restartPolicy": text(given, "restartPolicy") or "OnFailure",
        "template": {**template, "spec": {**spec, "containers": containers}},
    }


def _with_port(container: Object) -> Object:
    if PORT_NAME in ports(container):
        return container
    return {**container, "ports": [*items(container, "ports"), {"name": PORT_NAME, "containerPort": PORT}]}
