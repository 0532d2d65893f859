"""Fields of a DeepSpeedJob by the fields of job files, and their values.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md
"""

from __future__ import annotations

from trainc.systems.shared.fields import Field, Fields, table
from trainc.systems.shared.t9k import fields as t9k
from trainc.systems.shared.t9k.fields import RETRYABLE
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.ir.job import Failure, Job


def _keeps_own_env(job: Job) -> bool:
    """Return whether the launcher passes no variables of worker 0 on."""
    return job.launcher_command is not None and not job.launcher_command.exports_env


def restart_policy(failure: Failure) -> str | None:
    """Return the workers' policy; None for the controller's default OnFailure, which recreates a failed pod."""
    if failure.backoff_limit == 0:
        return "Never"
    return "ExitCode" if retries_operator_codes(failure) else None


def retries_operator_codes(failure: Failure) -> bool:
    """Return whether the job's rules for exit codes are those of the controller's ExitCode."""
    return failure.unless == RETRYABLE and not failure.fatal


# Names in the spec.
CONFIG, WORKER = "config", "worker"
_SECTIONS: dict[str, Fields] = {
    f"spec.{CONFIG}": {  # of a job whose processes the operator starts
        "launch.deepspeed.slotsPerWorker": Field("slotsPerWorker", write="launcher_command.slots"),
        "launch.deepspeed.localRank": Field("localRank", write="launcher_command.local_rank", default=True),
        "launch.deepspeed.autotune": Field("autotune", write="launcher_command.autotune", default="none"),
        "launch.deepspeed.otherArgs": Field("otherArgs", write="launcher_command.flags", default=()),
        "run": Field("run"),
    },
    f"spec.{CONFIG}.run": {f"run.{kind}": Field(kind) for kind in ("python", "module", "exec")},
    "spec": {
        "launch.deepspeed.disableCustomEnv": Field("disableCustomEnv", write=_keeps_own_env, default=False),
    },
    f"spec.{WORKER}": {
        "workers": Field("replicas"),
        "lifecycle.restartPolicy": Field("restartPolicy"),
    },
}
FIELDS = t9k.FIELDS | table(_SECTIONS)
