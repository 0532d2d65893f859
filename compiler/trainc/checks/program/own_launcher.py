"""Options of the program's own launcher that are invalid, or that differ from the job's rendezvous."""

from __future__ import annotations

import re

from trainc.checks.rule import (
    Diagnostic,
    Diagnostics,
    Message,
    Phrase,
    Remedy,
    RuleContext,
    codes,
    error,
    rewrite,
    warning,
)
from trainc.checks.shared.program_command import call_span, may_set, program_launcher, remove_option, world_options_help
from trainc.checks.shared.user_fields import workers
from trainc.commandline.argparse import ParsedOption, Problem
from trainc.commandline.word import parse_int
from trainc.launchers.find_launchers import Call
from trainc.launchers.ports import host_and_port
from trainc.launchers.registry import ONLY_BACKEND
from trainc.schema.hints import similar

TRIGGERS = ("starts_launcher()",)

# torchrun's default: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
DEFAULT_BACKEND = "static"
LOOPBACK = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?|0\.0\.0\.0")


def check(context: RuleContext) -> Diagnostics:
    call = program_launcher(context)
    if call is None:
        return
    option, problem = _option_with_program(call), call.parsed.problem
    if option is not None and call.grammar.complete and (problem or call.parsed.lacks_program):
        yield _taken_program(context, call, option)
    elif problem is not None and call.grammar.complete:
        yield from _invalid_option(context, call, problem)
    elif call.parsed.lacks_program and call.grammar.complete:
        yield _no_program(context, call)
    if call.grammar.variables and call.parsed.complete and not _is_one_node(context, call):
        yield from _rendezvous(context, call)


def _invalid_option(context: RuleContext, call: Call, problem: Problem) -> Diagnostics:
    """Report an invalid option.

    The launcher exits before it starts a process. Options of all its versions are accepted.
    """
    options = call.grammar.options
    name = problem.word.text.partition("=")[0]
    targets = {target for option, (target, _) in options.items() if option.startswith(name)}
    if problem.reason == "ambiguous option" and len(targets) == 1:
        return  # torch 1.13 had one spelling for each
    message = {
        "unknown option": f"{call.launcher} has no option `{name}`",
        "missing value": f"`{name}` requires a value",
        "unexpected value": f"`{name}` takes no value",
        "ambiguous option": f"`{name}` abbreviates several options of {call.launcher}",
    }[problem.reason]
    help_, remedy, where = None, None, problem.word.span or call_span(context, call)
    if problem.reason == "unknown option":
        intended = similar(name, options, 0.75)
        help_ = f"did you mean `{intended}`?" if intended else "put arguments of the program after the program"
        remedy = rewrite(problem.word.span, intended + problem.word.text[len(name) :]) if intended else None
    yield error(codes.INVALID_LAUNCHER_OPTION, message, where, help=help_, remedy=remedy)


def _option_with_program(call: Call) -> ParsedOption | None:
    """Return the option that has a Python script as its value, which no launcher's option takes."""
    options = (each for each in call.parsed.options.values() if each.value and each.value.text.endswith(".py"))
    return next((each for each in options if "=" not in each.flag.text), None)


def _taken_program(context: RuleContext, call: Call, option: ParsedOption) -> Diagnostic:
    name, program = option.flag.text, option.text
    message = f"`{name}` has no value: {call.launcher} takes the program `{program}` for it"
    help_ = f"write `{name}=VALUE`, or remove it"
    return error(codes.INVALID_LAUNCHER_OPTION, message, call_span(context, call, option), help=help_)


def _no_program(context: RuleContext, call: Call) -> Diagnostic:
    """Report options without a program, of which the last may have taken the program's name as its value."""
    message, last = f"{call.launcher} exits: no program follows its options", None
    if call.parsed.options:
        last = list(call.parsed.options.values())[-1]
        if last.value is not None and "=" not in last.flag.text:
            message += f", of which `{last.flag.text}` has the value `{last.value.text}`"
    return error(codes.INVALID_LAUNCHER_OPTION, message, call_span(context, call, last), help="add the program")


def _is_one_node(context: RuleContext, call: Call) -> bool:
    """Return whether torchrun is limited to one node, which launchers/shared/rules/world_size.py reports."""
    if context.job.replicas.maximum == 1 or call.option("standalone") is not None:
        return True
    option = call.option("nnodes")
    if option is not None:
        return option.text in ("1", "1:1")
    return not context.spec.launch.traits.variable_prefix and not may_set(context, "PET_NNODES")


def _rendezvous(context: RuleContext, call: Call) -> Diagnostics:
    """Require the same endpoint and different node ranks for all workers."""
    # In another system's file a launcher with its own endpoint is configured by its arguments alone.
    is_derived = context.spec.launch.traits.variable_prefix and not (context.in_own_system and _has_own_endpoint(call))
    expected = context.job.launch.rendezvous.backend if is_derived else None
    option = call.option("rdzv_backend")
    only = ONLY_BACKEND.get(call.launcher)
    backend = option.text if option else expected or only or DEFAULT_BACKEND
    if backend is None:
        return
    if only and backend != only:
        message = f"{call.launcher} has no rendezvous backend `{backend}`, and exits"
        help_ = Message("set `{launch.torchrun.module: {}}`", call.name.text) if option is None else f"use {only}"
        yield error(codes.RENDEZVOUS_MISMATCH, message, call_span(context, call, option), help=help_)
    elif option is not None and expected is not None and backend != expected:
        yield _other_backend(context, call, option, expected)
    elif not is_derived and _lacks_endpoint(context, call, backend):
        message = "torchrun has no rendezvous endpoint: each node waits for the others at its own address"
        help_ = Message("use `{launch: {{torchrun: {{wrap: false}}}}}`, which sets it")
        yield error(codes.RENDEZVOUS_MISMATCH, message, call_span(context, call), help=help_, related=workers(context))
    elif backend == "static":
        yield from _endpoint(context, call, call.option("master_addr"))
        yield from _node_rank(context, call)
    else:
        yield from _endpoint(context, call, call.option("rdzv_endpoint"))


def _other_backend(context: RuleContext, call: Call, option: ParsedOption, expected: str) -> Diagnostic:
    """Report a backend other than the job's, whose variables trainc does not set."""
    message = f"the job's rendezvous backend is {expected}, but the program's torchrun uses {option.text}"
    severity = warning if _has_own_endpoint(call) else error  # with its own endpoint it can be intended, and works
    own = ("remove it", Message("set `{launch.torchrun.rendezvous.backend: {}}`", option.text))
    help_ = context.cure(own, "remove it, or pass the endpoint, too, as by --rdzv_endpoint=HOST:29400")
    related = [(context.spec.launch.rendezvous_section.span_of("backend"), "conflicts with this")]
    where, remedy = call_span(context, call, option), remove_option(option)
    return severity(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=related, remedy=remedy)


def _has_own_endpoint(call: Call) -> bool:
    return bool(call.option("rdzv_endpoint") or (call.option("master_addr") and call.option("node_rank")))


def _lacks_endpoint(context: RuleContext, call: Call, backend: str) -> bool:
    """Return whether c10d, or the static rendezvous of nodes with a rank, uses the default endpoint localhost.

    https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/utils.py
    The plan reports it for files of other systems.
    """
    names = ("rdzv_endpoint",) if backend == "c10d" else ("rdzv_endpoint", "master_addr")
    if context.in_own_system or backend not in ("c10d", "static") or call.option("nnodes") is None:
        return False
    if any(call.option(name) is not None or may_set(context, f"PET_{name.upper()}") for name in names):
        return False
    return backend == "c10d" or call.option("node_rank") is not None


def _endpoint(context: RuleContext, call: Call, option: ParsedOption | None) -> Diagnostics:
    text = option.text if option else None
    if option is None or not text:
        return
    host, _ = host_and_port(text, 0)
    where, launch, expected = call_span(context, call, option), context.spec.launch, _job_endpoint(context)
    if LOOPBACK.fullmatch(host):
        message = f"each of the {context.job.replicas.maximum} workers connects to itself at `{text}`"
        help_, remedy = _help(context, call, option)
        yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=workers(context), remedy=remedy)
    elif context.in_own_system or not launch.traits.variable_prefix:
        return
    elif expected and host != host_and_port(expected, 0)[0]:
        message = f"the job's rendezvous endpoint is `{expected}`, but the program's torchrun uses `{text}`"
        related = [(launch.rendezvous_section.span_of("endpoint"), "conflicts with this")]
        either, remedy = ("remove it", Message("set {launch.torchrun.rendezvous.endpoint}")), remove_option(option)
        yield warning(codes.RENDEZVOUS_MISMATCH, message, where, help=either, related=related, remedy=remedy)


def _node_rank(context: RuleContext, call: Call) -> Diagnostics:
    """Require a rank for each node with the static rendezvous."""
    option, maximum = call.option("node_rank"), context.job.replicas.maximum
    rank = parse_int(option.value) if option else None
    if rank is not None:
        message, where = f"all {maximum} workers have node rank {rank}", call_span(context, call, option)
        help_, remedy = _help(context, call, option)
        yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=workers(context), remedy=remedy)
    if option is not None or context.spec.launch.traits.variable_prefix or call.option("nnodes") is None:
        return
    if not may_set(context, "PET_NODE_RANK") and "PET_NODE_RANK" not in call.env:
        message = f"torchrun has no --node-rank: all {maximum} workers have node rank 0"
        own = Message("use `{launch: {{torchrun: {{wrap: false}}}}}`, which sets the node rank")
        yield error(codes.RENDEZVOUS_MISMATCH, message, call_span(context, call), help=own, related=workers(context))


def _job_endpoint(context: RuleContext) -> str:
    """Return the job's own rendezvous endpoint, of the static rendezvous its host."""
    rendezvous = context.job.launch.rendezvous
    return rendezvous.host if rendezvous.backend == "static" else rendezvous.endpoint


def _help(context: RuleContext, call: Call, option: ParsedOption | None) -> tuple[Phrase, Remedy | None]:
    if options := world_options_help(context, call):
        return options, None
    if context.file_kind:
        return "use the address and the rank that the system sets for the workers", None
    if context.spec.launch.traits.variable_prefix:
        help_ = "remove it: torchrun reads the rendezvous from the variables that trainc sets"
        return help_, remove_option(option)
    return Message("use `{launch: {{torchrun: {{wrap: false}}}}}`"), None
