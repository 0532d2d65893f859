"""Success, failure and cleanup of the job."""

from __future__ import annotations

from trainc.ir.job import Failure, Replicas
from trainc.source.node import Mapping, scalar_text
from trainc.spec.job import TrainingJob
from trainc.spec.lifecycle import Lifecycle
from trainc.target import Target

FAILURES_PER_WORKER = 3
KUBERNETES_DEFAULT = 6
FIRST_SIGNAL = 128


def leader_decides(lifecycle: Lifecycle, replicas: Replicas, starts_workers: bool) -> bool:
    """Return whether worker 0's success completes the job: by default where other workers may never have started.

    With `starts_workers` worker 0 starts the processes of all workers, and the others never end by themselves.
    """
    if lifecycle.success_policy is not None:
        return lifecycle.success_policy == "Leader"
    return replicas.elastic or (starts_workers and replicas.maximum > 1)


def ends_itself(job: TrainingJob, target: Target) -> bool:
    """Return whether worker 0 scales a set that never ends to zero, as a service account of a known namespace."""
    has_namespace = (target.namespace or job.metadata.namespace) is not None
    has_command = job.run.kind != "entrypoint"  # only the image knows the entrypoint, so no command can precede it
    return has_command and job.mode.name == "run" and has_namespace and job.lifecycle.stop_when_done


def seconds_kept(lifecycle: Lifecycle, target: Target) -> int | None:
    """Return how long a finished job is kept. With `cleanPodPolicy: All` it isn't: Kubernetes deletes a Job's finished
    pods only with the Job.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#clean-up-finished-jobs-automatically
    Controllers that implement cleanPodPolicy keep the job whose pods they delete.
    """
    if not target.system.supports("spec.lifecycle.ttlSecondsAfterFinished"):
        return None
    deletes_job = lifecycle.clean_pod_policy == "All" and not target.system.cleans_pods
    return 0 if deletes_job else lifecycle.ttl_seconds_after_finished


def account(job: TrainingJob) -> str | None:
    """Return the service account that the job names."""
    spec = job.pod_template.get("spec") if job.pod_template else None
    name = spec.get("serviceAccountName") if isinstance(spec, Mapping) else None
    return scalar_text(name) or None


def lower_failure(lifecycle: Lifecycle, replicas: Replicas, target: Target, once: bool) -> Failure:
    """Return the backoff limits, by default Kubernetes' number of failures for each worker.

    When one worker fails, the launchers of all others exit too, and each of their pods counts as a failure. With one
    limit for all, Kubernetes 1.36 waited ten minutes before it replaced eight workers: 10 s, doubled with every failed
    pod; with a limit per worker it waited 10 s. Restarts in place have no limit per worker: theirs is three times the
    number of workers. `once` is for a job whose second attempt can't succeed. A controller's own default stays.
    https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
    """
    together, each = lifecycle.backoff_limit, lifecycle.backoff_limit_per_index
    if not target.system.supports("spec.lifecycle.backoffLimitPerIndex"):
        each = None
    restarts_together = target.system.restarts_together and not replicas.elastic and each is None
    restarts_together = restarts_together and lifecycle.restart_policy != "OnFailure"
    if together is None and each is None:
        if once:
            together = 0
        elif not target.system.keeps_backoff_default:
            in_place = lifecycle.restart_policy == "OnFailure" or target.system.container_restarts == "by default"
            has_one_limit = in_place or not target.system.supports("spec.lifecycle.backoffLimitPerIndex")
            if restarts_together:
                together = KUBERNETES_DEFAULT
            elif replicas.maximum == 1 or has_one_limit:
                together = max(KUBERNETES_DEFAULT, FAILURES_PER_WORKER * replicas.maximum)
            else:
                each = KUBERNETES_DEFAULT
    codes = lifecycle.exit_codes
    fatal, unless = (codes.fatal, codes.retryable or ()) if codes else ((), ())
    if unless == "signals":
        # A signal's number plus 128: https://www.gnu.org/software/bash/manual/html_node/Exit-Status.html
        fatal, unless = (*fatal, *range(1, FIRST_SIGNAL)), ()
    return Failure(
        # The API server requires them sorted and without duplicates.
        fatal=tuple(sorted(set(fatal))),
        unless=tuple(sorted(set(unless))),
        backoff_limit=together,
        backoff_limit_per_index=each,
        active_deadline_seconds=lifecycle.active_deadline_seconds,
        restart_policy=lifecycle.restart_policy,
        restarts_together=restarts_together,
    )
