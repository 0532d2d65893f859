"""Variables that T9k's operator passes from worker 0 to all workers, in a file of `NAME=value` lines.

disableCustomEnv of https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md; the
file is DeepSpeed's: https://www.deepspeed.ai/getting-started/#multi-node-environment-variables
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, use_backend, warning
from trainc.launchers.deepspeed.rules.other_args import PLAIN
from trainc.systems.deepspeedjob.rules.program import VARIABLE

TRIGGERS = ("env", "podTemplate", "network.interface", "checkpoint", "save")

# Fields with the same value in all pods of a job.
SHARED = ("metadata.namespace", "spec.serviceAccountName", "metadata.labels", "metadata.annotations")


def check(context: RuleContext) -> Diagnostics:
    command = context.job.launcher_command
    if command is None or not command.exports_env or context.job.replicas.maximum == 1:
        return
    for variable in context.pod.main.user_variables:
        name, value, where = variable.name, variable.value, variable.span
        if value is None and variable.field_path is not None and not variable.field_path.startswith(SHARED):
            message = f"all workers get worker 0's value of `{name}`, because the launcher passes its variables on"
            yield warning(codes.VARIABLE_FROM_FIRST_WORKER, message, where, help="determine it in the program")
        elif value and not PLAIN.fullmatch(VARIABLE.sub("", value) or "."):
            message = f"`{name}` passes through a file of lines and a remote shell, which may change its value"
            help_ = ("move it to a file that the program reads", use_backend("job"))
            yield warning(codes.VARIABLE_FROM_FIRST_WORKER, message, where, help=help_)
