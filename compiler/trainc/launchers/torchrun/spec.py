"""`launch.torchrun`: options of torch.distributed.run and of its rendezvous."""

from __future__ import annotations

from trainc.launchers.torchrun.traits import TORCHELASTIC, TRAITS
from trainc.spec.launch import Launch
from trainc.spec.section import Section, field, flag, inside, mapping, number_or_text, text


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
