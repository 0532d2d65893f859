"""Roles of a job whose pods we make all alike: what is the same is one list of workers, what differs is said."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, note, warning
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import TranslationReport

# What the two would not train together without.
PROGRAM = ("command", "args", "image")
Difference = tuple[tuple[str, ...], Node | None, Node | None, Span]


def report_differences(
    kept: ForeignMapping,
    other: ForeignMapping,
    names: tuple[str, str],
    report: TranslationReport,
    injected: tuple[str, ...] = (),
) -> None:
    """Say where the other role's template differs from the one that is kept, which no field of a job can say.

    Variables in `injected` are set by the operator after the user's, whatever the templates say.
    """
    other.ignore(*other.node.entries)
    for path, ours, theirs, span in differences(kept.node, other.node, ()):
        if "env" in path and path[path.index("env") + 1 : path.index("env") + 2] in [(name,) for name in injected]:
            continue
        report.diagnostics.append(_said(path, ours, theirs, span, names, (kept, other)))


def _said(
    path: tuple[str, ...],
    ours: Node | None,
    theirs: Node | None,
    span: Span,
    names: tuple[str, str],
    templates: tuple[ForeignMapping, ForeignMapping],
) -> Diagnostic:
    """A program that would be lost is an error, what the pods have or where they run a decision, the rest is told."""
    shown = ".".join(path)
    related = [Related(span=_place(ours), message=f"{names[0]}'s")] if ours is not None else []
    if path[-1] in PROGRAM and "containers" in path[1:2]:
        message = f"{names[1]} and {names[0]} differ in `{shown}`, and all workers of a job run one program"
        help_ = "let the program tell them apart by RANK"
        where = theirs.span.first if theirs is not None else span
        return error(codes.ROLE_PROGRAMS_DIFFER, message, where, help=help_, related=related)
    if path[0] == "metadata" and theirs is not None:
        why = f"it differs from {names[0]}'s, and all workers are alike"
        return warning(codes.IMPORT_DROPPED_FIELD, f"`{templates[1].path}.{shown}` is not carried over: {why}", span)
    if theirs is None and "resources" not in path:
        message = f"`{shown}`, which only {names[0]} has, is for {names[1]} too: all workers are alike"
        return note(codes.IMPORT_CHANGED_FIELD, message, span)
    having = _having(path, ours, theirs, names)
    message = f"{having} `{shown}`, and all workers get what {names[0]} has"
    if not related:  # what is not there is missing from something
        there = templates[0].node.entries.get("spec")
        related = [Related(span=there.key.span, message=f"{names[0]}'s")] if there is not None else []
    help_ = "make both alike: worker 0 needs what rank 0 needs, and no field gives it more than the others"
    return warning(codes.ROLE_PODS_DIFFER, message, span, help=help_, related=related)


def _place(node: Node) -> Span:
    return node.span if isinstance(node, Scalar) else node.span.first


def _having(path: tuple[str, ...], ours: Node | None, theirs: Node | None, names: tuple[str, str]) -> str:
    """Amounts are told; another value may be a secret."""
    if ours is None or theirs is None:
        return f"only {names[theirs is not None]} has"
    if "resources" in path and isinstance(ours, Scalar) and isinstance(theirs, Scalar):
        return f"{names[1]} has {theirs.text} and {names[0]} {ours.text} of"
    return f"{names[1]} and {names[0]} differ in"


def differences(ours: Node, theirs: Node, path: tuple[str, ...]) -> Iterator[Difference]:
    """The places where two trees differ, each as high up as it can be said; lists of named things by their names."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for name in dict.fromkeys([*ours.entries, *theirs.entries]):
            left, right = ours.get(name), theirs.get(name)
            if left is not None and right is not None:
                yield from differences(left, right, (*path, name))
            elif not (_is_null(left) and _is_null(right)):
                holder = ours if left is not None else theirs
                yield (*path, name), left, right, holder.entries[name].key.span
    elif isinstance(ours, Sequence) and isinstance(theirs, Sequence) and _named(ours) and _named(theirs):
        left_items, right_items = _by_name(ours), _by_name(theirs)
        for name in dict.fromkeys([*left_items, *right_items]):
            left, right = left_items.get(name), right_items.get(name)
            if left is not None and right is not None:
                yield from differences(left, right, (*path, name))
            else:
                holder_node = left if left is not None else right
                assert holder_node is not None
                yield (*path, name), left, right, holder_node.span.first
    elif plain(ours) != plain(theirs):
        yield path, ours, theirs, _place(theirs)


def _is_null(node: Node | None) -> bool:
    """Also `{creationTimestamp: null}`, as controllers' own types are printed."""
    if isinstance(node, Mapping):
        return all(_is_null(value) for _, value in node.items())
    return node is None or (isinstance(node, Scalar) and node.value is None)


def _named(node: Sequence) -> bool:
    names = [_name(item) for item in node.items]
    return None not in names and len(set(names)) == len(names)


def _by_name(node: Sequence) -> dict[str, Node]:
    return {_name(item) or "": item for item in node.items}


def _name(item: Node) -> str | None:
    name = item.get("name") if isinstance(item, Mapping) else None
    return name.value if isinstance(name, Scalar) and isinstance(name.value, str) else None
