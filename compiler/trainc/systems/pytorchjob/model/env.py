"""Variables that the training operator appends to those of every container of a PyTorchJob's pod.

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go, setPodEnv
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.plan.fields import Object, at, items, text
from trainc.systems.pytorchjob.facts import MASTER, WORKER
from trainc.systems.pytorchjob.model.defaults import Job

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


def variables(job: Job, role: str, index: int) -> list[tuple[str, str]]:
    """Return names and values in the operator's order."""
    env = [("PYTHONUNBUFFERED", "1")]
    if MASTER in job.roles:
        env += _master(job, str(index + 1 if role == WORKER else index))
    if job.processes is not None:
        env.append(("PET_NPROC_PER_NODE", job.processes))
    if job.policy is not None:
        env += _elastic(job, job.policy)
    else:
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
        ("nProcPerNode", "PET_NPROC_PER_NODE"),
        ("rdzvId", "PET_RDZV_ID"),
    ):
        if at(policy, field) is not None:
            yield name, text(policy, field)
    pairs = items(policy, "rdzvConf")
    if pairs:
        yield "PET_RDZV_CONF", ",".join(f"{text(pair, 'key')}={text(pair, 'value')}" for pair in pairs)
    if at(policy, "standalone") is True:
        yield "PET_STANDALONE", ""
