"""etcd server beside a job, which the job's workers may use for their rendezvous and which outlives the job."""

from __future__ import annotations

from trainc.record import Record
from trainc.span import Text


class EtcdServer(Record):
    """etcd server in the input: the names of its Services, its image, and whether its options turn on the v2 API."""

    hosts: tuple[str, ...]
    image: Text
    enables_v2: bool

    def serves(self, host: str) -> bool:
        """Return whether a host is the name of one of the Services, with or without a namespace and domain."""
        return host.partition(".")[0] in self.hosts
