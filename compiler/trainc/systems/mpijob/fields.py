"""Fields of an MPIJob by the fields of job files, and their values.

https://github.com/kubeflow/mpi-operator/blob/v0.8.2/pkg/apis/kubeflow/v2beta1/types.go
"""

from __future__ import annotations

from trainc.systems.mpijob import facts
from trainc.systems.shared.fields import Field, Fields, table
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.ir.job import Job


def _gang(job: Job) -> dict[str, Any] | None:
    if job.gang is None:
        return None
    priority = job.pod.placement.priority_class_name if job.gang.scheduler == "volcano" else None
    group = {"minAvailable": job.gang.minimum + 1, "queue": job.gang.queue, "priorityClass": priority}
    return {name: value for name, value in group.items() if value is not None}


# Names in the spec.
RUN_POLICY, ROLES = "runPolicy", "mpiReplicaSpecs"
# The operator's default of cleanPodPolicy keeps the workers, whose sshd never ends, and their GPUs.
_SECTIONS: dict[str, Fields] = {
    "spec": {
        "launch.basic.nprocPerNode": Field("slotsPerWorker"),
        "launch.mpirun.slotsPerWorker": Field("slotsPerWorker", write="launch.processes_per_pod"),
        "launcherPod.mpiImplementation": Field(
            "mpiImplementation", write="launcher_pod.mpi_implementation", default=facts.IMPLEMENTATIONS[0]
        ),
        "launcherPod.sshAuthMountPath": Field(
            "sshAuthMountPath", write="launcher_pod.ssh_folder", default=facts.SSH_FOLDER
        ),
    },
    f"spec.{RUN_POLICY}": {
        "mode": Field("suspend", write="paused", default=False),
        "lifecycle.cleanPodPolicy": Field("cleanPodPolicy", write=lambda job: job.clean_pod_policy or "Running"),
        "lifecycle.backoffLimit": Field("backoffLimit", "consume", "failure.backoff_limit"),
        "lifecycle.activeDeadlineSeconds": Field("activeDeadlineSeconds", "consume", "failure.active_deadline_seconds"),
        "lifecycle.ttlSecondsAfterFinished": Field("ttlSecondsAfterFinished", "consume", "ttl_seconds_after_finished"),
        "scheduling.gang": Field("schedulingPolicy", write=_gang),
    },
    f"spec.{ROLES}.{facts.LAUNCHER}": {
        "launcherPod": Field("template"),
        "lifecycle.restartPolicy": Field("restartPolicy"),
    },
    f"spec.{ROLES}.{facts.WORKER}": {
        "workers": Field("replicas"),
    },
}
FIELDS = table(_SECTIONS)
