"""`network`: interface, RDMA devices and host network of the workers."""

from __future__ import annotations

from trainc.span import Text
from trainc.spec.section import Section


class Rdma(Section):
    """RDMA devices of each worker, by resource name."""

    resource: str
    count: int = 1


class Network(Section):
    """Network of the workers."""

    interface: Text | None
    rdma: Rdma | None
    host_network: bool = False
