"""Workers that run on after the job has finished: their sshd never ends."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, replace, warning

TRIGGERS = ("lifecycle.cleanPodPolicy",)


def check(context: RuleContext) -> Diagnostics:
    """cleanUpWorkerPods of pkg/controller/mpi_job_controller.go in the MPI operator 0.8.2"""
    lifecycle, gpus = context.spec.lifecycle, context.spec.resources.gpu_count
    if lifecycle.clean_pod_policy == "None":
        held = f" and keep {gpus * context.job.replicas.initial} GPUs" if gpus else ""
        message = Message("the workers run on after the end of the job{}, as `{lifecycle/cleanPodPolicy}` says", held)
        where, help_ = lifecycle.where("cleanPodPolicy"), Message("set `{lifecycle/cleanPodPolicy: Running}`")
        remedy = replace(where, "Running")
        yield warning(codes.WORKERS_KEEP_RUNNING, message, where, help=help_, remedy=remedy)
