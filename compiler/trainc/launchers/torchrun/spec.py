"""`launch.torchrun`: options of torch.distributed.run and of its rendezvous, and the version of the job's torch."""

from __future__ import annotations

import re

from trainc.launchers.option import version
from trainc.launchers.torchrun.traits import TORCHELASTIC, TRAITS
from trainc.span import Text
from trainc.spec.launch import Launch
from trainc.spec.section import Section, field, flag, inside, mapping, number_or_text, text
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
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


class Rendezvous(Section):
    """Rendezvous of torchrun's agents."""

    backend: str | None
    endpoint: str | None
    port: int | None
    id: str | None
    managed: bool = field(lambda node, name: mapping(node, name) is not None or flag(node, name) is True)
    etcd_image: str | None = field(lambda node, _: text(inside(node, "managed"), "image"))
    conf: dict[str, str]


class Torchrun(Launch):
    """torchrun's options that lowering and rules read, None or empty where the file has none.

    The others go from their fields to the variables of the option table.
    """

    traits = TRAITS

    torch_version: str | None
    requested_processes: int | str | None = field(number_or_text, "nprocPerNode")
    wraps_program: bool = field(lambda node, name: flag(node, name) is not False, "wrap")
    module: str | None
    standalone: bool | None
    rendezvous: Rendezvous
    max_restarts: int | None
    shutdown_timeout: int | None
    signals: tuple[str, ...]
    local_addr: str | None
    share_store: bool | None

    @property
    def is_torchelastic(self) -> bool:
        """Return whether torchrun's predecessor is started."""
        return self.module == TORCHELASTIC

    @property
    def command(self) -> tuple[str, ...]:
        """Command line of the launcher, without options."""
        return ("python3", "-m", self.module) if self.module else (TRAITS.command,)

    @property
    def has_external_master(self) -> bool:
        """Return whether a static rendezvous is elsewhere than at worker 0."""
        return self.rendezvous.backend == "static" and self.rendezvous.endpoint is not None

    @property
    def rendezvous_section(self) -> Section:
        """The section `rendezvous`."""
        return self.rendezvous


SECTION = Torchrun


def torch_version(spec: TrainingJob) -> Text | None:
    """Return torchVersion, else the version in the image's name; None if neither states one."""
    launch = spec.launch
    if isinstance(launch, Torchrun) and launch.torch_version is not None:
        return Text(launch.torch_version, launch.where("torchVersion"))
    match = re.search(_IMAGE, spec.image)
    if match is None:
        return None
    torch = match["tag"] or match["name"] or match["part"] or f"1.{match['digits']}"
    return Text(torch, spec.where("image"))


def is_older(torch: str, since: str) -> bool:
    """Return whether a version of torch is older than the first that has something."""
    return version(torch) < version(since)
