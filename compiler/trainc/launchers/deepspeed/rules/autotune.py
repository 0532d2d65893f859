"""Jobs that DeepSpeed's autotuner does not support: it starts its experiments without some of its options.

https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/autotuning/scheduler.py: the experiments' command line
is `deepspeed --hostfile … --include … --master_port … script arguments`.
"""

from __future__ import annotations

from itertools import pairwise

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, remove, warning
from trainc.launchers.deepspeed.rules.other_args import PLAIN
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.span import span_of

TRIGGERS = ("launch.deepspeed.autotune",)

CONFIGS = ("--deepspeed_config", "--deepspeed")


def check(context: RuleContext) -> Diagnostics:
    """Require a Python script that accepts --local_rank, a JSON configuration, and arguments that no shell changes."""
    launch, run = Deepspeed.of(context.spec), context.spec.run
    if not context.job.launch.starts_workers or launch.autotune == "none" or context.spec.mode.name == "debug":
        return
    if run.kind != "python":
        kind = f"the autotuner supports only Python scripts, not `run.{run.kind}`"
        yield error(codes.AUTOTUNE_UNSUPPORTED, kind, run.where(run.kind), help=Message("use {run.python}"))
    if not launch.local_rank:
        autotuner = "the autotuner passes --local_rank to the program"
        message: Phrase = Message("`{launch.deepspeed/localRank: false}` has no effect: {}", autotuner)
        where = launch.where("localRank")
        yield error(codes.AUTOTUNE_UNSUPPORTED, message, where, help="remove it", remedy=remove(where))
    if launch.other_args:
        message = Message("the autotuner does not pass `{launch.deepspeed/otherArgs}` to its experiments")
        where = span_of(launch.other_args[0]) or launch.where("otherArgs")
        remedy = remove(launch.node.entries["otherArgs"].key.span)
        yield warning(codes.AUTOTUNE_UNSUPPORTED, message, where, help="remove them", remedy=remedy)
    where = run.where(run.kind)
    args, command = context.job.pod.program.args, context.job.launcher_command
    if command is None and "--" not in args:  # the controller starts another launcher
        return
    words = command.words if command is not None else args[args.index("--") + 1 :]
    # https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/autotuning/autotuner.py, _get_user_config
    if not any(word in CONFIGS and isinstance(value, str) and ".json" in value for word, value in pairwise(words)):
        message = "the autotuner finds no DeepSpeed configuration in the program's arguments"
        help_: Phrase = "add `--deepspeed_config` and a .json file, as two items"
        yield error(codes.AUTOTUNE_UNSUPPORTED, message, where, help=help_)
    for argument in words:
        if not isinstance(argument, str) or not PLAIN.fullmatch(argument):
            message = "the argument passes through a remote shell, which changes it"
            yield error(codes.UNSAFE_IN_REMOTE_SHELL, message, span_of(argument) or where)
    if launch.autotune == "run":
        message = "a failed training after autotuning looks successful: DeepSpeed ignores its exit status"
        help_ = Message(
            "use `{launch.deepspeed/autotune: tune}`, and train with ds_config_optimal.json in a second job"
        )
        yield warning(codes.AUTOTUNE_HIDES_FAILURE, message, launch.where("autotune"), help=help_)
