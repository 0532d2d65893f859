"""Fields of an MPIJob by the fields of job files, and their values.

https://github.com/kubeflow/mpi-operator/blob/v0.8.2/pkg/apis/kubeflow/v2beta1/types.go
"""

from __future__ import annotations

from trainc.systems.mpijob import facts
from trainc.systems.shared.fields import Field, Fields
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.ir.job import Job


def _implementation(job: Job) -> str | None:
    own = job.launcher_pod.mpi_implementation if job.launcher_pod else None
    return None if own == facts.IMPLEMENTATIONS[0] else own


def _ssh_folder(job: Job) -> str | None:
    own = job.launcher_pod.ssh_folder if job.launcher_pod else None
    return None if own == facts.SSH_FOLDER else own


def _clean_pod_policy(job: Job) -> str:
    """Return the policy. The operator's default keeps the workers, whose sshd never ends, and their GPUs."""
    return job.clean_pod_policy or "Running"


def _gang(job: Job) -> dict[str, Any] | None:
    if job.gang is None:
        return None
    from trainc.systems.shared.kubeflow.gang import scheduling_policy

    return scheduling_policy(job, job.gang, launchers=1)


# Sections of the spec.
RUN_POLICY, ROLES = "runPolicy", "mpiReplicaSpecs"
_RUN, _LAUNCHER, _WORKER = f"spec.{RUN_POLICY}", f"spec.{ROLES}.{facts.LAUNCHER}", f"spec.{ROLES}.{facts.WORKER}"
FIELDS: Fields = {
    "launch.basic.nprocPerNode": Field("spec.slotsPerWorker"),
    "launch.mpirun.slotsPerWorker": Field("spec.slotsPerWorker", write="launch.processes_per_pod"),
    "launcherPod.mpiImplementation": Field("spec.mpiImplementation", write=_implementation),
    "launcherPod.sshAuthMountPath": Field("spec.sshAuthMountPath", write=_ssh_folder),
    "mode": Field(f"{_RUN}.suspend", write="paused"),
    "lifecycle.cleanPodPolicy": Field(f"{_RUN}.cleanPodPolicy", write=_clean_pod_policy),
    "lifecycle.backoffLimit": Field(f"{_RUN}.backoffLimit", "consume", "failure.backoff_limit"),
    "lifecycle.activeDeadlineSeconds": Field(
        f"{_RUN}.activeDeadlineSeconds", "consume", "failure.active_deadline_seconds"
    ),
    "lifecycle.ttlSecondsAfterFinished": Field(
        f"{_RUN}.ttlSecondsAfterFinished", "consume", "ttl_seconds_after_finished"
    ),
    "scheduling.gang": Field(f"{_RUN}.schedulingPolicy", write=_gang),
    "launcherPod": Field(f"{_LAUNCHER}.template"),
    "launcherPod.resources": Field("resources"),  # of its container
    "launcherPod.workerCommand": Field("command"),  # of the workers' container
    "lifecycle.restartPolicy": Field(f"{_LAUNCHER}.restartPolicy"),
    "workers": Field(f"{_WORKER}.replicas"),
}
