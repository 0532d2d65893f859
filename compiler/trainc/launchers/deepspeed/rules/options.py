"""Options that lack their value, have one although they are switches, or that the job's DeepSpeed lacks."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, replace
from trainc.commandline.argparse import Parsed, parse_before
from trainc.commandline.word import Word
from trainc.launchers import option
from trainc.launchers.deepspeed.options import BY_FLAG, OPTIONS, DeepspeedOption
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.option import version
from trainc.span import span_of

TRIGGERS = ("launch.deepspeed.otherArgs", "launch.deepspeed.deepspeedVersion")

# Before 0.7.0 pdsh was started without -S, so a failed training looked successful (multinode_runner.py).
EXIT_CODE_SINCE = "0.7.0"


def check(context: RuleContext) -> Diagnostics:
    yield from _values(context)
    yield from _version(context)


def _values(context: RuleContext) -> Diagnostics:
    """Report wrong values; the rule `other_args` reports unknown options, and those that trainc sets."""
    launch = Deepspeed.of(context.spec)
    parsed, program = parse_before(option.grammar(OPTIONS), launch.other_args, context.spec.run.words)
    where, message = _fault(parsed, program)
    row = BY_FLAG.get(where.text.partition("=")[0])
    if message and not (row and row.instead):
        span = where.span or launch.where("otherArgs")
        is_true = where.text.partition("=")[2].lower() in ("true", "1", "yes", "on")
        remedy = replace(where.span, f"--{row.name}", safe=True) if row and row.kind == "switch" and is_true else None
        yield error(codes.INVALID_LAUNCHER_OPTION, message, span, help=_help(row), remedy=remedy)


def _fault(parsed: Parsed, program: Word) -> tuple[Word, str]:
    """Return the first wrong word and what is wrong with it; an empty message if nothing is."""
    last = next((each.flag for each in parsed.options.values() if each.value is program), None)
    if last is not None:
        return last, f"`{last.text}` has no value: DeepSpeed's launcher takes the program `{program.text}` for it"
    if parsed.problem is not None:
        word = parsed.problem.word
        messages = {"missing value": "requires a value", "unexpected value": "takes no value"}
        message = messages.get(parsed.problem.reason)
        return word, f"`{word.text.partition('=')[0]}` {message}" if message else ""
    first = next(iter(parsed.program), program)
    if first is program or first.text.startswith("-"):  # the rule other_args reports -1
        return first, ""
    return first, f"DeepSpeed's launcher takes `{first.text}` for the program: it belongs to no option"


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
