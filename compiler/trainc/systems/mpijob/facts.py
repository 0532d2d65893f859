"""Constants of Kubeflow's MPI operator 0.8.

Paths are of https://github.com/kubeflow/mpi-operator/tree/v0.8.2.
"""

from __future__ import annotations

# pkg/apis/kubeflow/v2beta1/types.go
LAUNCHER, WORKER = "Launcher", "Worker"
IMPLEMENTATIONS = ("OpenMPI", "Intel", "MPICH")
RESTART_POLICIES = ("Never", "OnFailure")  # validReplicaRestartPolicies of pkg/apis/kubeflow/validation/validation.go
CLEAN_POD_POLICIES = ("None", "Running", "All")
MANAGERS = ("kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue")
OPERATOR_NAME = "mpi-operator"

# pkg/controller/mpi_job_controller.go
CONFIG_FOLDER = "/etc/mpi"
HOSTFILE = f"{CONFIG_FOLDER}/hostfile"
SSH_FOLDER = "/root/.ssh"  # SetDefaults_MPIJob of pkg/apis/kubeflow/v2beta1/default.go
SSHD = ("/usr/sbin/sshd", "-De")
# Commands that certainly start no sshd.
IDLE = ("sleep", "tail", "cat", "true")
ROLE_VARIABLE = "K_MPI_JOB_ROLE"
# Variables of the launcher's first container, after its own: ompiEnvVars, intelEnvVars, mpichEnvVars, the slots, and
# nvidiaDisableEnvVars without runLauncherAsWorker.
SSH_ARGS = "-o ConnectionAttempts=10"
IMPLEMENTATION_VARIABLES = {
    "OpenMPI": (
        ("OMPI_MCA_orte_keep_fqdn_hostnames", "true"),
        ("OMPI_MCA_orte_default_hostfile", HOSTFILE),
        ("OMPI_MCA_plm_rsh_args", SSH_ARGS),
    ),
    "Intel": (("I_MPI_HYDRA_HOST_FILE", HOSTFILE), ("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", SSH_ARGS)),
    "MPICH": (("HYDRA_HOST_FILE", HOSTFILE), ("HYDRA_LAUNCH_EXTRA_ARGS", SSH_ARGS)),
}
SLOTS_VARIABLES = {"OpenMPI": "OMPI_MCA_orte_set_default_slots", "Intel": "I_MPI_PERHOST"}
WITHOUT_GPUS = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")

# pkg/apis/kubeflow/v2beta1/constants.go
LABELS = "training.kubeflow.org/"
OPERATOR_LABEL = LABELS + "operator-name"
JOB_LABEL = LABELS + "job-name"
ROLE_LABEL = LABELS + "job-role"
INDEX_LABEL = LABELS + "replica-index"
