"""Cures of invalid values: an edit of the document, and the same in words."""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.schema.accept import accepts
from trainc.schema.cures.advice import url_advice
from trainc.schema.cures.aliases import NO_ARGUMENT, is_argument
from trainc.schema.cures.guess import guess
from trainc.schema.cures.shape import Replacement
from trainc.schema.cures.shapes import shape_of
from trainc.schema.fields import field_at
from trainc.schema.paths import Path, dotted, is_missing, node_at, pattern, resolve_path
from trainc.schema.wording import flow
from trainc.secrets.text import redact
from trainc.source.node import Mapping, Node, Scalar, build_tree

_MAX_SNIPPET = 140  # characters; of a longer one the help names only the field
Put = tuple[Path, Node]


class Cure(Record):
    """Edit of the document: entries to remove, then a value to set, which keeps the user's nodes.

    `meant` are the fields that the user means, also where no value is known. An edit that isn't `certain` is a guess.
    """

    help: str
    meant: tuple[Path, ...] = ()
    remove: tuple[Path, ...] = ()
    put: Put | None = None
    certain: bool = True


class Shaped(Record):
    """Value in the form that its field requires."""

    target: Path
    value: Node
    note: str = ""
    certain: bool = True


def cure_value(root: Node, path: Path, schema: dict[str, Any]) -> Cure | None:
    """Return the cure of a value that its field can't have; `schema` is the part of the field's that it violates."""
    node = node_at(root, path)
    assert node is not None
    shaped = shape_value(root, path, node)
    advice = url_advice(pattern(path), node) if shaped is None else None
    if advice:
        return Cure(help=advice)
    if shaped is not None and (shaped.target == path or is_missing(root, shaped.target)):
        put, remove = (shaped.target, shaped.value), () if shaped.target == path else (path,)
        help_, meant = describe_edit(path[:-1], put, shaped.note), (shaped.target,)
        return Cure(help=help_, meant=meant, remove=remove, put=put, certain=shaped.certain)
    if isinstance(node, Scalar) and isinstance(node.value, bool) and is_argument(dotted(path)):
        name_it = f"name the argument, like `{schema['examples'][0]}`"
        return Cure(help=name_it) if node.value else Cure(help=f"remove it: {NO_ARGUMENT}", remove=(path,))
    return guess_value(path, node, schema)


def guess_value(path: Path, node: Node, schema: dict[str, Any]) -> Cure | None:
    """Return the cure of a value that misses the type that a schema requires."""
    intended = guess(node, schema)
    if intended is None:
        return None
    guessed = None if intended.value is None else (path, build_tree(intended.value, node.span))
    return Cure(help=intended.help, put=guessed, certain=False)


def shape_value(root: Node, target: Path, node: Node, name: str = "") -> Shaped | None:
    """Return the value of another tool's form in trainc's; None if there is none that the schema accepts.

    `name` is that of another tool's field for it.
    """
    shape, spec = shape_of(pattern(target), name), node_at(root, ("spec",))
    proposal = shape(node, spec if isinstance(spec, Mapping) else Mapping({}, root.span)) if shape else None
    if proposal is None:
        return None
    proposal = proposal if isinstance(proposal, Replacement) else Replacement(value=proposal)
    if proposal.field.startswith("."):
        target = (*target[:-1], proposal.field[1:])
    elif proposal.field:
        target = resolve_path(proposal.field, target)
    value = build_tree(proposal.value, node.span)
    shaped = Shaped(target=target, value=value, note=proposal.note, certain=proposal.certain and not proposal.note)
    return shaped if fits(target, value) else None


def fits(target: Path, value: Node) -> bool:
    """Return whether a field can have a value."""
    field = field_at(target)
    return field is not None and accepts(value, field.schema, field.base)


def describe_edit(place: Path, put: Put, note: str = "", instead: str = "") -> str:
    """Return the help for an edit. `place` is the mapping with the mistake, `instead` the field in it to replace."""
    path, value = put
    parent, key = path[:-1], path[-1]
    snippet, where = f"{key}: {flow(value)}", ""
    if isinstance(key, int):
        snippet = flow(value)
    elif instead:
        where = f" in place of `{instead}`"
    elif parent != place:
        where = f" in `{dotted(parent)}`" if parent else " at the top of the file"
    if redact(snippet) != snippet and isinstance(value, Mapping) and value.entries.keys() == {"name", "value"}:
        source = "valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}"
        snippet = f"{{name: {flow(value.entries['name'].value)}, {source}}}"
    if len(snippet) > _MAX_SNIPPET or redact(snippet) != snippet:
        return f"use `{dotted(path)}`"
    return f"write `{snippet}`{where}" + (f", {note}" if note else "")
