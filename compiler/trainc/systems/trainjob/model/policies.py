"""Variables, ports and volumes that the policy of a runtime adds to the pods of a TrainJob.

https://github.com/kubeflow/trainer/tree/v2.3.0/pkg/runtime/framework/plugins: EnforceMLPolicy of torch/torch.go,
mpi/mpi.go and jax/jax.go
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.plan.quantity import parse_quantity
from trainc.systems.shared.model import field_variable, variable
from trainc.systems.trainjob import facts
from trainc.systems.trainjob.model.runtime import is_trainer, replicated_jobs
from trainc.systems.trainjob.traits import TRAITS

BY = TRAITS.operator
HOSTFILE, SSH = "mpi-hostfile", "mpi-ssh-auth"


class Changes(NamedTuple):
    """Additions to the container `node` of a replicated job, and to the volumes of its pods."""

    env: list[Object] = []
    ports: list[Object] = []
    volumes: list[Object] = []
    mounts: list[Object] = []


def policy_changes(resource: Object, runtime: Object, job: Object, count: int) -> Changes:
    """Return the changes of one replicated job with `count` pods. Without `trainer` in the TrainJob, PyTorch's and
    JAX's policies change nothing."""
    policy = mapping(runtime, "spec", "mlPolicy")
    if at(policy, "mpi") is not None:
        return _mpi(resource, runtime, job)
    if not is_trainer(job) or at(resource, "spec", "trainer") is None:
        return Changes()
    name = text(resource, "metadata", "name")
    host = f"{name}-{facts.NODE}-0-0.{name}"
    port = [{"containerPort": facts.PORT}]
    if at(policy, "torch") is not None:
        env = [
            variable("PET_NNODES", str(count), BY),
            variable("PET_NPROC_PER_NODE", processes_per_node(resource, job), BY),
            field_variable("PET_NODE_RANK", facts.RANK_FIELD, BY),
            variable("PET_MASTER_ADDR", host, BY),
            variable("PET_MASTER_PORT", str(facts.PORT), BY),
        ]
        return Changes(env=env, ports=port)
    if at(policy, "jax") is not None:
        env = [
            variable("JAX_NUM_PROCESSES", str(count), BY),
            field_variable("JAX_PROCESS_ID", facts.RANK_FIELD, BY),
            variable("JAX_COORDINATOR_ADDRESS", f"{host}:{facts.PORT}", BY),
        ]
        return Changes(env=env, ports=port)
    return Changes()


def processes_per_node(resource: Object, job: Object) -> str:
    """Return PET_NPROC_PER_NODE: `auto` with a GPU, else the CPUs that the container requests, or 1.

    In Trainer 2.1 numProcPerNode may be a name, too: `cpu` counts CPUs, and torchrun reads `gpu`.
    """
    field = ("spec", "trainer", "numProcPerNode")
    processes, name = number(resource, *field), text(resource, *field)
    if processes is not None or name == "gpu":
        return name if processes is None else str(processes)
    resources = effective_resources(resource, job)
    if gpu_count(resources) and name != "cpu":
        return "auto"
    return str(max(cpu_count(resources), 1))


def effective_resources(resource: Object, job: Object) -> Object:
    """Return the resources that the policies count: those of the TrainJob, else of the runtime's container."""
    own = at(resource, "spec", "trainer", "resourcesPerNode")
    if isinstance(own, dict):
        return own
    containers = items(job, "template", "spec", "template", "spec", "containers")
    return next((mapping(each, "resources") for each in containers if text(each, "name") == facts.NODE), {})


def cpu_count(resources: Object) -> int:
    """Return the requested CPUs, else the limit, rounded up: getNumCPUPerNode."""
    amounts = (parse_quantity(text(resources, kind, "cpu")) for kind in ("requests", "limits"))
    return ceil(next(filter(None, amounts), 0))


def gpu_count(resources: Object) -> int:
    """Return the value of a resource with `gpu` in its name: GetNumGPUPerNode of pkg/runtime/runtime.go. Of several
    such resources the operator takes any."""
    for kind in ("requests", "limits"):
        amounts = [amount for name, amount in mapping(resources, kind).items() if "gpu" in str(name).lower()]
        count = ceil(parse_quantity(str(amounts[0])) or 0) if amounts else 0
        if count:
            return count
    return 0


def slots(resource: Object, runtime: Object) -> int:
    """Return the slots of each host in the hostfile."""
    processes = number(resource, "spec", "trainer", "numProcPerNode")
    if processes is not None:
        return processes
    stated = number(runtime, "spec", "mlPolicy", "mpi", "numProcPerNode") or 1
    node = next((each for each in replicated_jobs(runtime) if text(each, "name") == facts.NODE), {})
    count = gpu_count(effective_resources(resource, node)) if stated == 1 else 0
    return count if count > 1 else stated


def _mpi(resource: Object, runtime: Object, job: Object) -> Changes:
    name, own = text(resource, "metadata", "name"), text(job, "name")
    if own not in (facts.NODE, facts.LAUNCHER):
        return Changes()
    folder = text(runtime, "spec", "mlPolicy", "mpi", "sshAuthMountPath") or "/root/.ssh"
    files = (("ssh-privatekey", "id_rsa", 0o640), ("ssh-publickey", "id_rsa.pub", 0o644))
    keys = [{"key": key, "path": path, "mode": mode} for key, path, mode in files]
    keys.append({"key": "ssh-publickey", "path": "authorized_keys", "mode": 0o644})
    secret = {"secretName": f"{name}-{SSH}", "defaultMode": 0o400, "items": keys}
    volumes: list[Object] = [{"name": SSH, "secret": secret}]
    mounts: list[Object] = [{"name": SSH, "mountPath": folder}]
    if own == facts.NODE:
        return Changes(volumes=volumes, mounts=mounts)
    hostfile = {"key": "hostfile", "path": "hostfile", "mode": 0o444}
    volumes.append({"name": HOSTFILE, "configMap": {"name": f"{name}-{HOSTFILE}", "items": [hostfile]}})
    mounts.append({"name": HOSTFILE, "mountPath": "/etc/mpi"})
    values = ("/etc/mpi/hostfile", "true", str(slots(resource, runtime)), "-o ConnectionAttempts=10")
    env = [variable(*pair, BY) for pair in zip(facts.MPI_VARIABLES, values, strict=True)]
    return Changes(env=env, volumes=volumes, mounts=mounts)
