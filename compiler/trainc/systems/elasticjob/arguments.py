"""What the Torch Elastic operator puts before the arguments of every container of an ElasticJob.

SetClusterSpecForPod of https://github.com/pytorch/elastic/blob/master/kubernetes/controllers/pod.go
"""

from __future__ import annotations

# As a job of ours says it, where a command line has to hold them itself.
INJECTED = (
    "--rdzv_backend=$(PET_RDZV_BACKEND)",
    "--rdzv_endpoint=$(PET_RDZV_ENDPOINT)",
    "--rdzv_id=$(PET_RDZV_ID)",
    "--nnodes=$(PET_NNODES)",
)
BACKEND = "etcd"  # always
# Runs the words behind the operator's, for what is no torchrun; `sh` is the script's name.
SHIFTED = ("sh", "-c", f'shift {len(INJECTED)}; exec "$@"', "sh")


def injected(name: str, endpoint: str, low: int, high: int) -> tuple[str, ...]:
    """The arguments, of a job with this name and these bounds. Of an option that is given twice torchrun takes the
    last: what the job says itself counts."""
    return (
        f"--rdzv_backend={BACKEND}",
        f"--rdzv_endpoint={endpoint}",
        f"--rdzv_id={name}",
        f"--nnodes={low}:{high}",
    )
