"""`launch.deepspeed`: options of DeepSpeed's launchers."""

from __future__ import annotations

from trainc.launchers import registry
from trainc.launchers.deepspeed.traits import TRAITS
from trainc.launchers.ports import SSH_PORT
from trainc.spec.launch import Launch
from trainc.spec.section import Section, field, number
from trainc.typenames import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table

Transport = Literal["direct", "ssh"]
Autotune = Literal["none", "tune", "run"]


class Deepspeed(Launch):
    """Options of DeepSpeed's launchers."""

    traits = TRAITS

    requested_processes: int | None = field(number, "slotsPerWorker")
    local_rank: bool = True
    port: int | None
    transport: Transport = "direct"
    ssh_secret: str | None
    ssh_port: int = SSH_PORT
    disable_custom_env: bool = False
    container_command: tuple[str, ...]
    autotune: Autotune = "none"
    deepspeed_version: str | None
    other_args: tuple[str, ...]

    @property
    def command_name(self) -> str:
        """The per-node launcher, or over ssh the `deepspeed` command."""
        return "DeepSpeed's launcher" if self.transport == "direct" else TRAITS.name

    @property
    def command_grammar(self) -> Table:
        """Options of the same."""
        options = registry.part(TRAITS.name, "options")
        grammar: Table = options.node_grammar() if self.transport == "direct" else options.grammar()
        return grammar

    @property
    def sets_thread_count(self) -> bool:
        """With this option: https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py"""
        return "--bind_cores_to_rank" in self.other_args

    def port_field(self, name: str) -> tuple[Section, str]:
        """Return `port`, or `sshPort` for sshd's port."""
        return self, "sshPort" if name == "ssh" else "port"


SECTION = Deepspeed
