"""Options that the launcher of the job's DeepSpeed lacks."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.launchers.deepspeed.options import BY_FLAG
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.option import version
from trainc.span import span_of

TRIGGERS = ("launch.deepspeed.deepspeedVersion",)

# Before 0.7.0 pdsh was started without -S, so a failed training looked successful (multinode_runner.py).
EXIT_CODE_SINCE = "0.7.0"


def check(context: RuleContext) -> Diagnostics:
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
