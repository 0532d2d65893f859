"""`network`: by which network the workers talk to each other."""

from __future__ import annotations

from trainc.source.node import Mapping
from trainc.span import Text
from trainc.spec.section import Section, flag, mapping, number, text


class Rdma(Section):
    """RDMA devices of each worker, by the name of their resource."""

    resource: str
    count: int


class Network(Section):
    """None where the user said nothing."""

    interface: Text | None
    rdma: Rdma | None
    host_network: bool


def read_network(spec: Mapping) -> Network | None:
    """The section, None when the job has none."""
    node = mapping(spec, "network")
    if node is None:
        return None
    rdma = mapping(node, "rdma")
    return Network(
        node=node,
        interface=text(node, "interface"),
        rdma=Rdma(node=rdma, resource=text(rdma, "resource") or "", count=number(rdma, "count") or 1) if rdma else None,
        host_network=flag(node, "hostNetwork") or False,
    )
