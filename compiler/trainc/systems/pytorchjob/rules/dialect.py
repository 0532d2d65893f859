"""What ctyun.cn/v1 lacks, a fork of the training operator 1.5."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, no_effect, use_backend
from trainc.ir.env import PodFact
from trainc.systems.pytorchjob.dialects import dialect_of

TRIGGERS = ("mode", "lifecycle", "scheduling")


def check(context: RuleContext) -> Diagnostics:
    """Check suspension, which runPolicy lacks; Kueue, which knows kubeflow.org only; and ranks next to a Master.

    Next to a Master the operator appends RANK and WORLD_SIZE, the number of pods: setPodEnv of
    https://github.com/kubeflow/training-operator/blob/v1.5.0/pkg/controller.v1/pytorch/envvar.go. An earlier variable
    can't refer to them, and a later one replaces those of trainc.
    """
    version, spec, job = context.target.controller_version, context.spec, context.job
    dialect = dialect_of(version)
    if job.paused and not dialect.has_suspend:
        message, help_ = f"a PyTorchJob of {version} cannot be paused", "apply the job when it should start"
        yield error(codes.PAUSE_UNSUPPORTED, message, spec.where("mode"), help=help_)
    if job.queue and not dialect.has_suspend:  # by which Kueue holds a job back
        yield no_effect(context, "spec.scheduling.queue", f"Kueue doesn't manage {version}", use_backend("job"))
    own = {variable.name: variable.value for variable in job.pod.env if variable.origin is None}
    if job.has_leader_role and not dialect.has_processes:
        pods = str(job.replicas.maximum)
        if own.get("WORLD_SIZE", pods) != pods or own.get("PET_NODE_RANK") is PodFact.INDEX:
            message = f"next to a Master the operator of {version} sets RANK and WORLD_SIZE of the pods only"
            help_ = "remove it: the job completes when all workers have succeeded"
            yield error(codes.UNSUPPORTED_BY_BACKEND, message, spec.lifecycle.where("successPolicy"), help=help_)
