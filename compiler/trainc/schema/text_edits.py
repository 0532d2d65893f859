"""Changes of a document as edits of its text, which change nothing else: comments, order and quotes stay."""

from __future__ import annotations

from trainc.record import Record
from trainc.schema.paths import Path, node_at
from trainc.schema.wording import flow
from trainc.source.lines import Lines
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Span

TextEdit = tuple[int, int, str]  # offsets of a text, and what replaces it


class Unsupported(Exception):
    """Change that needs more than local edits."""


class Changes(Record):
    """Changes of a document: entries and items to remove, values to set, and parts of strings to replace.

    A value keeps the user's nodes; that of a path with no node yet is a new entry, or the next item of a list.
    """

    remove: tuple[Path, ...] = ()
    put: tuple[tuple[Path, Node], ...] = ()
    rewrite: tuple[tuple[Path, Span, str], ...] = ()
    is_safe: bool


def apply_to_text(changes: list[TextEdit], text: str) -> str:
    """Return the text with changes in order. Raises Unsupported if two overlap."""
    parts, at = [], 0
    for start, end, new in changes:
        if start < at:
            raise Unsupported
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def text_edits(changes: Changes, root: Node, lines: Lines) -> list[TextEdit]:
    removed = list(dict.fromkeys(changes.remove))
    edits = [edit for path, value in changes.put for edit in _put(path, value, removed, root, lines)]
    edits += [(*lines.bounds(span), text) for _, span, text in changes.rewrite]
    for parent in dict.fromkeys(path[:-1] for path in removed):
        steps = [path[-1] for path in removed if path[:-1] == parent]
        owner = _owner(root, parent)
        if parent and len(steps) == len(_children(owner)):
            empty = "{}" if isinstance(owner, Mapping) else "[]"
            edits.append(_replace_value(_owner(root, parent[:-1]), parent[-1], empty, lines))
        else:
            edits += _remove(owner, steps, lines)
    return edits


def _put(path: Path, value: Node, removed: list[Path], root: Node, lines: Lines) -> list[TextEdit]:
    """Return the changes that set a value: in place of the old one, of a removed entry, or as a new entry."""
    depth = max(n for n in range(len(path)) if not n or _has_children(node_at(root, path[:n])))
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


def _has_children(node: Node | None) -> bool:
    return isinstance(node, Mapping | Sequence) and bool(_children(node))


def _nested(path: Path, value: Node) -> str:
    text = flow(value)
    for step in reversed(path):
        text = f"{{{step}: {text}}}" if isinstance(step, str) else f"[{text}]"
    return text


def _owner(root: Node, path: Path) -> Mapping | Sequence:
    owner = node_at(root, path)
    if not isinstance(owner, Mapping | Sequence):
        raise Unsupported
    return owner


def _replace_value(owner: Mapping | Sequence, step: str | int, text: str, lines: Lines) -> TextEdit:
    """Return the change of a value; one that is missing or a block is replaced from its key on."""
    node = _child(owner, step)
    start, end = _region(node, lines)
    is_block = not isinstance(node, Scalar) and not _is_flow(node, lines)
    if isinstance(owner, Mapping) and (is_block or node.span.empty or lines.text[start : start + 1] in "|>"):
        start, text = _behind_colon(owner.entries[str(step)], lines), f" {text}"
        end = max(start, end)
        if "#" in lines.text[start:end]:
            raise Unsupported  # the change would delete a comment
    return start, end, text


def _insert(owner: Mapping | Sequence, step: str | int, text: str, lines: Lines) -> TextEdit:
    """Return the change that adds a last entry or item."""
    entry = f"{step}: {text}" if isinstance(step, str) else text
    count = len(owner.entries) if isinstance(owner, Mapping) else len(owner.items)
    if count == 0:
        raise Unsupported
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


def _remove(owner: Mapping | Sequence, steps: list[str | int], lines: Lines) -> list[TextEdit]:
    """Return the changes that remove some entries or items with their lines, or with their commas."""
    starts, children = _starts(owner, lines), _children(owner)
    names: list[str | int] = list(owner.entries) if isinstance(owner, Mapping) else list(range(len(children)))
    removed = {names.index(step) for step in steps}
    ends = [_region(child, lines)[1] for child in children]
    if isinstance(owner, Mapping):
        entries = owner.entries.values()
        ends = [max(end, _behind_colon(entry, lines)) for end, entry in zip(ends, entries, strict=True)]
    if len(removed) == len(children):
        raise Unsupported
    if _is_flow(owner, lines):
        last = max({*range(len(children))} - removed)  # the last one that stays
        changes = [(starts[index], starts[index + 1], "") for index in removed if index < last]
        return changes + ([(ends[last], ends[-1], "")] if last + 1 < len(children) else [])
    return [_remove_lines(index, starts, ends, lines) for index in removed]


def _remove_lines(index: int, starts: list[int], ends: list[int], lines: Lines) -> TextEdit:
    """Return the change that removes an entry or item of a block."""
    start, end = starts[index], ends[index]
    first = lines.start_of_line(start)
    if not lines.text[first:start].strip(" "):
        return first, lines.start_of_next_line(end), ""
    if index + 1 < len(starts) and "#" not in lines.text[end : starts[index + 1]]:  # the first of `- name: x`
        return start, starts[index + 1], ""
    raise Unsupported


def _behind_colon(entry: Entry, lines: Lines) -> int:
    return lines.text.index(":", lines.bounds(entry.key.span)[1]) + 1


def _child(owner: Node, step: str | int) -> Node:
    if isinstance(owner, Mapping):
        return owner.entries[str(step)].value
    if isinstance(owner, Sequence):
        return owner.items[int(step)]
    raise Unsupported


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
