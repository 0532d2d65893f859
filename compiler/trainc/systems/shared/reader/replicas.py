"""Compare the pod templates of roles that become one list of workers, and report what differs."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, note, warning
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child

# Container fields that decide which program runs.
PROGRAM = ("command", "args", "image")
Difference = tuple[tuple[str, ...], Node | None, Node | None, Span]


def report_differences(
    kept: ForeignMapping,
    other: ForeignMapping,
    names: tuple[str, str],
    report: TranslationReport,
    injected: tuple[str, ...] = (),
) -> None:
    """Report where the other role's template differs from the kept one, which becomes the template of all workers.

    The operator overwrites the environment variables in `injected`: their values make no difference.
    """
    other.ignore(*other.node.entries)
    for path, left, right, span in differences(kept.node, other.node, ()):
        if "env" in path and path[path.index("env") + 1 : path.index("env") + 2] in [(name,) for name in injected]:
            continue
        report.diagnostics.append(_diagnostic(path, left, right, span, names, (kept, other)))


def _diagnostic(
    path: tuple[str, ...],
    left: Node | None,
    right: Node | None,
    span: Span,
    names: tuple[str, str],
    templates: tuple[ForeignMapping, ForeignMapping],
) -> Diagnostic:
    """Return an error for the program, a warning for what pods have or where they run, a note for the rest."""
    field = ".".join(path)
    kept, other = names
    related = [Related(span=_place(left), message=f"{kept}'s value")] if left is not None else []
    if path[-1] in PROGRAM and "containers" in path[1:2]:
        message = f"{other} and {kept} differ in `{field}`, but all workers of a job run one program"
        where = right.span.first if right is not None else span
        return error(codes.ROLE_PROGRAMS_DIFFER, message, where, help="branch on RANK in the program", related=related)
    if path[0] == "metadata" and right is not None:
        message = f"`{templates[1].path}.{field}` is not carried over: all workers get {kept}'s metadata"
        return warning(codes.IMPORT_DROPPED_FIELD, message, span)
    if right is None and "resources" not in path:
        return note(codes.IMPORT_CHANGED_FIELD, f"`{field}` is set for {kept} only; all workers get it", span)
    if not related:  # point at the template that lacks the field
        section = templates[0].node.entries.get("spec")
        related = [Related(span=section.key.span, message=f"{kept}'s template")] if section is not None else []
    message = _difference(path, left, right, names)
    return warning(codes.ROLE_PODS_DIFFER, message, span, help="use the same value in both roles", related=related)


def _place(node: Node) -> Span:
    return node.span if isinstance(node, Scalar) else node.span.first


def _difference(path: tuple[str, ...], left: Node | None, right: Node | None, names: tuple[str, str]) -> str:
    """Return the message. It shows amounts of resources; other values may be secrets."""
    field = ".".join(path)
    kept, other = names
    if left is None:
        return f"only {other} has `{field}`; no worker gets it"
    if right is None:
        return f"only {kept} has `{field}`; all workers get it"
    if "resources" in path and isinstance(left, Scalar) and isinstance(right, Scalar):
        return f"`{field}` is {right.text} for {other} and {left.text} for {kept}; all workers get {left.text}"
    return f"{other} and {kept} differ in `{field}`; all workers get {kept}'s value"


def differences(left: Node, right: Node, path: tuple[str, ...]) -> Iterator[Difference]:
    """Yield the places where two trees differ; items of a list are matched by name if all items have unique names."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for name in dict.fromkeys([*left.entries, *right.entries]):
            inner, other = left.get(name), right.get(name)
            if inner is not None and other is not None:
                yield from differences(inner, other, (*path, name))
            elif not (_is_null(inner) and _is_null(other)):
                holder = left if inner is not None else right
                yield (*path, name), inner, other, holder.entries[name].key.span
    elif isinstance(left, Sequence) and isinstance(right, Sequence) and _has_names(left) and _has_names(right):
        left_items, right_items = _by_name(left), _by_name(right)
        for name in dict.fromkeys([*left_items, *right_items]):
            inner, other = left_items.get(name), right_items.get(name)
            if inner is not None and other is not None:
                yield from differences(inner, other, (*path, name))
            else:
                item = inner if inner is not None else other
                assert item is not None
                yield (*path, name), inner, other, item.span.first
    elif plain(left) != plain(right):
        yield path, left, right, _place(right)


def _is_null(node: Node | None) -> bool:
    """Return whether a node holds nothing but nulls, like `{creationTimestamp: null}`, which controllers print."""
    if isinstance(node, Mapping):
        return all(_is_null(value) for _, value in node.items())
    return node is None or (isinstance(node, Scalar) and node.value is None)


def _has_names(node: Sequence) -> bool:
    names = [_name(item) for item in node.items]
    return None not in names and len(set(names)) == len(names)


def _by_name(node: Sequence) -> dict[str, Node]:
    return {_name(item) or "": item for item in node.items}


def _name(item: Node) -> str | None:
    name = child(item, "name")
    return name.value if isinstance(name, Scalar) and isinstance(name.value, str) else None
