"""Arguments and variables of the program that T9k's operator passes from worker 0 through a remote shell.

PDSHRunner of deepspeed/launcher/multinode_runner.py: DeepSpeed 0.5 to 0.8 quote every argument that is not an option
with single quotes, later versions (read in 0.14 and 0.19) those with spaces with double quotes, and pdsh itself
replaces %h, %n and %u. With one worker `deepspeed` starts the processes without pdsh: runner.py.
"""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, use_backend, warning
from trainc.launchers.deepspeed.rules.other_args import PLAIN
from trainc.span import span_of

TRIGGERS = ("launch.deepspeed", "env", "podTemplate", "network.interface", "checkpoint", "save")

VARIABLE = re.compile(r"(?<!\$)\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")
HELP = ("move it to a file that the program reads", use_backend("job"))
LONGEST = 80  # longest argument shown in a message
IN_DOUBLE_QUOTES = frozenset('$`\\"!')
# Fields with the same value in all pods of a job.
SHARED = ("metadata.namespace", "spec.serviceAccountName", "metadata.labels", "metadata.annotations")


def check(context: RuleContext) -> Diagnostics:
    yield from _arguments(context)
    yield from _variables(context)


def _arguments(context: RuleContext) -> Diagnostics:
    """Check each argument; the rule `autotune` checks those of the autotuner."""
    command = context.job.launcher_command
    if command is None or command.autotune != "none":
        return
    names = {variable.name for variable in context.pod.main.user_variables}
    for number, word in enumerate(context.spec.run.words):
        where = span_of(word) or context.spec.run.where(context.spec.run.kind)
        used = [name for name in VARIABLE.findall(word) if name in names]
        if used:
            message = f"`$({used[0]})` is not expanded: the operator starts the program outside the container's args"
            yield warning(codes.VARIABLE_NOT_EXPANDED, message, where, help="read the variable in the program")
        elif context.job.replicas.maximum > 1:
            changes = _is_changed(word, script=number == 0)
            quoted = f"`{word}`" if word.isprintable() and len(word) < LONGEST else "this"
            if all(changes):
                message = f"{quoted} passes through a remote shell, which changes it"
                yield error(codes.UNSAFE_IN_REMOTE_SHELL, message, where, help=HELP)
            elif any(changes):
                message = f"{quoted} passes through a remote shell, and some DeepSpeed versions do not quote it"
                yield warning(codes.UNSAFE_IN_REMOTE_SHELL, message, where, help=HELP)


def _is_changed(word: str, *, script: bool) -> tuple[bool, bool]:
    """Return whether older and newer DeepSpeed versions change the argument."""
    naked = not PLAIN.fullmatch(word)
    if script or not naked:
        return naked, naked
    by_pdsh = "%" in word or not word.isprintable()
    older = naked if word.startswith("-") else "'" in word
    newer = bool(IN_DOUBLE_QUOTES & {*word}) if " " in word else naked
    return by_pdsh or older, by_pdsh or newer


def _variables(context: RuleContext) -> Diagnostics:
    """Check the variables that the operator passes on in a file of `NAME=value` lines.

    disableCustomEnv of https://github.com/t9k/user-manuals/blob/fbf6b3c/src/references/api-reference/deepspeedjob.md;
    the file is DeepSpeed's: https://www.deepspeed.ai/getting-started/#multi-node-environment-variables
    """
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
