"""Render planned objects to manifests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from trainc.emit.manifest import Manifest
from trainc.emit.runtime import environment
from trainc.emit.templates import refresh
from trainc.record import Record
from trainc.source.node import Mapping
from trainc.well_known import MAIN


class Planned(Record):
    """Object of a back end: its template with the template's variables.

    `pods_at` are the paths of the pod templates that the user's patch applies to (`()`: the object itself), `container`
    is the name of their training container.
    """

    kind: str
    template: str
    context: dict[str, Any]
    pods_at: tuple[tuple[str, ...], ...] = ()
    container: str = MAIN
    patch: Mapping | None = None


def render(planned: Iterable[Planned]) -> Iterator[Manifest]:
    """Yield the manifest of each object, in this order."""
    refresh()
    for item in planned:
        text = environment.get_template(item.template).render(item.context)
        manifest = Manifest(kind=item.kind, name=item.context["name"], namespace=item.context["namespace"], text=text)
        if item.patch is not None and item.pods_at:
            from trainc.emit.patch import apply_patch

            manifest = apply_patch(manifest, item.pods_at, item.patch, item.container)
        yield manifest
