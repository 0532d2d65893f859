"""Version of torch in a job's image."""

from __future__ import annotations

import re

from trainc.launchers.option import version
from trainc.launchers.torchrun.spec import Torchrun
from trainc.span import Text
from trainc.spec.job import TrainingJob

# https://github.com/pytorch/pytorch/releases/tag/v1.10.0 added the command torchrun to torch.distributed.run, which
# 1.9 added: https://github.com/pytorch/pytorch/releases/tag/v1.9.0
MODULE_SINCE, COMMAND_SINCE = "1.9", "1.10"

_NUMBERS = r"v?(?P<{}>[0-9]\.[0-9]+(\.[0-9]+)?)(?![0-9.])"
# `pytorch/pytorch:1.9.0-cuda10.2-cudnn7-runtime`, `pytorch-training:2.0.1-gpu-py310`, `t9kpublic/pytorch-1.13.0:sdk`,
# `train:7-torch2.1`, `deepspeed:v072_torch112_cu117`. NVIDIA's `pytorch:21.06-py3` is a date.
_IMAGE = (
    rf"(?:^|/)(?:py)?torch(?:-training|-inference)?:{_NUMBERS.format('tag')}"
    rf"|(?:^|/)(?:py)?torch-{_NUMBERS.format('name')}(?=:|@|$)"
    rf"|:[^/:]*?torch[-_]?(?:{_NUMBERS.format('part')}|1(?P<digits>[0-9]|1[0-3])(?![0-9.]))"
)


def torch_version(spec: TrainingJob) -> Text | None:
    """Return torchVersion, else the version in the image's name; None if neither states one."""
    launch = spec.launch
    if isinstance(launch, Torchrun) and launch.torch_version is not None:
        return Text(launch.torch_version, launch.where("torchVersion"))
    match = re.search(_IMAGE, spec.image)
    if match is None:
        return None
    text = match["tag"] or match["name"] or match["part"] or f"1.{match['digits']}"
    return Text(text, spec.where("image"))


def is_older(torch: str, since: str) -> bool:
    """Return whether a version of torch is older than the first that has something."""
    return version(torch) < version(since)
