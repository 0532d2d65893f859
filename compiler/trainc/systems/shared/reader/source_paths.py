"""What another system calls the places of a document that was translated: by where they stand in its file."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Span

Place = tuple[str, int, int, int, int]


class SourcePaths:
    """The documents of a file, before they were translated."""

    def __init__(self, documents: list[Node]) -> None:
        self._documents = documents
        self._paths: dict[Place, str] | None = None

    def path(self, *spans: Span) -> str | None:
        """The field at the first of the places that is one's, else the innermost around the first; None outside."""
        paths = self._found()
        for span in spans:
            if span.place in paths:
                return paths[span.place]
        around = [place for place in paths if _holds(place, spans[0].place)]
        return paths[max(around, key=lambda place: place[1:3])] if around else None

    def _found(self) -> dict[Place, str]:
        if self._paths is None:
            self._paths = {place: path for one in self._documents for place, path in _places(one, "") if path}
        return self._paths


def _places(node: Node, path: str) -> Iterator[tuple[Place, str]]:
    """Of all fields; what an alias brings in a second time keeps its first name."""
    inside: list[tuple[str, Node]] = []
    if isinstance(node, Sequence):
        inside = [(f"{path}[{number}]", item) for number, item in enumerate(node.items)]
    elif isinstance(node, Mapping):
        inside = [(f"{path}.{key}" if path else key, value) for key, value in node.items()]
    for name, value in reversed(inside):
        yield from _places(value, name)
    if not isinstance(node, Scalar) or not node.span.empty:
        yield node.span.place, path


def _holds(outer: Place, inner: Place) -> bool:
    return outer[0] == inner[0] and outer[1:3] <= inner[1:3] and inner[3:] <= outer[3:]
