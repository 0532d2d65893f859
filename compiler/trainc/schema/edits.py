"""Cures as edits of the job file's text, each verified by parsing the edited file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from trainc.diagnostics.remedy import Edit, Fix
from trainc.schema.cures.cure import Cure
from trainc.schema.paths import Path, node_at
from trainc.schema.text_edits import Changes, Unsupported, apply_to_text, text_edits
from trainc.source.lines import Lines
from trainc.source.load import load
from trainc.source.node import Node, plain
from trainc.span import Source

_MAX_PARSED = 1_000_000  # characters, of all parses of a file
_COMMENT = re.compile(r"(?:^|\s)#")
_SECTIONS = ("env", "labels", "annotations")
_TEMPLATE = ("{{", "{%", "<%")


class Editor:
    """Documents of a source, before and after changes. It parses at most a million characters."""

    def __init__(self, source: Source) -> None:
        is_template = any(mark in source.text for mark in _TEMPLATE)
        self.left = 0 if is_template else _MAX_PARSED
        self.lines = Lines(source)
        documents = self._parse(source)
        self.documents = documents or []

    def _parse(self, source: Source) -> list[Node] | None:
        if len(source.text) > self.left:
            return None
        self.left -= len(source.text)
        documents, problems = load(source)
        return None if problems else documents

    def fix(self, changes: Changes, root: Node) -> Fix | None:
        """Return the edits that make the changes of a document, None unless the edited text has exactly them.

        A section that has no entry left is removed, unless that would delete a comment.
        """
        whole = _with_emptied_sections(changes, root)
        fix = self._fix(whole, root) if whole is not changes else None
        return fix if fix and fix.is_safe == changes.is_safe else self._fix(changes, root)

    def _fix(self, changes: Changes, root: Node) -> Fix | None:
        lines = self.lines
        try:
            edits = sorted(text_edits(changes, root, lines))
            after = self._parse(Source(lines.source.name, apply_to_text(edits, lines.text)))
            if not edits or after is None:
                return None
            changed = [plain(each) for each in after]
            expected = [plain(each) for each in self.documents]
            index = next(n for n, each in enumerate(self.documents) if each.span.place == root.span.place)
            _change(expected[index], changes, changed[index])
        except (Unsupported, LookupError, TypeError, AttributeError, ValueError, StopIteration):
            return None
        if changed != expected:
            return None
        spans = tuple(Edit(span=lines.span(start, end), text=text) for start, end, text in edits)
        deleted = (lines.text[start:end] for start, end, _ in edits)
        return Fix(edits=spans, is_safe=changes.is_safe and not any(map(_COMMENT.search, deleted)))


def fixes_of(cures: list[Cure | None], root: Node) -> list[Fix | None]:
    """Return the fixes of a document's mistakes, None where no local edit has the cure's result.

    There are none for templates, values of --set and aliases. Each fix is verified by parsing the edited file, so a
    long file has fixes only for its first mistakes.
    """
    if not any(cures):
        return [None] * len(cures)
    editor = Editor(root.span.source)
    document = next((each for each in editor.documents if each.span.place == root.span.place), None)
    if document is None or _fields(document) != _fields(root):
        return [None] * len(cures)
    return [editor.fix(_changes_of(cure), root) if cure else None for cure in cures]


def _fields(document: Node) -> Any:
    """Return a document without kind and version: a misspelled one is replaced before the rest is checked."""
    fields = plain(document)
    return {**fields, "kind": "", "apiVersion": ""} if isinstance(fields, dict) else fields


def _changes_of(cure: Cure) -> Changes:
    return Changes(remove=cure.remove, put=(cure.put,) if cure.put else (), is_safe=cure.certain)


def _with_emptied_sections(changes: Changes, root: Node) -> Changes:
    """Remove a section instead of all its entries, if an empty section means the same as a missing one."""
    removed = dict.fromkeys(changes.remove)
    for section in {path[:-1] for path in removed if path[-2:-1] and path[-2] in _SECTIONS}:
        entries = {path for path in removed if path[:-1] == section}
        node = node_at(root, section)
        changed = [*(path for path, _ in changes.put), *(path for path, _, _ in changes.rewrite)]
        has_additions = any(path[: len(section)] == section for path in changed)
        if node is not None and len(entries) == len(plain(node)) and not has_additions:
            removed = {path if path not in entries else section: None for path in removed}
    return changes.replace(remove=tuple(removed)) if removed.keys() != {*changes.remove} else changes


def _change(document: Any, changes: Changes, after: Any) -> None:
    """Make the changes in a plain document; of a string of which a part is replaced, only the length is checked."""
    lengths: dict[Path, int] = {}
    for path, span, text in changes.rewrite:
        lengths[path] = lengths.get(path, 0) + len(text) - (span.end_column - span.column)
    for path, added in lengths.items():
        owner, value = _parent(document, path[:-1]), _parent(after, path[:-1])[path[-1]]
        owner[path[-1]] = value if isinstance(value, str) and len(value) == len(owner[path[-1]]) + added else None
    for path in _last_first(changes.remove):
        _parent(document, path[:-1]).pop(path[-1])
    for path, value in changes.put:
        parent, new = _parent(document, path[:-1]), plain(value)
        if isinstance(parent, list) and path[-1] == len(parent):
            parent.append(new)
        else:
            parent[path[-1]] = new


def _last_first(paths: Iterable[Path]) -> list[Path]:
    """Return paths with later items of a list before earlier ones, which keep their places."""
    return sorted(paths, key=lambda path: path[-1] if isinstance(path[-1], int) else -1, reverse=True)


def apply_edits(source: Source, edits: list[Edit]) -> str:
    """Return the text of a source with edits, which don't overlap."""
    lines = Lines(source)
    return apply_to_text(sorted((*lines.bounds(edit.span), edit.text) for edit in edits), source.text)


def _parent(tree: Any, path: Path) -> Any:
    """Return the mapping or list at a path, with missing mappings created."""
    for step in path:
        if isinstance(tree, dict) and tree.get(step) is None:
            tree[step] = {}
        tree = tree[step]
    return tree
