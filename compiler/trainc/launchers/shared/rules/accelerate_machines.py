"""Machines of accelerate that do not know each other: rank, address of the first, number, rendezvous, or hostfile.

accelerate takes both from options or its configuration file, and neither from RANK, NODE_RANK or MASTER_ADDR (observed
with accelerate 1.15.0).
https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/utils/launch.py, prepare_multi_gpu_env
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, warning
from trainc.checks.shared.program_command import call_span, program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.commandline.word import parse_int
from trainc.launchers.accelerate.in_program import (
    address_options,
    count_of,
    ignores_elastic_policy,
    rank_option,
    shipped_config,
)
from trainc.launchers.accelerate.options import NAME
from trainc.launchers.find_launchers import Call

TRIGGERS = ("starts_launcher()",)

LAUNCHERS = ("standard", "nossh")  # which start the processes of their own machine
CONFIGURED = ("config_file", "deepspeed_hostfile")


def check(context: RuleContext) -> Diagnostics:
    yield from _machines(context)
    yield from _hosts(context)


def _machines(context: RuleContext) -> Diagnostics:
    call, size = program_launcher(context), context.job.most_workers
    if call is None or call.launcher != NAME or size == 1:
        return
    machines, file = call.option("num_machines"), call.option("config_file")
    if (parse_int(machines.value) or 0) < 2 if machines else file is None:
        if ignores_elastic_policy(context, call):
            yield from _static_rendezvous(context, call)
        return  # one machine: the rule world_size reports it
    if not (call.parsed.complete or call.parsed.problem):
        return
    launcher = Message("use {launch.accelerate}")
    where, related = call_span(context, call, machines or file), workers(context)
    config = shipped_config(context, file.text if file is not None else None)
    count = count_of(config, "num_machines") if config is not None and machines is None else None
    if count is not None and count != size:
        message = f"the configuration file has num_machines {count}, but the job has {size} workers"
        yield error(codes.NODE_COUNT_MISMATCH, message, where, help=f"set it to {size}", related=related)
    total = count_of(config, "num_processes") if config is not None and call.option("num_processes") is None else None
    if total is not None and (total < size or total % size):
        rest = f"{total} processes on {size} workers are {total // size} on each"
        message = f"the configuration file has num_processes {total}: {rest}"
        multiple = f"set it to a multiple of {size}"
        yield error(codes.PROCESS_COUNT_MISMATCH, message, where, help=multiple, related=related)
    if call.option("machine_rank") is None:
        help_ = (launcher, f"pass `{rank_option(context)}`")
        if file is not None:
            message = f"all {size} workers have the machine rank of the configuration file"
            yield warning(codes.LITERAL_RANK, message, where, help=help_, related=related)
        else:
            message = "accelerate exits with a TypeError: without --machine_rank the workers have no rank"
            yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=related)
    if call.option("main_process_ip") is None and file is None:
        message = "accelerate has no --main_process_ip: the workers wait for a host that does not exist"
        help_ = (launcher, f"pass `{' '.join(address_options(context))}`")
        yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=related)


def _static_rendezvous(context: RuleContext, call: Call) -> Diagnostics:
    """Report the defaults of accelerate that override the variables of an elastic job."""
    backend, restarts = (
        f"{context.spec.launch.traits.variable_prefix}{name}" for name in ("RDZV_BACKEND", "MAX_RESTARTS")
    )
    message = f"accelerate ignores {backend} and {restarts}: its defaults, static and 0, override them"
    help_ = (Message("use {launch.accelerate}"), "pass `--rdzv_backend=c10d --max_restarts=N`")
    where = call_span(context, call)
    yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=workers(context))


def _hosts(context: RuleContext) -> Diagnostics:
    """Check DeepSpeed, which accelerate starts on several machines by pdsh, with the hosts of a hostfile.

    prepare_deepspeed_cmd_env of https://github.com/huggingface/accelerate/blob/v1.10.1/src/accelerate/utils/launch.py;
    a missing hostfile is fetch_hostfile of
    https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py
    """
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
