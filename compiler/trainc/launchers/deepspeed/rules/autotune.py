"""What DeepSpeed's autotuner can't do: it starts its experiments with less than it was given itself.

https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/autotuning/scheduler.py: the experiments' command line
is `deepspeed --hostfile … --include … --master_port … script arguments`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from trainc.checks.context import RuleContext
from trainc.checks.shared.transport import over_ssh
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.launchers.deepspeed.rules.ssh_flags import PLAIN
from trainc.span import Span, span_of
from trainc.spec.launch import Deepspeed

TRIGGERS = ("launch.deepspeed.autotune",)

CONFIGS = ("--deepspeed_config", "--deepspeed")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A Python script that takes --local_rank and a configuration in JSON, in words that no shell changes."""
    launch, run = context.spec.launch, context.spec.run
    if not isinstance(launch, Deepspeed) or not over_ssh(context, launch) or launch.autotune == "none":
        return
    if context.spec.mode.name == "debug":
        return
    if run.kind != "python":
        message = f"the autotuner starts its experiments as Python scripts: `run.{run.kind}` doesn't reach them"
        yield error(codes.AUTOTUNE_UNSUPPORTED, message, run.where(run.kind), help="use run.python")
    if not launch.local_rank:
        message = "the autotuner starts its experiments with --local_rank"
        yield error(codes.AUTOTUNE_UNSUPPORTED, message, launch.where("localRank"), help="let the program take it")
    for word in launch.other_args:
        message = "the autotuner starts its experiments without otherArgs"
        yield warning(codes.AUTOTUNE_UNSUPPORTED, message, span_of(word) or launch.where("otherArgs"))
        break
    where = run.where(run.kind)
    args, command = context.job.pod.program.args, context.job.launcher_command
    words = command.words if command is not None else args[args.index("--") + 1 :]
    if not _names_config(words):
        message = "the autotuner finds no DeepSpeed configuration to start from"
        help_ = "give the program --deepspeed_config and a .json file, as two words"
        yield error(codes.AUTOTUNE_UNSUPPORTED, message, where, help=help_)
    for given in words:
        if not isinstance(given, str) or not PLAIN.fullmatch(given):
            message = "this passes through a remote shell, which would change it"
            yield error(codes.UNSAFE_IN_REMOTE_SHELL, message, _place(given) or where)
    if launch.autotune == "run":
        message = "DeepSpeed ignores how the training after the tuning ends: the job succeeds even when it fails"
        help_ = "use autotune: tune, and train with ds_config_optimal.json in a job of its own"
        yield warning(codes.AUTOTUNE_HIDES_FAILURE, message, launch.where("autotune"), help=help_)


def _names_config(words: Sequence[object]) -> bool:
    """https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/autotuning/autotuner.py, _get_user_config"""
    return any(word in CONFIGS and isinstance(value, str) and ".json" in value for word, value in pairwise(words))


def _place(word: object) -> Span | None:
    return span_of(word) if isinstance(word, str) else None
