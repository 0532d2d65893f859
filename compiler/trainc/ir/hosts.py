"""Host names of the workers."""

from __future__ import annotations

from trainc.record import Record


class Hosts(Record):
    """Host names: worker 0 is `first`, worker i `<stem>-<i - offset>`.

    The name followed by `domain` resolves in every pod of the namespace. With `is_full` that is the fully qualified
    name, which the kubelet writes to the pod's own /etc/hosts.
    """

    first: str
    stem: str
    offset: int = 0
    domain: str = ""
    is_full: bool = False

    def name(self, index: int) -> str:
        """Return the pod's hostname."""
        return self.first if index == 0 else f"{self.stem}-{index - self.offset}"

    def resolvable(self, index: int) -> str:
        """Return the name that every pod of the namespace can resolve."""
        return self.name(index) + self.domain
