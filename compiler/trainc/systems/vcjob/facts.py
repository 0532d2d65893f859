"""Constants of Volcano 1.15: https://github.com/volcano-sh/volcano/tree/v1.15.1

Volcano 1.9 to 1.14 have the same, unless a comment says otherwise.
"""

from __future__ import annotations

# Labels and annotations of pods: staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1/labels.go
PREFIX = "volcano.sh/"
JOB_LABEL = f"{PREFIX}job-name"
NAMESPACE_LABEL = f"{PREFIX}job-namespace"
TASK_LABEL = f"{PREFIX}task-spec"
INDEX_LABEL = f"{PREFIX}task-index"
QUEUE_LABEL = f"{PREFIX}queue-name"
VERSION_ANNOTATION = f"{PREFIX}job-version"
RETRY_ANNOTATION = f"{PREFIX}job-retry-count"
LABELS = (JOB_LABEL, NAMESPACE_LABEL, TASK_LABEL, INDEX_LABEL, QUEUE_LABEL, f"{PREFIX}partition-id")
# The name of the PodGroup: that of the Job and its uid. createJobPod of pkg/controllers/job/job_controller_util.go
GROUP_ANNOTATION = "scheduling.k8s.io/group-name"

# Defaults of the webhook: pkg/webhooks/admission/jobs/mutate/mutate_job.go
QUEUE, SCHEDULER, MAX_RETRY = "default", "volcano", 3
# validateJobCreate of pkg/webhooks/admission/jobs/validate/admit_job.go
ROOT_QUEUE = "root"
# Name of a task without one, before its number.
TASK = "default"
WORKER = "worker"  # the task that trainc emits

# pkg/controllers/job/plugins/factory.go
PLUGINS = ("ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray")
NEED_SERVICE = ("tensorflow", "mpi", "pytorch", "ray")  # patchDefaultPlugins of mutate_job.go
# pkg/controllers/job/plugins/env/const.go; older programs read the first
INDEX_VARIABLES = ("VK_TASK_INDEX", "VC_TASK_INDEX")
PUBLISH, NO_POLICY = "publish-not-ready-addresses", "disable-network-policy"
HOSTS_FOLDER = "/etc/volcano"  # pkg/controllers/job/plugins/svc/const.go
SSH_FOLDER = "/root/.ssh"
# pkg/controllers/job/plugins/distributed-framework/pytorch/pytorch.go
PORT, PORT_NAME, MASTER = 23456, "pytorchjob-port", "master"
PYTORCH_VARIABLES = ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK")
WAIT_CONTAINER, WAIT_IMAGE = "wait-for-master", "busybox:1.36.1"

# policyEventMap and policyActionMap of pkg/webhooks/admission/jobs/validate/util.go. RestartPod is in 1.11 and later,
# RestartPartition in 1.14 and later.
EVENTS = ("*", "PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated")
ACTIONS = (
    *("AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition", "TerminateJob", "CompleteJob"),
    "ResumeJob",
)
RESTARTS = ("RestartJob", "RestartTask", "RestartPod", "RestartPartition")


def host_variables(task: str) -> tuple[str, str]:
    """Return the names of the variables with a task's host names and their number: GenerateHosts of svc.go."""
    name = task.replace("-", "_").upper()
    return f"VC_{name}_HOSTS", f"VC_{name}_NUM"
