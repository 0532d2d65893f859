"""PyTorchJob with the training operator's defaults, and the variables that it appends to those of every container.

https://github.com/kubeflow/training-operator/tree/release-1.9: SetDefaults_PyTorchJob of
pkg/apis/kubeflow.org/v1/pytorch_defaults.go, setPodEnv of pkg/controller.v1/pytorch/envvar.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.record import Record
from trainc.systems.pytorchjob.dialects import Dialect, dialect_of
from trainc.systems.pytorchjob.facts import CONTAINER, MASTER, PORT, PORT_NAME, WORKER
from trainc.systems.shared.autoscaler import can_scale

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


def container_ports(container: Object) -> dict[str, int]:
    """Return a container's ports by name."""
    return {
        text(port, "name"): port["containerPort"]
        for port in items(container, "ports")
        if isinstance(port.get("containerPort"), int)
    }


class Job(Record):
    """PyTorchJob. `policy` is its elasticPolicy or None; `bounds` are the numbers of Workers that it allows."""

    resource: Object
    dialect: Dialect
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
        return min(max(self.replicas(WORKER), low), high) if self.has_autoscaler else self.replicas(WORKER)

    @property
    def has_autoscaler(self) -> bool:
        """Return whether the operator creates an autoscaler: ReconcileHPA of pkg/controller.v1/pytorch/hpa.go."""
        return at(self.policy, "metrics") is not None

    @property
    def scaled(self) -> bool:
        """Return whether an autoscaler changes the number of Workers after the start."""
        template = mapping(self.roles.get(WORKER, {}), "template", "spec")
        return self.has_autoscaler and can_scale(items(self.policy, "metrics"), template)

    def most(self, role: str) -> int:
        """Return the maximum number of pods of a role, unless it is scaled by hand."""
        if role != WORKER:
            return self.replicas(role)
        return self.bounds[1] if self.scaled else self.at_first

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
    dialect = dialect_of(text(resource, "apiVersion"))
    if processes is None and at(policy, "nProcPerNode") is None:
        processes = "auto"
    return Job(
        resource=resource,
        dialect=dialect,
        name=text(resource, "metadata", "name"),
        roles=roles,
        policy=policy,
        bounds=(low, high),
        processes=processes if dialect.has_processes else None,
    )


def _role(role: Object) -> Object:
    template = mapping(role, "template")
    spec = mapping(template, "spec")
    containers = [_with_port(each) if text(each, "name") == CONTAINER else each for each in items(spec, "containers")]
    return {
        "replicas": 1 if role.get("replicas") is None else role["replicas"],
        "restartPolicy": text(role, "restartPolicy") or "OnFailure",
        "template": {**template, "spec": {**spec, "containers": containers}},
    }


def _with_port(container: Object) -> Object:
    if PORT_NAME in container_ports(container):
        return container
    return {**container, "ports": [*items(container, "ports"), {"name": PORT_NAME, "containerPort": PORT}]}


def variables(job: Job, role: str, index: int) -> list[tuple[str, str]]:
    """Return names and values in the operator's order."""
    env = [("PYTHONUNBUFFERED", job.dialect.unbuffered)]
    if MASTER in job.roles:
        world = _master(job, str(index + 1 if role == WORKER else index))
        env += (each for each in world if each[0] in job.dialect.set_with_master)
    if job.processes is not None:
        env.append(("PET_NPROC_PER_NODE", job.processes))
    if job.policy is not None:
        env += _elastic(job, job.policy)
    elif job.dialect.has_processes:
        env.append(("PET_NNODES", str(job.total)))
    return env


def _master(job: Job, rank: str) -> list[tuple[str, str]]:
    """Generate of master.go. RANK is the pod's rank, while WORLD_SIZE counts processes if nprocPerNode is a number."""
    host, port = f"{job.name}-master-0", str(job.port(MASTER))
    per_pod = int(job.processes) if job.processes and _NUMBER.fullmatch(job.processes) else 1  # getNprocPerNodeInt
    return [
        ("MASTER_PORT", port),
        ("PET_MASTER_PORT", port),
        ("MASTER_ADDR", host),
        ("PET_MASTER_ADDR", host),
        ("WORLD_SIZE", str(job.total * per_pod)),
        ("RANK", rank),
        ("PET_NODE_RANK", rank),
    ]


def _elastic(job: Job, policy: Object) -> Iterator[tuple[str, str]]:
    """Generate of elastic.go."""
    host = text(policy, "rdzvHost") or f"{job.name}-worker-0"
    yield "PET_RDZV_ENDPOINT", f"{host}:{text(policy, 'rdzvPort') or job.port(WORKER)}"
    yield "PET_RDZV_BACKEND", text(policy, "rdzvBackend") or "c10d"
    yield "PET_NNODES", f"{job.bounds[0]}:{job.bounds[1]}"
    for field, name in (
        ("maxRestarts", "PET_MAX_RESTARTS"),
        ("nProcPerNode", job.dialect.processes),
        ("rdzvId", "PET_RDZV_ID"),
    ):
        if at(policy, field) is not None:
            yield name, text(policy, field)
    pairs = items(policy, "rdzvConf")
    if pairs:
        yield "PET_RDZV_CONF", ",".join(f"{text(pair, 'key')}={text(pair, 'value')}" for pair in pairs)
    if at(policy, "standalone") is True:
        yield "PET_STANDALONE", ""
