"""DeepSpeed that accelerate starts on several machines: by default over pdsh, with the hosts of a hostfile.

prepare_deepspeed_cmd_env of https://github.com/huggingface/accelerate/blob/v1.10.1/src/accelerate/utils/launch.py; a
missing hostfile is fetch_hostfile of https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, warning
from trainc.checks.shared.program_command import call_span, program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import parse_int

TRIGGERS = ("starts_launcher()",)

LAUNCHERS = ("standard", "nossh")  # which start the processes of their own machine
CONFIGURED = ("config_file", "deepspeed_hostfile")


def check(context: RuleContext) -> Diagnostics:
    call = program_launcher(context)
    if call is None or call.launcher != "accelerate" or call.option("use_deepspeed") is None:
        return
    machines, launcher = call.option("num_machines"), call.option("deepspeed_multinode_launcher")
    is_single = machines is None or (parse_int(machines.value) or 0) < 2
    if is_single or (launcher and launcher.text in LAUNCHERS) or any(map(call.option, CONFIGURED)):
        return
    size, where = context.job.most_workers, call_span(context, call, call.option("use_deepspeed"))
    message = f"accelerate starts DeepSpeed by pdsh, without a hostfile: each of the {size} workers trains alone"
    help_ = (Message("use {launch.accelerate}"), "pass --deepspeed_multinode_launcher=standard")
    yield warning(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context))
