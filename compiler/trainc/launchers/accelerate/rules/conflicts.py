"""Fields of launch.accelerate that accelerate rejects together, or of which some have no effect.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py, _validate_launch_command
https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/utils/dataclasses.py, __post_init__ of
FullyShardedDataParallelPlugin
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, warning
from trainc.launchers.accelerate.options import FIELDS, FSDP, AccelerateOption
from trainc.launchers.accelerate.spec import Accelerate, Fsdp
from trainc.spec.section import flag

TRIGGERS = ("launch.accelerate.fsdp", "launch.accelerate.deepspeed", "launch.accelerate.parallelism")


def check(context: RuleContext) -> Diagnostics:
    launch = Accelerate.of(context.spec)
    if launch.fsdp is not None and launch.deepspeed is not None:
        message = "accelerate exits: a job has either FSDP or DeepSpeed"
        related = [(launch.where("deepspeed"), "conflicts with this")]
        where = launch.where("fsdp")
        yield error(codes.ACCELERATE_CONFLICT, message, where, help="remove one of them", related=related)
    if launch.parallelism is not None and (launch.fsdp is None or launch.fsdp.version != 2):
        where = launch.fsdp.where("version") if launch.fsdp is not None else launch.where("parallelism")
        message = "`parallelism` requires version 2 of FSDP: the job fails at its start"
        help_ = Message("set `{launch.accelerate/fsdp}: {{version: 2}}`")
        yield error(codes.ACCELERATE_CONFLICT, message, where, help=help_)
    if launch.fsdp is not None:
        yield from _fsdp(launch.fsdp)
    if launch.deepspeed is not None and launch.deepspeed.zero_stage not in (None, 3):
        yield from _stage_3(launch)


def _fsdp(fsdp: Fsdp) -> Diagnostics:
    rows = [row for row in FIELDS if isinstance(row, AccelerateOption) and row.field == f"{FSDP}.{row.key}"]
    for row in rows:
        if fsdp.has(row.key) and row.fsdp not in ("", str(fsdp.version)):
            message = f"`{row.key}` has no effect with version {fsdp.version} of FSDP"
            where = fsdp.where(row.key)
            yield warning(codes.ACCELERATE_CONFLICT, message, where, help="remove it", remedy=remove(where))
    if (
        fsdp.version == 1
        and flag(fsdp.node, "syncModuleStates") is False
        and flag(fsdp.node, "cpuRamEfficientLoading") is not False
    ):
        message = "`syncModuleStates: false` has no effect: `cpuRamEfficientLoading` turns it on, and is the default"
        help_ = "set `cpuRamEfficientLoading: false`"
        yield warning(codes.ACCELERATE_CONFLICT, message, fsdp.where("syncModuleStates"), help=help_)
    policy = fsdp.node.get("autoWrapPolicy")
    for key, needs in (("transformerLayerClsToWrap", "TRANSFORMER_BASED_WRAP"), ("minNumParams", "SIZE_BASED_WRAP")):
        if fsdp.has(key) and (policy is None or getattr(policy, "value", None) != needs):
            message = f"`{key}` has no effect without `autoWrapPolicy: {needs}`"
            yield warning(codes.ACCELERATE_CONFLICT, message, fsdp.where(key), help=f"set `autoWrapPolicy: {needs}`")


def _stage_3(launch: Accelerate) -> Diagnostics:
    deepspeed = launch.deepspeed
    assert deepspeed is not None
    for key in ("offloadParamDevice", "zero3InitFlag", "zero3Save16bitModel"):
        if deepspeed.has(key) and getattr(deepspeed.node.get(key), "value", None) not in (False, "none"):
            message = f"`{key}` has no effect in stage {deepspeed.zero_stage} of ZeRO"
            related = [(deepspeed.where("zeroStage"), "the stage")]
            where = deepspeed.where(key)
            yield warning(codes.ACCELERATE_CONFLICT, message, where, help="set `zeroStage: 3`", related=related)
