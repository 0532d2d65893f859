"""Options that the launcher of the job's DeepSpeed lacks."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.launchers.deepspeed.options import BY_FLAG
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.option import version
from trainc.span import Span, span_of

TRIGGERS = ("launch.deepspeed.deepspeedVersion",)

# Before 0.7.0 pdsh was started without -S, so a failed training looked successful (multinode_runner.py).
EXIT_CODE_SINCE = "0.7.0"


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """argparse takes an unknown option for the program's name, or rejects it."""
    options = context.spec.launch
    if not isinstance(options, Deepspeed) or options.deepspeed_version is None:
        return
    installed = version(options.deepspeed_version)
    for description, since, where in _used(context, options):
        if installed < version(since):
            message = f"DeepSpeed {options.deepspeed_version} has no {description}, which requires {since}"
            other = Related(span=options.where("deepspeedVersion"), message="the job's DeepSpeed")
            yield error(codes.DEEPSPEED_TOO_OLD, f"{message} or newer", where, related=[other])


def _used(context: RuleContext, options: Deepspeed) -> Iterator[tuple[str, str, Span]]:
    """Yield the launcher options that this job needs: their descriptions, names and positions."""
    is_ssh = context.job.launch.starts_workers

    def since(flag: str) -> str:
        option = BY_FLAG.get(flag)
        return "" if option is None else option.command_since if is_ssh else option.since

    if is_ssh:
        yield "pdsh with exit codes", EXIT_CODE_SINCE, options.where("transport")
    elif context.spec.run.kind != "python":
        flag = "--module" if context.spec.run.kind == "module" else "--no_python"
        yield f"`{flag}` for `run.{context.spec.run.kind}`", since(flag), context.spec.run.where(context.spec.run.kind)
    if not options.local_rank:
        yield "`--no_local_rank`", since("--no_local_rank"), options.where("localRank")
    for word in options.other_args:
        flag = word.partition("=")[0]
        yield f"`{flag}`", since(flag), span_of(word) or options.where("otherArgs")
