"""Fields of an ElasticJob by the fields of job files, and their values.

Paths are of https://github.com/pytorch/elastic/tree/master/kubernetes, and of kubeflow/common at 0b3a4c3fca85, on
which that is built.
"""

from __future__ import annotations

from trainc.systems.shared.fields import Field, Fields
from trainc.systems.shared.kubeflow.facts import RETRYABLE
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.ir.job import Failure, Job


def _minimum(job: Job) -> int | None:
    return job.replicas.minimum if job.replicas.elastic else None


def _maximum(job: Job) -> int | None:
    return job.replicas.maximum if job.replicas.elastic else None


def _clean_pod_policy(job: Job) -> str:
    """Return the policy. The operator's default keeps running pods of a finished job, and a worker that waits for a
    failed one would keep its GPUs."""
    return job.clean_pod_policy or "Running"


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


# Sections of the spec. The definition has the fields of the policy in `spec`, where the operator doesn't read them:
# ElasticJobSpec of api/v1alpha1/elasticjob_types.go has a field `RunPolicy` with `json:",inline"`, and Go's JSON
# inlines only embedded fields.
RUN_POLICY, ROLES = "RunPolicy", "replicaSpecs"
_RUN, _WORKER = f"spec.{RUN_POLICY}", f"spec.{ROLES}.Worker"
# Two fields are only read. activeDeadlineSeconds counts from a startTime that nothing sets, so the pods have it
# (PastActiveDeadline of pkg/controller.v1/common/job.go). With ttlSecondsAfterFinished the operator crashes on a failed
# job: cleanupJob of the same file adds it to a completionTime that is nil.
FIELDS: Fields = {
    "launch.torchrun.rendezvous.endpoint": Field("spec.rdzvEndpoint"),
    "elastic.minReplicas": Field("spec.minReplicas", write=_minimum),
    "elastic.maxReplicas": Field("spec.maxReplicas", write=_maximum),
    "lifecycle.cleanPodPolicy": Field(f"{_RUN}.cleanPodPolicy", write=_clean_pod_policy),
    "lifecycle.backoffLimit": Field(f"{_RUN}.backoffLimit", "consume", _backoff_limit),
    "lifecycle.activeDeadlineSeconds": Field(f"{_RUN}.activeDeadlineSeconds", "consume"),
    "lifecycle.ttlSecondsAfterFinished": Field(f"{_RUN}.ttlSecondsAfterFinished", "consume"),
    "workers": Field(f"{_WORKER}.replicas"),
    "lifecycle.restartPolicy": Field(f"{_WORKER}.restartPolicy"),
}
