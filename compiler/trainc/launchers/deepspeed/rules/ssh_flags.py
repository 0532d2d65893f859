"""Options of the `deepspeed` command that pdsh does not forward, and arguments that a remote shell changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.launchers.deepspeed.options import BY_FLAG
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.span import span_of
from trainc.well_known import MAX_ARGUMENT

TRIGGERS = ("launch.deepspeed",)

# T9k's operator leaves these to the job: it starts the command, and the image starts sshd.
OPERATED = frozenset(("--ssh_port", "--force_multi"))
OPERATORS = frozenset(("--hostfile", "-H"))
# Characters that are special neither to a shell nor to pdsh (%h, %n).
PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./-]+")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every option in otherArgs must reach the workers, and arguments for the remote shell must be plain."""
    launch = context.spec.launch
    if not isinstance(launch, Deepspeed) or not context.job.launch.starts_workers:
        return
    value_of = ""
    for word in launch.other_args:
        flag, equals, _ = word.partition("=")
        where = span_of(word) or launch.where("otherArgs")
        taker = BY_FLAG.get(value_of)
        free = taker is not None and taker.over_ssh == "pdsh"  # no remote shell reads it
        if word.startswith("-") and not free:
            yield from _flag(flag, word, launch, context)
            value_of = "" if equals else flag
        elif value_of == "--launcher" and word != "pdsh":
            yield error(
                codes.DEEPSPEED_SSH_FLAG,
                f"launcher `{word}` is not supported over ssh: trainc uses pdsh",
                where,
                help="remove it",
            )
            value_of = ""
        else:
            if not free and not PLAIN.fullmatch(word) and not _without_pdsh(context):
                yield error(codes.UNSAFE_IN_REMOTE_SHELL, _changed_message(word), where)
            value_of = ""
    folder = context.spec.working_dir
    if folder is not None and not PLAIN.fullmatch(folder) and not _without_pdsh(context):
        yield error(codes.UNSAFE_IN_REMOTE_SHELL, _changed_message(folder), context.spec.where("workingDir"))
    yield from _size(context)


def _without_pdsh(context: RuleContext) -> bool:
    """Return whether `deepspeed` starts the processes without pdsh, as T9k's operator does for one worker."""
    return context.system.starts_launcher and context.job.replicas.maximum == 1


def _flag(flag: str, word: str, launch: Deepspeed, context: RuleContext) -> Iterator[Diagnostic]:
    where = span_of(word) or launch.where("otherArgs")
    by_operator = context.system.starts_launcher
    if by_operator and flag in OPERATED:
        return
    option = BY_FLAG.get(flag)
    effect = option.over_ssh if option else ""
    if option and option.instead:
        setter = "T9k's operator" if by_operator and flag in OPERATORS else "trainc"
        yield error(codes.DEEPSPEED_SSH_FLAG, f"`{flag}` is set by {setter}", where, help=f"use {option.instead}")
    elif effect == "dropped":
        if not _without_pdsh(context):
            message = f"pdsh does not forward `{flag}` to the workers"
            other = "`--backend job`" if by_operator else "`transport: direct`"
            yield error(codes.DEEPSPEED_SSH_FLAG, message, where, help=f"remove it, or use {other}")
    elif effect == "local" and _without_pdsh(context):
        return
    elif effect == "local":
        message = f"`{flag}` affects only worker 0: pdsh does not forward it to the workers"
        yield warning(codes.DEEPSPEED_SSH_FLAG, message, where)
    elif flag == "--launcher":
        if "=" in word and word != "--launcher=pdsh":
            message = f"launcher `{word.partition('=')[2]}` is not supported over ssh: trainc uses pdsh"
            yield error(codes.DEEPSPEED_SSH_FLAG, message, where, help="remove it")
    elif not effect:
        message = f"the deepspeed command has no option `{flag}`"
        yield error(codes.DEEPSPEED_SSH_FLAG, message, where, help="move arguments of the program to spec.run")
    elif effect != "pdsh" and not PLAIN.fullmatch(word) and not _without_pdsh(context):
        yield error(codes.UNSAFE_IN_REMOTE_SHELL, _changed_message(word), where)


def _changed_message(word: str) -> str:
    return f"`{word}` passes through a remote shell, which changes it" if word.isprintable() else CHANGED


CHANGED = "the argument passes through a remote shell, which changes it"


def _size(context: RuleContext) -> Iterator[Diagnostic]:
    """All hosts with their slots are one base64 argument of pdsh and ssh."""
    hostfile = context.job.files.texts["hostfile"] if context.job.files else ""
    if context.job.launcher_command is not None:
        names = (
            f"{context.job.name}{context.system.pod_infix}-{number}" for number in range(context.job.replicas.maximum)
        )
        hostfile = "".join(f"{name} slots={context.job.launcher_command.slots}\n" for name in names)
    lines = hostfile.count("\n")
    slots = len(",".join(map(str, range(context.job.launch.process_count or 1))))
    size = (len(hostfile) + lines * slots) * 4 // 3
    if size >= MAX_ARGUMENT:
        message = f"the launcher's list of {lines} workers is an argument of {size:,} bytes; Linux"
        yield error(codes.WORLD_INFO_TOO_LONG, f"{message} takes {MAX_ARGUMENT - 1:,}", context.spec.where("workers"))
