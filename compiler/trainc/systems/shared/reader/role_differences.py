"""Compare the pod templates of roles that become one list of workers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, note, warning
from trainc.launchers.registry import STARTS_CLUSTERS
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain, scalar_text, start
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child

# Container fields that decide which program runs.
PROGRAM = ("command", "args", "image")
Difference = tuple[tuple[str, ...], Node | None, Node | None, Span]


def report_differences(
    main: ForeignMapping, other: ForeignMapping, names: tuple[str, str], injected: tuple[str, ...] = ()
) -> None:
    """Report where the other role's template differs from the main one, which becomes the template of all workers.

    `names` are those of the main and of the other role. The operator overwrites the environment variables in
    `injected`: their values make no difference.
    """
    other.ignore_all()
    for path, left, right, span in differences(main.node, other.node, ()):
        if not any(field == "env" and name in injected for field, name in pairwise(path)):
            other.report.diagnostics.append(_diagnostic(path, left, right, span, names, main, other))


def _diagnostic(
    path: tuple[str, ...],
    left: Node | None,
    right: Node | None,
    span: Span,
    names: tuple[str, str],
    main: ForeignMapping,
    other: ForeignMapping,
) -> Diagnostic:
    """Return an error for the program, a warning for what pods have or where they run, a note for the rest."""
    field, (main_name, name) = ".".join(path), names
    related = [(start(left), f"{main_name}'s value")] if left is not None else []
    if path[-1] in PROGRAM and "containers" in path[1:2]:
        message = f"{name} and {main_name} differ in `{field}`, but all workers of a job run one program"
        where = right.span.first if right is not None else span
        help_ = _cluster_help(left, right) or "branch on RANK in the program"
        return error(codes.ROLE_PROGRAMS_DIFFER, message, where, help=help_, related=related)
    if path[0] == "metadata" and right is not None:
        message = f"`{other.path}.{field}` is not carried over: all workers get {main_name}'s metadata"
        return warning(codes.IMPORT_DROPPED_FIELD, message, span)
    if right is None and "resources" not in path:
        return note(codes.IMPORT_CHANGED_FIELD, f"`{field}` is set for {main_name} only; all workers get it", span)
    section = main.node.entries.get("spec")
    if left is None and section is not None:  # point at the template that lacks the field
        related = [(section.key.span, f"{main_name}'s template")]
    if left is None:
        message = f"only {name} has `{field}`; no worker gets it"
    elif right is None:
        message = f"only {main_name} has `{field}`; all workers get it"
    elif "resources" in path and isinstance(left, Scalar) and isinstance(right, Scalar):  # other values may be secrets
        message = f"`{field}` is {right.text} for {name} and {left.text} for {main_name}; all workers get {left.text}"
    else:
        message = f"{name} and {main_name} differ in `{field}`; all workers get {main_name}'s value"
    return warning(codes.ROLE_PODS_DIFFER, message, span, help="use the same value in both roles", related=related)


def _cluster_help(*nodes: Node | None) -> str:
    """Return the help for roles that start the nodes of a cluster; empty for others."""
    lists = [node.items if isinstance(node, Sequence) else [node] for node in nodes if node is not None]
    text = " ".join(scalar_text(word) for words in lists for word in words)
    field = next((field for command, field in STARTS_CLUSTERS.items() if command in text), "")
    return f"use a job file with `{field}`, which starts the cluster, and the program that uses it" if field else ""


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
    elif (left_items := _by_name(left)) is not None and (right_items := _by_name(right)) is not None:
        for name in dict.fromkeys([*left_items, *right_items]):
            inner, other = left_items.get(name), right_items.get(name)
            if inner is not None and other is not None:
                yield from differences(inner, other, (*path, name))
            elif inner is not None or other is not None:
                yield (*path, name), inner, other, (left_items | right_items)[name].span.first
    elif plain(left) != plain(right):
        yield path, left, right, start(right)


def _is_null(node: Node | None) -> bool:
    """Return whether a node holds nothing but nulls, like `{creationTimestamp: null}`, which controllers print."""
    if isinstance(node, Mapping):
        return all(_is_null(value) for _, value in node.items())
    return node is None or (isinstance(node, Scalar) and node.value is None)


def _by_name(node: Node) -> dict[str, Node] | None:
    """Return the items of a list by their names; None if an item has no name of its own."""
    if not isinstance(node, Sequence):
        return None
    names = [child(item, "name") for item in node.items]
    by_name = {
        name.value: item
        for name, item in zip(names, node.items, strict=True)
        if isinstance(name, Scalar) and isinstance(name.value, str)
    }
    return by_name if len(by_name) == len(node.items) else None
