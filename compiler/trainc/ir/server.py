"""Objects beside a job in the input: etcd servers, which the job's workers may use and which outlive it, and files."""

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


class InputObjects(Record):
    """Objects of the input that are no jobs: etcd servers, and the texts of ConfigMaps by name and key."""

    servers: tuple[EtcdServer, ...] = ()
    config_maps: dict[str, dict[str, Text]] = {}
