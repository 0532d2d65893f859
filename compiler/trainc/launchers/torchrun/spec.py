"""`launch.torchrun`: options of torch.distributed.run and of its rendezvous."""

from __future__ import annotations

from typing import Literal

from trainc.launchers.torchrun.traits import TRAITS
from trainc.source.node import Mapping
from trainc.spec.launch import Launch
from trainc.spec.section import Section, field, flag, mapping, text

Backend = Literal["c10d", "static", "etcd-v2", "etcd"]


def _managed(node: Mapping, name: str) -> bool:
    return mapping(node, name) is not None or flag(node, name) is True


def _etcd_image(node: Mapping, _: str) -> str | None:
    managed = mapping(node, "managed")
    return text(managed, "image") if managed else None


class Rendezvous(Section):
    """Rendezvous of torchrun's agents."""

    backend: Backend | None
    endpoint: str | None
    port: int | None
    id: str | None
    managed: bool = field(_managed)
    etcd_image: str | None = field(_etcd_image)
    conf: dict[str, str]


class Torchrun(Launch):
    """torchrun's options, None or empty where the file has none."""

    traits = TRAITS

    torch_version: str | None
    nproc_per_node: int | str | None
    wrap: bool = True
    standalone: bool | None
    rendezvous: Rendezvous
    max_restarts: int | None
    monitor_interval: str | None
    start_method: str | None
    shutdown_timeout: int | None
    signals: tuple[str, ...]
    role: str | None
    local_addr: str | None
    virtual_local_rank: bool | None
    numa_binding: str | None
    share_store: bool | None
    log_dir: str | None
    redirects: str | None
    tee: str | None
    local_ranks_filter: tuple[str, ...]
    log_line_prefix_template: str | None
    duplicate_stdout_filters: tuple[str, ...]
    duplicate_stderr_filters: tuple[str, ...]
    logs_specs: str | None
    event_log_handler: str | None

    @property
    def requested_processes(self) -> int | str | None:
        """Processes in each pod as the file has them: a number, or auto, cpu or gpu."""
        return self.nproc_per_node

    @property
    def wraps_program(self) -> bool:
        """Return whether trainc starts torchrun, and not the program."""
        return self.wrap

    @property
    def has_external_master(self) -> bool:
        """Return whether a static rendezvous is elsewhere than at worker 0."""
        return self.rendezvous.backend == "static" and self.rendezvous.endpoint is not None

    @property
    def rendezvous_section(self) -> Section:
        """The section `rendezvous`."""
        return self.rendezvous

    def port_field(self, name: str) -> tuple[Section, str]:
        """Return the port of the rendezvous."""
        return self.rendezvous, "port"


SECTION = Torchrun
