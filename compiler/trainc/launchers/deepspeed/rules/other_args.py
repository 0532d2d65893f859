"""Options in otherArgs that DeepSpeed's launcher lacks or that pdsh does not forward, and worlds too large for argv."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, use_backend, warning
from trainc.launchers.deepspeed.options import BY_FLAG
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.span import Span, span_of
from trainc.well_known import MAX_ARGUMENT

TRIGGERS = ("launch.deepspeed",)

# An operator that starts the command leaves these to the job: the image starts sshd.
OPERATED = frozenset(("--ssh_port", "--force_multi"))
OPERATORS = frozenset(("--hostfile", "-H"))
ELASTIC = (Message("use {launch.torchrun} with `{elastic}`"), "remove it")
# Characters that are special neither to a shell nor to pdsh (%h, %n).
PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./-]+")


def check(context: RuleContext) -> Diagnostics:
    """Require options that the launcher accepts and that reach the workers."""
    if context.job.launch.starts_workers:
        yield from _ssh_options(context, Deepspeed.of(context.spec))
        size, lines = _hostfile_size(context)
    else:
        yield from _direct_options(Deepspeed.of(context.spec))
        size = max((len(arg) for arg in context.job.pod.program.args if isinstance(arg, str)), default=0)
        lines = context.job.replicas.maximum
    if size >= MAX_ARGUMENT:
        message = f"the launcher's list of {lines} workers is an argument of at least {size:,} bytes; Linux"
        yield error(codes.WORLD_INFO_TOO_LONG, f"{message} takes {MAX_ARGUMENT - 1:,}", context.spec.where("workers"))


def _direct_options(launch: Deepspeed) -> Diagnostics:
    words = iter(launch.other_args)
    for word in words:
        flag, where = word.partition("=")[0], span_of(word) or launch.where("otherArgs")
        option = BY_FLAG.get(flag)
        if option and option.only_ssh:
            value = next(words, None) if option.kind != "switch" and "=" not in word else None
            message, remedy = f"`{flag}` has no effect without ssh and is dropped", remove(where)
            if value is not None:
                remedy += remove(span_of(value))
            yield warning(codes.DEEPSPEED_DIRECT_FLAG, message, where, help="remove it", remedy=remedy)
        elif option and option.unsupported:
            yield error(codes.DEEPSPEED_DIRECT_FLAG, f"unsupported `{flag}`: {option.unsupported}", where, help=ELASTIC)
        elif option and option.instead:
            message = f"`{flag}` is set by trainc"
            yield error(codes.DEEPSPEED_DIRECT_FLAG, message, where, help=f"use {option.instead}")
        elif flag.startswith("-") and not (option and option.direct):
            message = f"DeepSpeed's per-node launcher has no option `{flag}`"
            yield error(
                codes.DEEPSPEED_DIRECT_FLAG, message, where, help=Message("move arguments of the program to {spec.run}")
            )


def _ssh_options(context: RuleContext, launch: Deepspeed) -> Diagnostics:
    """Check options and their values; a remote shell reads all but the value of an option for pdsh itself."""
    operator = context.system.operator if context.system.starts_launcher else ""
    has_shell = not operator or context.job.replicas.maximum > 1  # the operator starts one worker without pdsh
    option_of_value = ""
    for word in launch.other_args:
        flag, equals, value = word.partition("=")
        where = span_of(word) or launch.where("otherArgs")
        previous = BY_FLAG.get(option_of_value)
        is_for_pdsh = previous is not None and previous.over_ssh == "pdsh"
        if word.startswith("-") and not is_for_pdsh:
            if flag == "--launcher":
                yield from _launcher(value if equals else "pdsh", where, operator)
            elif not (operator and flag in OPERATED):
                yield from _ssh_option(flag, word, where, operator, has_shell)
            option_of_value = "" if equals else flag
            continue
        if option_of_value == "--launcher":
            yield from _launcher(word, where, operator)
        elif has_shell and not is_for_pdsh:
            yield from _unsafe(word, where)
        option_of_value = ""
    if has_shell and context.spec.working_dir is not None:
        yield from _unsafe(context.spec.working_dir, context.spec.where("workingDir"))


def _ssh_option(flag: str, word: str, where: Span, operator: str, has_shell: bool) -> Diagnostics:
    option = BY_FLAG.get(flag)
    effect = option.over_ssh if option else ""
    if option and option.instead:
        setter = operator if operator and flag in OPERATORS else "trainc"
        yield error(codes.DEEPSPEED_SSH_FLAG, f"`{flag}` is set by {setter}", where, help=f"use {option.instead}")
    elif option and option.unsupported:
        yield error(codes.DEEPSPEED_SSH_FLAG, f"unsupported `{flag}`: {option.unsupported}", where, help=ELASTIC)
    elif not effect:
        message = f"the deepspeed command has no option `{flag}`"
        yield error(
            codes.DEEPSPEED_SSH_FLAG, message, where, help=Message("move arguments of the program to {spec.run}")
        )
    elif effect == "dropped" and has_shell:
        message = f"pdsh does not forward `{flag}` to the workers"
        other = use_backend("job") if operator else Message("use `{launch.deepspeed/transport: direct}`")
        yield error(codes.DEEPSPEED_SSH_FLAG, message, where, help=("remove it", other))
    elif effect == "local" and has_shell:
        message = f"`{flag}` affects only worker 0: pdsh does not forward it to the workers"
        yield warning(codes.DEEPSPEED_SSH_FLAG, message, where)
    elif effect == "carried" and has_shell:
        yield from _unsafe(word, where)


def _launcher(name: str, where: Span, operator: str) -> Diagnostics:
    if name.lower() != "pdsh":  # as the command reads it
        message = f"launcher `{name}` is not supported over ssh: {operator or 'trainc'} uses pdsh"
        yield error(codes.DEEPSPEED_SSH_FLAG, message, where, help="remove it")


def _unsafe(text: str, where: Span) -> Diagnostics:
    if not PLAIN.fullmatch(text):
        name = f"`{text}`" if text.isprintable() else "the argument"
        yield error(codes.UNSAFE_IN_REMOTE_SHELL, f"{name} passes through a remote shell, which changes it", where)


def _hostfile_size(context: RuleContext) -> tuple[int, int]:
    """Return bytes and lines of the list of all hosts with their slots, one base64 argument of pdsh and ssh."""
    job = context.job
    hostfile = job.files.texts.get("hostfile", "") if job.files else ""
    if not hostfile:  # an operator's
        names = [job.hosts.resolvable(index) for index in range(job.replicas.maximum)]
        hostfile = "".join(f"{name} slots={job.launch.processes_per_pod}\n" for name in names)
    lines = hostfile.count("\n")
    slots = len(",".join(map(str, range(min(context.job.launch.process_count or 1, MAX_ARGUMENT)))))
    return (len(hostfile) + lines * slots) * 4 // 3, lines
