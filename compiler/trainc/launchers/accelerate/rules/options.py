"""Options that `accelerate launch` or the job's version of it rejects, or that contradict the fields of the job."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error
from trainc.launchers.accelerate.options import BY_NAME, FIELDS, AccelerateOption, grammar
from trainc.launchers.accelerate.spec import Accelerate
from trainc.launchers.option import version
from trainc.launchers.shared.other_args import parse_other_args
from trainc.span import span_of
from trainc.spec.section import inside

TRIGGERS = ("launch.accelerate.otherArgs", "launch.accelerate.accelerateVersion")


def check(context: RuleContext) -> Diagnostics:
    yield from _other_args(context)
    yield from _version(context)


def _other_args(context: RuleContext) -> Diagnostics:
    """Report wrong options, and those that trainc sets."""
    launch = Accelerate.of(context.spec)
    others = parse_other_args("accelerate", grammar(), launch.other_args, context.spec.run.words)
    for name, option in others.parsed.options.items():
        row = BY_NAME[name]
        setter = row.instead or (row.field if name != "config_file" else "")
        if setter:
            where = option.flag.span or launch.where("otherArgs")
            flag = option.flag.text.partition("=")[0]
            yield error(codes.ACCELERATE_OPTION, f"`{flag}` is set by trainc", where, help=f"use {setter}")
    if others.message:
        help_: Help = ("remove it", Message("move arguments of the program to {spec.run}"))
        where = others.word.span or launch.where("otherArgs")
        yield error(codes.ACCELERATE_OPTION, others.message, where, help=help_)


def _version(context: RuleContext) -> Diagnostics:
    """Report missing options: accelerate exits with a usage error."""
    launch = Accelerate.of(context.spec)
    if launch.accelerate_version is None:
        return
    required = []
    for row in FIELDS:
        if isinstance(row, AccelerateOption) and row.since:
            parent = row.field.split(".")[2:-1]
            node = inside(launch.node, parent[0]) if parent else launch.node
            if row.key in node.entries:
                required.append((row, node.where(row.key)))
    for word in launch.other_args:
        option = BY_NAME.get(word.partition("=")[0].lstrip("-").replace("-", "_"))
        if option is not None and option.since:
            required.append((option, span_of(word) or launch.where("otherArgs")))
    related = [(launch.where("accelerateVersion"), "the job's accelerate")]
    for row, where in required:
        if version(launch.accelerate_version) < version(row.since):
            have = f"accelerate {launch.accelerate_version} has no `--{row.name}`"
            message = f"{have}, which requires {row.since} or newer"
            yield error(codes.ACCELERATE_TOO_OLD, message, where, related=related)
