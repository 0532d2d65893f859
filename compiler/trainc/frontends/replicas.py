"""Roles of a job whose pods we make all alike: what is the same is one list of workers, what differs is said."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Related, error
from trainc.frontends.foreign import Foreign
from trainc.frontends.report import Report
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain
from trainc.span import Span

# What the two would not train together without.
PROGRAM = ("command", "args", "image")
Difference = tuple[tuple[str, ...], Node | None, Node | None, Span]


def merged(kept: Foreign, other: Foreign, names: tuple[str, str], report: Report) -> None:
    """Say where the other role's template differs from the one that is kept."""
    other.skip(*other.node.entries)
    report.carried += len(other.node.entries)
    for path, ours, theirs, span in differences(kept.node, other.node, ()):
        shown = ".".join(path)
        if path[-1] in PROGRAM and "containers" in path[1:2]:
            where = theirs.span.first if theirs is not None else span
            message = f"{names[1]} and {names[0]} differ in `{shown}`, and all workers of a job run one program"
            related = [Related(span=ours.span.first, message=f"{names[0]}'s")] if ours is not None else []
            report.said.append(
                error(
                    codes.ROLES_DIFFER, message, where, help="let the program tell them apart by RANK", related=related
                )
            )
        elif theirs is None:
            report.changed(f"`{shown}`, which only {names[0]} has, is for {names[1]} too: all workers are alike", span)
        else:
            why = f"it differs from {names[0]}'s, and all workers are alike"
            report.dropped(f"{other.path}.{shown}", span, why)


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
        yield path, ours, theirs, theirs.span if isinstance(theirs, Scalar) else theirs.span.first


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
