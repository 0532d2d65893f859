"""Constants of Kubeflow's training operator 1.9.

Paths are of https://github.com/kubeflow/training-operator/tree/release-1.9.
"""

from __future__ import annotations

# pkg/apis/kubeflow.org/v1/pytorch_types.go
CONTAINER = "pytorch"
PORT_NAME = "pytorchjob-port"
PORT = 23456  # in the role's own port, if that has none of this name: pytorch_defaults.go
MASTER, WORKER = "Master", "Worker"
# pkg/controller.v1/pytorch/initcontainer.go: of each worker, where the job has a Master
INIT_CONTAINER = "init-pytorch"
INIT_IMAGE = "alpine:3.10"  # pkg/config/config.go

# pkg/apis/kubeflow.org/v1/common_types.go
LABELS = "training.kubeflow.org/"
OPERATOR_LABEL = LABELS + "operator-name"
JOB_LABEL = LABELS + "job-name"
TYPE_LABEL = LABELS + "replica-type"
INDEX_LABEL = LABELS + "replica-index"
ROLE_LABEL = LABELS + "job-role"  # `master` on the Master, or on worker 0 of a job without one
MANAGER = "kubeflow.org/training-operator"  # KubeflowJobsController: the value of managedBy that is this operator
MANAGERS = (
    MANAGER,
    "kueue.x-k8s.io/multikueue",
)  # MultiKueueController; others are rejected: pkg/common/util/webhooks.go

# Variables of every container, behind its own: setPodEnv of pkg/controller.v1/pytorch/envvar.go; with a Master those
# of master.go; with an elasticPolicy those of elastic.go.
PROCESSES = "PET_NPROC_PER_NODE"
ALWAYS_SET = ("PYTHONUNBUFFERED", PROCESSES, "PET_NNODES")
SET_WITH_MASTER = (
    *("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK"),
    *("PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NODE_RANK"),
)
SET_BY_ANY_POLICY = ("PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_NNODES")
SET_BY_FIELDS = {"rdzvId": "PET_RDZV_ID", "rdzvConf": "PET_RDZV_CONF", "maxRestarts": "PET_MAX_RESTARTS"}
SET_BY_POLICY = (*SET_BY_ANY_POLICY, *SET_BY_FIELDS.values())

# The first exit code after which ExitCode replaces a pod: IsRetryableExitCode of pkg/util/train/train_util.go
FIRST_RETRYABLE = 128
