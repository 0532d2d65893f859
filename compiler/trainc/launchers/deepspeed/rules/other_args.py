"""Options that DeepSpeed's launcher or the job's version lacks, wrong values, and options that stay on worker 0."""

from __future__ import annotations

import re

from trainc.checks.rule import (
    Diagnostics,
    Help,
    Message,
    RuleContext,
    codes,
    error,
    remove,
    replace,
    use_backend,
    warning,
)
from trainc.launchers.deepspeed.options import BY_FLAG, OPTIONS, DeepspeedOption
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.option import grammar as option_grammar
from trainc.launchers.option import version
from trainc.launchers.shared.other_args import parse_other_args
from trainc.span import Span, span_of

TRIGGERS = ("launch.deepspeed.otherArgs", "launch.deepspeed.deepspeedVersion", "workingDir")

# An operator that starts the command leaves these to the job: the image starts sshd.
OPERATED = frozenset(("--ssh_port", "--force_multi"))
OPERATORS = frozenset(("--hostfile", "-H"))
ELASTIC = (Message("use {launch.torchrun} with `{elastic}`"), "remove it")
# Characters that are special neither to a shell nor to pdsh (%h, %n).
PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./-]+")
# Before 0.7.0 pdsh was started without -S, so a failed training looked successful (multinode_runner.py).
EXIT_CODE_SINCE = "0.7.0"


def check(context: RuleContext) -> Diagnostics:
    """Require options that the launcher accepts and that reach the workers."""
    yield from _values(context)
    yield from _version(context)
    if context.job.launch.starts_workers:
        yield from _ssh_options(context, Deepspeed.of(context.spec))
    else:
        yield from _direct_options(Deepspeed.of(context.spec))


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


def _values(context: RuleContext) -> Diagnostics:
    """Report wrong values, and words that belong to no option; those with a dash are reported as unknown options."""
    launch = Deepspeed.of(context.spec)
    others = parse_other_args(
        "DeepSpeed's launcher", option_grammar(OPTIONS), launch.other_args, context.spec.run.words
    )
    word, row = others.word, BY_FLAG.get(others.word.text.partition("=")[0])
    if not others.message or (row and row.instead) or (word.text.startswith("-") and not others.is_option):
        return
    is_true = word.text.partition("=")[2].lower() in ("true", "1", "yes", "on")
    remedy = replace(word.span, f"--{row.name}", safe=True) if row and row.kind == "switch" and is_true else None
    where = word.span or launch.where("otherArgs")
    yield error(codes.INVALID_LAUNCHER_OPTION, others.message, where, help=_help(row), remedy=remedy)


def _help(row: DeepspeedOption | None) -> Help:
    if row is None:
        return ("remove it", Message("move arguments of the program to {spec.run}"))
    if row.kind == "switch":
        return f"write `--{row.name}`"
    return f"write `--{row.name}={row.examples[0] if row.examples else 'VALUE'}`, or remove it"


def _version(context: RuleContext) -> Diagnostics:
    """Report missing options: argparse takes an unknown option for the program's name, or rejects it."""
    launch, run, is_ssh = Deepspeed.of(context.spec), context.spec.run, context.job.launch.starts_workers
    if launch.deepspeed_version is None:
        return
    other = (launch.where("deepspeedVersion"), "the job's DeepSpeed")
    required = [("pdsh with exit codes", EXIT_CODE_SINCE, launch.where("transport"))] if is_ssh else []
    flags = [(word.partition("=")[0], "", span_of(word) or launch.where("otherArgs")) for word in launch.other_args]
    if not is_ssh and run.kind != "python":
        flag = "--module" if run.kind == "module" else "--no_python"
        flags.append((flag, f" for `run.{run.kind}`", run.where(run.kind)))
    if not launch.local_rank:
        flags.append(("--no_local_rank", "", launch.where("localRank")))
    for flag, purpose, where in flags:
        if option := BY_FLAG.get(flag):
            required.append((f"`{flag}`{purpose}", option.command_since if is_ssh else option.since, where))
    for description, since, where in required:
        if version(launch.deepspeed_version) < version(since):
            message = f"DeepSpeed {launch.deepspeed_version} has no {description}, which requires {since} or newer"
            yield error(codes.DEEPSPEED_TOO_OLD, message, where, related=[other])
