"""Words of nprocPerNode with which torchrun can't count the processes on the node."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, replace
from trainc.launchers.torchrun.options import COUNTED
from trainc.launchers.torchrun.spec import Torchrun, is_older, torch_version
from trainc.schema.hints import similar

TRIGGERS = ("sets_process_count()",)

XPU_SINCE = "2.9"  # https://github.com/pytorch/pytorch/pull/159474
# By the vendor in the resource's name
VENDORS = {"nvidia.com": "gpu", "amd.com": "gpu", "gpu.intel.com": "xpu"}
USUAL_MISTAKES = {"cuda": "gpu", "rocm": "gpu", "hip": "gpu", "all": "auto"}


def check(context: RuleContext) -> Diagnostics:
    """Compare the word with those of torchrun, the torch of the image and the pod's devices.

    determine_local_world_size of https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py; the name of
    another device is accepted if a package in the image registers it.
    """
    launch, torch = Torchrun.of(context.spec), torch_version(context.spec)
    word, where = launch.requested_processes, launch.where("nprocPerNode")
    if not isinstance(word, str) or launch.is_torchelastic:
        return
    intended = USUAL_MISTAKES.get(word) or similar(word, COUNTED, 0.75)
    resources = {*context.pod.main.limits, *context.pod.main.requests}
    devices = {device for name in resources if (device := VENDORS.get(name.partition("/")[0]))}
    if word not in COUNTED and intended is not None:
        message = f"torchrun cannot count processes by `{word}`, and exits"
        remedy = replace(where, intended)
        yield error(codes.UNSUPPORTED_PROCESS_COUNT, message, where, help=f"use {intended}", remedy=remedy)
    elif word == "xpu" and torch is not None and is_older(torch, XPU_SINCE):
        message = f"torchrun of torch {torch} exits at `xpu`, which requires {XPU_SINCE} or newer"
        related = [(torch.span, "the job's torch")]
        yield error(codes.UNSUPPORTED_PROCESS_COUNT, message, where, help="use a number", related=related)
    elif word in VENDORS.values() and devices and word not in devices:
        vendors = "Intel's GPUs" if word == "xpu" else "NVIDIA's and AMD's GPUs"
        message = f"torchrun exits: `{word}` counts {vendors}, of which the pod has none"
        device = devices.pop()
        yield error(
            codes.UNSUPPORTED_PROCESS_COUNT, message, where, help=f"use {device}", remedy=replace(where, device)
        )
