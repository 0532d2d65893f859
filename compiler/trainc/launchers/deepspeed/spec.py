"""`launch.deepspeed`: options of DeepSpeed's launchers."""

from __future__ import annotations

from typing import Literal

from trainc.launchers.deepspeed.traits import TRAITS
from trainc.launchers.ports import SSH_PORT
from trainc.spec.launch import Launch
from trainc.spec.section import Section

Transport = Literal["direct", "ssh"]
Autotune = Literal["none", "tune", "run"]


class Deepspeed(Launch):
    """Options of DeepSpeed's launchers."""

    traits = TRAITS

    slots_per_worker: int | None
    local_rank: bool = True
    port: int | None
    transport: Transport = "direct"
    ssh_secret: str | None
    ssh_port: int = SSH_PORT
    autotune: Autotune = "none"
    deepspeed_version: str | None
    other_args: tuple[str, ...]

    @property
    def requested_processes(self) -> int | None:
        """Slots of each worker as the file has them."""
        return self.slots_per_worker

    def port_field(self, name: str) -> tuple[Section, str]:
        """Return `port`, or `sshPort` for sshd's port."""
        return self, "sshPort" if name == "ssh" else "port"


SECTION = Deepspeed
