"""Changes of a job document from elsewhere: an option of the command line or a file of values."""

from __future__ import annotations

from trainc.source.node import Node
from trainc.span import Source


class Change:
    """Change of a document; `source` is where its values are written."""

    source: Source

    def apply(self, node: Node) -> Node:
        """Return the changed document. Raises Rejected if the change does not fit."""
        raise NotImplementedError
