"""Failures: a backoff limit below the workers that fail together, futile restarts, and exit codes that never match."""

from __future__ import annotations

from trainc.checks.rule import (
    Diagnostics,
    Help,
    Message,
    Phrase,
    RuleContext,
    codes,
    error,
    remove,
    replace,
    use_backend,
    warning,
)

TRIGGERS = (
    "lifecycle.restartPolicy",
    "lifecycle.backoffLimit",
    "lifecycle.backoffLimitPerIndex",
    "lifecycle.exitCodes",
)


def check(context: RuleContext) -> Diagnostics:
    yield from _backoff_limit(context)
    yield from _futile_restarts(context)
    if context.spec.lifecycle.has("exitCodes"):
        yield from _exit_codes(context)


def _backoff_limit(context: RuleContext) -> Diagnostics:
    """Compare the limit with the workers.

    A Job fails at more failures than its limit or, if containers restart in place, at as many. A torchrun that may
    restart its processes waits for a lost peer, unless the peer hosts the rendezvous: `_invoke_run` of
    torch/distributed/elastic/agent/server/api.py.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy, and
    pastBackoffLimitOnFailure of pkg/controller/job/job_controller.go in kubernetes/kubernetes. A limit of 0 disables
    retries and is accepted. Each Kubernetes Job of a JobSet, such as that of a slice of TPUs, has the limit for itself.
    """
    lifecycle, replicas = context.spec.lifecycle, context.job.replicas
    limit = lifecycle.backoff_limit
    # Over ssh only worker 0's pod fails.
    fails_alone = context.job.launch.starts_workers or context.job.failure.restarts_together
    if not context.system.supports("spec.lifecycle.backoffLimit") or not limit or replicas.elastic or fails_alone:
        return
    operator = context.system.container_restarts == "by default"  # PastBackoffLimit of kubeflow/common
    if operator and lifecycle.restart_policy == "Never":
        return
    rendezvous, waits = context.job.launch.rendezvous.backend, bool(context.job.launch.max_restarts)
    if waits and rendezvous not in ("c10d", "static"):  # on a server that outlives all workers
        return
    incident = "failure of worker 0" if waits and rendezvous == "c10d" else "incident"
    in_place = operator or lifecycle.restart_policy == "OnFailure"
    together = context.largest_job or replicas.maximum // context.job.slices
    if together > 1 and limit < together + in_place:
        workers = (context.spec.where("workers", "elastic"), f"{together} failures at once")
        pods = f"{together} pods fail together"
        message = Message("the first {} ends the job: {}, but `{lifecycle/backoffLimit}` is {}", incident, pods, limit)
        raised: Phrase = f"raise it, for example to {3 * together}"
        if not operator and not context.file_kind:
            raised = Message("use {lifecycle/backoffLimitPerIndex}, {}", raised)
        help_: Help = (raised, "set 0 for no retries")
        where = lifecycle.where("backoffLimit")
        yield warning(codes.BACKOFF_LIMIT_BELOW_WORKERS, message, where, help=help_, related=[workers])


def _futile_restarts(context: RuleContext) -> Diagnostics:
    """Check for restarts that count as failures, pods that no controller replaces, and a closed rendezvous."""
    lifecycle, system = context.spec.lifecycle, context.system
    policy = lifecycle.where("restartPolicy")
    if (
        system.supports("spec.lifecycle.backoffLimit")
        and system.container_restarts != "never"
        and lifecycle.restart_policy == "OnFailure"
        and context.job.failure.backoff_limit == 0
    ):
        # https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
        message = "the first container restart ends the job: restarts count as failures, and the backoff limit is 0"
        limit = lifecycle.where("backoffLimit") if lifecycle.backoff_limit == 0 else context.spec.where("shareFile")
        related = [(limit, "sets the backoff limit to 0")]
        help_: Help = (Message("remove {lifecycle/restartPolicy}"), Message("raise {lifecycle/backoffLimit}"))
        yield warning(codes.FUTILE_RESTART, message, policy, help=help_, related=related, remedy=remove(policy))
    elif not system.has_controller and lifecycle.restart_policy == "Never" and context.job.replicas.elastic:
        other = (context.spec.where("elastic"), "the elastic range")
        message = "no controller replaces a failed Pod: the elastic job only shrinks"
        help_ = (Message("remove {lifecycle/restartPolicy}"), use_backend("job", ", which replaces failed pods"))
        yield warning(codes.FUTILE_RESTART, message, policy, help=help_, related=[other], remedy=remove(policy))
    else:
        yield from _closed_rendezvous(context)


def _closed_rendezvous(context: RuleContext) -> Diagnostics:
    """Report restarts with etcd.

    launch_agent of torch/distributed/launcher/api.py closes the rendezvous after the last failure, and etcd keeps it
    closed: restarted agents with the same id fail with RendezvousClosedError (observed with torch 2.15). c10d's store
    ends with the agents. After a signal the rendezvous stays open.
    """
    launch, lifecycle = context.spec.launch, context.spec.lifecycle
    restarts = lifecycle.has("restartPolicy") or lifecycle.backoff_limit or lifecycle.backoff_limit_per_index
    failure = context.job.failure  # workers that restart together have a new id
    if not launch.traits.is_elastic or not restarts or failure.backoff_limit == 0 or failure.restarts_together:
        return
    backend = context.job.launch.rendezvous.backend
    own = any(word.startswith(("--max-restarts", "--max_restarts")) for word in context.spec.run.words)
    if own or context.job.launch.max_restarts or backend not in ("etcd", "etcd-v2"):
        return
    message = f"torchrun closes its {backend} rendezvous when a process fails: restarted pods fail at once"
    where = lifecycle.where("restartPolicy", "backoffLimit", "backoffLimitPerIndex")
    server = (launch.rendezvous_section.where("backend"), "the backend")
    help_ = Message("set {launch.torchrun.maxRestarts}, so that torchrun restarts the processes")
    yield warning(codes.FUTILE_RESTART, message, where, help=help_, related=[server])


def _exit_codes(context: RuleContext) -> Diagnostics:
    """Check `exitCodes`.

    torchrun hides the codes of its processes, and Kubernetes evaluates the rules only for failed pods.
    """
    lifecycle, launcher, system = context.spec.lifecycle, context.spec.launch.traits, context.system
    where = lifecycle.where("exitCodes")
    if launcher.hides_exit_codes:
        what: Phrase = "these exit codes never match" if context.file_kind else "`exitCodes` never match"
        help_ = context.cure(
            Message("use {lifecycle/backoffLimit} to limit retries"), "react to every failure, not to exit codes"
        )
        if context.file_kind and lifecycle.exit_codes and lifecycle.exit_codes.retryable == "signals":
            what = Message("{lifecycle/restartPolicy} `ExitCode` restarts no worker")
            help_ = Message("use {lifecycle/restartPolicy} OnFailure")
        message = Message("{}: {} exits with 1 whenever a process fails", what, launcher.name)
        yield warning(codes.HIDDEN_EXIT_CODE, message, where, help=help_)
    in_place = lifecycle.restart_policy == "OnFailure" and system.container_restarts != "never"
    if in_place and system.supports("spec.lifecycle.exitCodes"):
        policy = lifecycle.where("restartPolicy")
        message = Message("`{lifecycle/exitCodes}` have no effect if containers are restarted in place")
        related, remedy = [(policy, "conflicts with this")], replace(policy, "Never")
        help_ = Message("use {lifecycle/restartPolicy: Never}")
        yield error(codes.HIDDEN_EXIT_CODE, message, where, help=help_, related=related, remedy=remedy)
