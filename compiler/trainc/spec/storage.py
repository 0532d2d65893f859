"""`checkpoint`, `save` and `shareFile`: paths that are told to the program."""

from __future__ import annotations

from trainc.source.node import Mapping
from trainc.spec.section import Section, flag, mapping, text, text_or_false


class StoredPath(Section):
    """A path, the argument that carries it (None for none) and the variable that does."""

    path: str
    argument: str | None
    env: str | None
    create: bool


def read_stored_path(node: Mapping, name: str, argument: str, field: str = "path") -> StoredPath | None:
    """One of the three fields; `argument` is its default argument, `field` what holds its path."""
    section = mapping(node, name)
    if section is None:
        return None
    return StoredPath(
        node=section,
        path=text(section, field) or "",
        argument=text_or_false(section, "argument", argument),
        env=text(section, "env"),
        create=flag(section, "create") is not False,
    )
