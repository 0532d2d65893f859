"""Project: the valid project file of a repository."""

from __future__ import annotations

import os

from trainc.record import Record
from trainc.source.node import Mapping, Node, Sequence, scalar_text
from trainc.span import Source

_EXTENSIONS = (".yaml", ".yml", ".json")  # of a file with manifests; other paths are directories


class Project(Record):
    """Project file with the positions of its values. `source` has the path as messages show it."""

    source: Source
    tree: Mapping

    @property
    def folder(self) -> str:
        """Directory of the file, to which its paths are relative; empty for the working directory."""
        return os.path.dirname(self.source.name)

    def get(self, key: str) -> Node | None:
        """Return the value of a key, or None."""
        return self.tree.get(key)

    def without(self, key: str) -> Project:
        """Return the project without a key."""
        entries = {name: entry for name, entry in self.tree.entries.items() if name != key}
        return self.replace(tree=Mapping(entries, self.tree.span))

    def section(self, key: str) -> Mapping | None:
        """Return a mapping, None if the file has none of this name."""
        node = self.tree.get(key)
        return node if isinstance(node, Mapping) else None

    def text(self, key: str) -> str | None:
        """Return a string, None if the file has none of this name."""
        return scalar_text(self.tree.get(key)) or None

    def items(self, key: str) -> list[Node]:
        """Return the items of a list; none if the file has none of this name."""
        node = self.tree.get(key)
        return node.items if isinstance(node, Sequence) else []

    def manifests_path(self, cluster: str | None = None) -> str | None:
        """Return the output that the project names: a file, or a directory with a slash at its end; None without one.

        A cluster that the project names has the directory of its name in it.
        """
        text = self.text("manifests")
        if text is None:
            return None
        path = os.path.join(self.folder, text)
        if path.endswith(_EXTENSIONS):
            return path
        clusters = self.section("clusters")
        is_named = cluster is not None and clusters is not None and cluster in clusters.entries
        return os.path.join(path, cluster or "", "") if is_named else os.path.join(path, "")
