"""Constants of Kubeflow Trainer 2.1 to 2.3.

Paths are of https://github.com/kubeflow/trainer/tree/v2.3.0.
"""

from __future__ import annotations

GROUP = "trainer.kubeflow.org"
API_VERSION = f"{GROUP}/v1alpha1"
# The default of runtimeRef.kind comes first: pkg/apis/trainer/v1alpha1/trainjob_types.go
CLUSTER_RUNTIME, RUNTIME = "ClusterTrainingRuntime", "TrainingRuntime"
RUNTIME_KINDS = (CLUSTER_RUNTIME, RUNTIME)
MANAGER = f"{GROUP}/trainjob-controller"
MANAGERS = (MANAGER, "kueue.x-k8s.io/multikueue")

# Policies of a runtime that create a PodGroup of all pods: framework/plugins/coscheduling and volcano, since 2.1.
GANG_SCHEDULERS = ("coscheduling", "volcano")
QUEUE_ANNOTATION = "scheduling.volcano.sh/queue-name"  # on the runtime's template: framework/plugins/volcano/volcano.go

# pkg/constants/constants.go
ANCESTOR_LABEL = f"{GROUP}/trainjob-ancestor-step"
TRAINER, NODE, LAUNCHER = "trainer", "node", "launcher"  # value of that label; container; Job of mpirun
INITIALIZERS = ("dataset-initializer", "model-initializer")
PORT = 29500
DEVICES = ("auto", "cpu", "gpu")  # values of numProcPerNode, beside numbers, in Trainer 2.1 only
SNAPSHOT_SUFFIX = "-runtime-snapshot"  # pkg/runtime/core/snapshot.go
RANK_FIELD = "metadata.annotations['batch.kubernetes.io/job-completion-index']"

# Variables that a runtime with the policy sets and that spec.trainer.env must not have:
# pkg/runtime/framework/plugins/torch/torch.go, mpi/mpi.go, xgboost/xgboost.go
TORCH_VARIABLES = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")
JAX_VARIABLES = ("JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS")  # jax/jax.go, not reserved
MPI_VARIABLES = (
    *("OMPI_MCA_orte_default_hostfile", "OMPI_MCA_orte_keep_fqdn_hostnames"),
    *("OMPI_MCA_orte_set_default_slots", "OMPI_MCA_plm_rsh_args"),
)
XGBOOST_VARIABLES = ("DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER")
RESERVED = {"torch": TORCH_VARIABLES, "mpi": MPI_VARIABLES, "xgboost": XGBOOST_VARIABLES}
# Policies of a runtime; it has at most one: pkg/apis/trainer/v1alpha1/trainingruntime_types.go
POLICIES = ("torch", "mpi", "jax", "xgboost", "flux")

# What runtimes with the other policies run, and what serves in trainc: pkg/runtime/framework/plugins
NOT_TRANSLATED = {
    "xgboost": ("sets the variables of XGBoost's tracker", "keep the TrainJob: trainc has no launcher for XGBoost"),
    "flux": (
        "starts a Flux instance, which schedules the processes",
        "keep the TrainJob, or write a job with launcherPod for --backend mpijob",
    ),
}
TORCHTUNE = ["tune", "run"]  # whose other arguments Trainer may compose: framework/plugins/torch/torchtune.go

# Releases and what they accept: a TrainJob's changes to its runtime, and its own time limit.
VERSIONS = ("2.3", "2.2", "2.1")
WITH_COPIES = ("2.3",)  # of its runtime, from its start
WITH_PATCHES = ("2.3", "2.2")  # runtimePatches in place of podTemplateOverrides, and activeDeadlineSeconds
