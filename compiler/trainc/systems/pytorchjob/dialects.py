"""API versions of PyTorchJob, each served by an operator of its own.

`ctyun.cn/v1` is a fork of the training operator 1.5, whose ElasticPolicy it documents:
https://github.com/kubeflow/training-operator/tree/v1.5.0/pkg/controller.v1/pytorch
"""

from __future__ import annotations

from trainc.record import Record
from trainc.systems.pytorchjob import facts


class Dialect(Record):
    """Fields of one API version, and the variables that its operator sets.

    `processes` is the variable of `elasticPolicy.nProcPerNode`; with `has_processes` there is also `spec.nprocPerNode`,
    and PET_NPROC_PER_NODE and PET_NNODES are set in every job.
    `wait` is the command of the init container, which fails after `wait_seconds`, if any.
    """

    api_version: str
    always_set: tuple[str, ...]
    set_with_master: tuple[str, ...]
    has_processes: bool
    has_suspend: bool
    processes: str
    unbuffered: str
    wait: str
    wait_seconds: int | None


KUBEFLOW = Dialect(
    api_version="kubeflow.org/v1",
    always_set=facts.ALWAYS_SET,
    set_with_master=facts.SET_WITH_MASTER,
    has_processes=True,
    has_suspend=True,
    processes=facts.PROCESSES,
    unbuffered="1",
    wait="err=1;for i in $(seq 100); do if nslookup {host}; then err=0 && break; fi;"
    "echo waiting for master; sleep 2; done; exit $err",
    wait_seconds=200,  # 100 lookups of the name, with 2 s between them
)
CTYUN = Dialect(
    api_version="ctyun.cn/v1",
    always_set=("PYTHONUNBUFFERED",),
    set_with_master=("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"),
    has_processes=False,
    has_suspend=False,
    processes="PET_N_PROC_PER_NODE",  # as its documentation spells it; torchrun reads PET_NPROC_PER_NODE
    unbuffered="0",
    wait="until nslookup {host}; do echo waiting for master; sleep 2; done;",
    wait_seconds=None,
)
DIALECTS = {dialect.api_version: dialect for dialect in (KUBEFLOW, CTYUN)}


def dialect_of(api_version: str) -> Dialect:
    """Return the dialect of an API version, that of Kubeflow for an unknown one."""
    return DIALECTS.get(api_version, KUBEFLOW)
