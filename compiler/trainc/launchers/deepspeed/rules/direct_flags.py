"""Flags of the `deepspeed` command that its per-node launcher does not know, and a world too large for one.

What the command itself knows, for transport: ssh, is in deepspeed_ssh.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.transport import over_ssh
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.span import span_of
from trainc.spec.launch import Deepspeed

TRIGGERS = ("launch.deepspeed",)

# https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py, less what trainc passes itself.
KNOWN = frozenset(
    ("--enable_each_rank_log", "--bind_cores_to_rank", "--bind_core_list", "--log_level", "--quiet", "-q")
)
OWN_FIELD = {
    "--master_port": "launch.deepspeed.port",
    "--master_addr": "nothing: worker 0 is the master",
    "--node_rank": "nothing: it is the worker's number",
    "--world_info": "workers and launch.deepspeed.slotsPerWorker",
    "--num_nodes": "workers",
    "--num_gpus": "launch.deepspeed.slotsPerWorker",
    "--num_accelerators": "launch.deepspeed.slotsPerWorker",
    "--module": "run.module",
    "--no_python": "run.exec",
    "--no_local_rank": "launch.deepspeed.localRank: false",
}
# One argument may have 128 KiB: MAX_ARG_STRLEN, https://man7.org/linux/man-pages/man2/execve.2.html
LONGEST_ARGUMENT = 131072


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every flag in otherArgs must be one that the launcher takes."""
    launch = context.spec.launch
    if not isinstance(launch, Deepspeed) or over_ssh(context, launch):
        return
    from trainc.launchers.deepspeed.lower_direct import SSH_ONLY

    for word in launch.other_args:
        flag = word.partition("=")[0]
        where = span_of(word) or launch.where("otherArgs")
        if flag in OWN_FIELD:
            message = f"`{flag}` is written by trainc"
            yield error(codes.DEEPSPEED_DIRECT_FLAG, message, where, help=f"use {OWN_FIELD[flag]}")
        elif flag in SSH_ONLY:
            yield warning(codes.DEEPSPEED_DIRECT_FLAG, f"`{flag}` is left out: the workers don't use ssh", where)
        elif flag.startswith("-") and flag not in KNOWN:
            message = f"DeepSpeed's per-node launcher has no flag `{flag}`"
            yield error(codes.DEEPSPEED_DIRECT_FLAG, message, where, help="arguments for the program go to run")
    arg = max((len(arg) for arg in context.job.pod.program.args if isinstance(arg, str)), default=0)
    if arg >= LONGEST_ARGUMENT:
        message = (
            f"the launcher's list of {context.job.replicas.maximum} workers is an argument of {arg:,} bytes; Linux"
        )
        yield error(
            codes.WORLD_INFO_TOO_LONG, f"{message} takes {LONGEST_ARGUMENT - 1:,}", context.spec.where("workers")
        )
