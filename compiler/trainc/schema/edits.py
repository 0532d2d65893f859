"""Cures as edits of the job file's text, which change nothing else: comments, order and quotes stay."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics.fix import Edit, Fix
from trainc.schema.cures.cure import Cure
from trainc.schema.paths import Path, node_at
from trainc.schema.wording import flow
from trainc.source.lines import Lines
from trainc.source.load import load
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, plain
from trainc.span import Source

_MAX_PARSED = 1_000_000  # characters, of all parses of a file
_TEMPLATE = ("{{", "{%", "<%")
Change = tuple[int, int, str]  # offsets of a text, and what replaces it


class _Unsupported(Exception):
    """Cure that needs more than a local edit."""


def fixes_of(cures: list[Cure | None], root: Node) -> list[Fix | None]:
    """Return the fixes of a document's mistakes, None where no local edit has the cure's result.

    There are none for templates, values of --set and aliases. Each fix is verified by parsing the edited file, so a
    long file has fixes only for its first mistakes.
    """
    source = root.span.source
    if any(mark in source.text for mark in _TEMPLATE):
        return [None] * len(cures)
    before, _ = load(source) if any(cures) and len(source.text) <= _MAX_PARSED else ([], [])
    index = next((i for i, document in enumerate(before) if document.span.place == root.span.place), None)
    if index is None or plain(before[index]) != plain(root):
        return [None] * len(cures)
    left = _MAX_PARSED // len(source.text)
    fixes: list[Fix | None] = []
    for cure in cures:
        fixes.append(_fix_of(cure, root, before, index) if cure and left > 0 else None)
        left -= cure is not None
    return fixes


def _fix_of(cure: Cure, root: Node, before: list[Node], index: int) -> Fix | None:
    lines = Lines(root.span.source)
    try:
        changes = sorted(_changes(cure, root, lines))
        expected = [plain(document) for document in before]
        expected[index] = _cured(expected[index], cure)
        after, problems = load(Source(lines.source.name, _applied(changes, lines.text)))
    except (_Unsupported, LookupError, TypeError, AttributeError, ValueError):
        return None
    if not changes or problems or [plain(document) for document in after] != expected:
        return None
    edits = tuple(Edit(span=lines.span(start, end), text=text) for start, end, text in changes)
    return Fix(edits=edits, is_safe=cure.certain)


def _cured(document: Any, cure: Cure) -> Any:
    for path in cure.remove:
        _parent(document, path[:-1]).pop(path[-1])
    if cure.put:
        path, value = cure.put
        parent, new = _parent(document, path[:-1]), plain(value)
        if isinstance(parent, list) and path[-1] == len(parent):
            parent.append(new)
        else:
            parent[path[-1]] = new
    return document


def apply_edits(source: Source, edits: list[Edit]) -> str:
    """Return the text of a source with edits, which don't overlap."""
    lines = Lines(source)
    return _applied(sorted((*lines.bounds(edit.span), edit.text) for edit in edits), source.text)


def _applied(changes: list[Change], text: str) -> str:
    """Return the text with changes in order. Raises _Unsupported if two overlap."""
    parts, at = [], 0
    for start, end, new in changes:
        if start < at:
            raise _Unsupported
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def _parent(tree: Any, path: Path) -> Any:
    """Return the mapping or list at a path, with missing mappings created."""
    for step in path:
        if isinstance(tree, dict) and tree.get(step) is None:
            tree[step] = {}
        tree = tree[step]
    return tree


def _changes(cure: Cure, root: Node, lines: Lines) -> list[Change]:
    removed = list(cure.remove)
    changes = _put(*cure.put, removed, root, lines) if cure.put else []
    return changes + [_remove(_owner(root, path[:-1]), path[-1], lines) for path in removed]


def _put(path: Path, value: Node, removed: list[Path], root: Node, lines: Lines) -> list[Change]:
    """Return the changes that set a value: in place of the old one, of a removed entry, or as a new entry."""
    depth = max(n for n in range(len(path)) if isinstance(node_at(root, path[:n]), Mapping | Sequence))
    owner, step, text = _owner(root, path[:depth]), path[depth], _nested(path[depth + 1 :], value)
    if node_at(owner, (step,)) is not None:
        return [_replace_value(owner, step, text, lines)]
    instead = next((old for old in removed if old[:-1] == path[:depth]), None)
    if instead is None or not isinstance(owner, Mapping):
        return [_insert(owner, step, text, lines)]
    removed.remove(instead)
    entry = owner.entries[str(instead[-1])]
    renamed = [(*lines.bounds(entry.key.span), str(step))]
    if entry.value is value and len(path) == depth + 1:
        return renamed
    return [*renamed, _replace_value(owner, instead[-1], text, lines)]


def _nested(path: Path, value: Node) -> str:
    text = flow(value)
    for step in reversed(path):
        text = f"{{{step}: {text}}}" if isinstance(step, str) else f"[{text}]"
    return text


def _owner(root: Node, path: Path) -> Mapping | Sequence:
    owner = node_at(root, path)
    if not isinstance(owner, Mapping | Sequence):
        raise _Unsupported
    return owner


def _replace_value(owner: Mapping | Sequence, step: str | int, text: str, lines: Lines) -> Change:
    """Return the change of a value; one that is missing or a block is replaced from its key on."""
    node = _child(owner, step)
    start, end = _region(node, lines)
    is_block = not isinstance(node, Scalar) and not _is_flow(node, lines)
    if isinstance(owner, Mapping) and (is_block or node.span.empty or lines.text[start : start + 1] in "|>"):
        start, text = _behind_colon(owner.entries[str(step)], lines), f" {text}"
        end = max(start, end)
        if "#" in lines.text[start:end]:
            raise _Unsupported  # the change would delete a comment
    return start, end, text


def _insert(owner: Mapping | Sequence, step: str | int, text: str, lines: Lines) -> Change:
    """Return the change that adds a last entry or item."""
    entry = f"{step}: {text}" if isinstance(step, str) else text
    count = len(owner.entries) if isinstance(owner, Mapping) else len(owner.items)
    if count == 0:
        raise _Unsupported
    end = _region(owner, lines)[1]
    if _is_flow(owner, lines):
        last = _region(_children(owner)[-1], lines)[1]
        return last, last, f", {entry}"
    column = (next(iter(owner.entries.values())).key if isinstance(owner, Mapping) else owner).span.column - 1
    at = lines.start_of_next_line(end)
    dash = "" if isinstance(step, str) else "- "
    line = " " * column + dash + entry + lines.line_break
    ends_with_break = at > 0 and lines.start_of_line(at) == at
    return at, at, line if ends_with_break else f"{lines.line_break}{line}"


def _remove(owner: Mapping | Sequence, step: str | int, lines: Lines) -> Change:
    """Return the change that removes an entry or item with its lines, or with its comma."""
    starts = _starts(owner, lines)
    index = list(owner.entries).index(str(step)) if isinstance(owner, Mapping) else int(step)
    start, end = starts[index], _region(_child(owner, step), lines)[1]
    if isinstance(owner, Mapping):
        end = max(end, _behind_colon(owner.entries[str(step)], lines))
    if len(starts) == 1:
        raise _Unsupported
    if _is_flow(owner, lines):
        if index + 1 < len(starts):
            return start, starts[index + 1], ""
        return _region(_children(owner)[index - 1], lines)[1], end, ""
    first = lines.start_of_line(start)
    if not lines.text[first:start].strip(" "):
        return first, lines.start_of_next_line(end), ""
    if index + 1 < len(starts) and "#" not in lines.text[end : starts[index + 1]]:  # the first of `- name: x`
        return start, starts[index + 1], ""
    raise _Unsupported


def _behind_colon(entry: Entry, lines: Lines) -> int:
    return lines.text.index(":", lines.bounds(entry.key.span)[1]) + 1


def _child(owner: Node, step: str | int) -> Node:
    if isinstance(owner, Mapping):
        return owner.entries[str(step)].value
    if isinstance(owner, Sequence):
        return owner.items[int(step)]
    raise _Unsupported


def _children(owner: Mapping | Sequence) -> list[Node]:
    return [entry.value for entry in owner.entries.values()] if isinstance(owner, Mapping) else owner.items


def _starts(owner: Mapping | Sequence, lines: Lines) -> list[int]:
    """Return the offsets of the entries, or of the items with their dashes."""
    if isinstance(owner, Mapping):
        return [lines.bounds(entry.key.span)[0] for entry in owner.entries.values()]
    starts = [lines.bounds(item.span)[0] for item in owner.items]
    return starts if _is_flow(owner, lines) else [lines.text.rindex("-", 0, start) for start in starts]


def _region(node: Node, lines: Lines) -> tuple[int, int]:
    """Return the offsets of a node's text, without the comments that follow a block."""
    start, end = lines.bounds(node.span)
    if not isinstance(node, Scalar) and not _is_flow(node, lines) and _children(node):
        return start, max(_region(child, lines)[1] for child in _children(node))
    if isinstance(node, Scalar):
        end = start + len(lines.text[start:end].rstrip())  # a block scalar ends at the start of the next line
    return start, end


def _is_flow(node: Node, lines: Lines) -> bool:
    return lines.text[lines.bounds(node.span)[0] :][:1] in ("{", "[")
