"""Constants of the Torch Elastic operator.

Paths are of https://github.com/pytorch/elastic/tree/master/kubernetes, and of kubeflow/common at 0b3a4c3fca85, on
which that is built.
"""

from __future__ import annotations

CONTAINER = "elasticjob-worker"  # api/v1alpha1/constants.go
GROUP = "elastic.pytorch.org"

# pkg/apis/common/v1/constants.go of kubeflow/common
POD_LABELS = ("group-name", "job-name", "replica-type", "replica-index")
JOB_LABEL, INDEX_LABEL = POD_LABELS[1], POD_LABELS[-1]

# Arguments that the operator prepends to those of every container: SetClusterSpecForPod of controllers/pod.go; here as
# in a job file, for a command line that contains them itself.
INJECTED = (
    "--rdzv_backend=$(PET_RDZV_BACKEND)",
    "--rdzv_endpoint=$(PET_RDZV_ENDPOINT)",
    "--rdzv_id=$(PET_RDZV_ID)",
    "--nnodes=$(PET_NNODES)",
)
BACKEND = "etcd"  # of every job
# Drops the operator's arguments and starts the program after them, for other programs than torchrun; `sh` is $0.
SHIFTED = ("sh", "-c", f'shift {len(INJECTED)}; exec "$@"', "sh")


def injected_arguments(name: str, endpoint: str, low: int, high: int) -> tuple[str, ...]:
    """Return the arguments of a job. torchrun uses the last of a repeated option, so that the job's own prevails."""
    rendezvous = (f"--rdzv_backend={BACKEND}", f"--rdzv_endpoint={endpoint}", f"--rdzv_id={name}")
    return (*rendezvous, f"--nnodes={low}:{high}")
