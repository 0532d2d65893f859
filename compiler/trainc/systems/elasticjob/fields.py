"""Fields of an ElasticJob by the fields of job files, and their values.

Paths are of https://github.com/pytorch/elastic/tree/master/kubernetes, and of kubeflow/common at 0b3a4c3fca85, on
which that is built.
"""

from __future__ import annotations

from trainc.systems.shared.fields import Field, Fields, table
from trainc.systems.shared.kubeflow.facts import RETRYABLE
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.ir.job import Failure, Job


def _bounds(job: Job) -> tuple[int | None, int | None]:
    """Return the fewest and most workers of an elastic job."""
    return (job.replicas.minimum, job.replicas.maximum) if job.replicas.elastic else (None, None)


def _backoff_limit(job: Job) -> int | None:
    """Return the limit of the only policy whose restarts count: pastBackoffLimit of pkg/controller.v1/common/job.go."""
    return job.failure.backoff_limit if restart_policy(job.failure) == "OnFailure" else None


def restart_policy(failure: Failure) -> str:
    """Return the workers' policy. The operator's default is Always, with which no worker ever succeeds.

    OnFailure restarts containers in their pods; a pod that fails as a whole ends the job, as any pod does with Never.
    ExitCode recreates a pod after some signals; after any other exit code the job waits for the pod without end.
    """
    if failure.restart_policy == "OnFailure":
        return "OnFailure"
    if failure.unless == RETRYABLE and not failure.fatal:
        return "ExitCode"
    return "Never" if failure.backoff_limit == 0 or failure.restart_policy == "Never" else "OnFailure"


# Names in the spec. The definition has the fields of the policy in `spec`, where the operator doesn't read them:
# ElasticJobSpec of api/v1alpha1/elasticjob_types.go has a field `RunPolicy` with `json:",inline"`, and Go's JSON
# inlines only embedded fields.
RUN_POLICY, ROLES = "RunPolicy", "replicaSpecs"
# Running pods of a finished job are deleted: the operator's default keeps them, and a worker that waits for a failed
# one would keep its GPUs. Two fields are only read. activeDeadlineSeconds counts from a startTime that nothing sets, so
# the pods have it (PastActiveDeadline of pkg/controller.v1/common/job.go). With ttlSecondsAfterFinished the operator
# crashes on a failed job: cleanupJob of the same file adds it to a completionTime that is nil.
_SECTIONS: dict[str, Fields] = {
    "spec": {
        "launch.torchrun.rendezvous.endpoint": Field("rdzvEndpoint"),
        "elastic.minReplicas": Field("minReplicas", write=lambda job: _bounds(job)[0]),
        "elastic.maxReplicas": Field("maxReplicas", write=lambda job: _bounds(job)[1]),
    },
    f"spec.{RUN_POLICY}": {
        "lifecycle.cleanPodPolicy": Field("cleanPodPolicy", write=lambda job: job.clean_pod_policy or "Running"),
        "lifecycle.backoffLimit": Field("backoffLimit", "consume", _backoff_limit),
        "lifecycle.activeDeadlineSeconds": Field("activeDeadlineSeconds", "consume"),
        "lifecycle.ttlSecondsAfterFinished": Field("ttlSecondsAfterFinished", "consume"),
    },
    f"spec.{ROLES}.Worker": {
        "workers": Field("replicas"),
        "lifecycle.restartPolicy": Field("restartPolicy"),
    },
}
FIELDS = table(_SECTIONS)
