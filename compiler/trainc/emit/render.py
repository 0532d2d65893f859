"""Planned objects to manifests."""

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
    """An object that a back end wants: its template, the template's variables, and where in it the pod templates
    stand that a user's patch changes (`()` is the object itself), with the name of their training container."""

    kind: str
    template: str
    context: dict[str, Any]
    pods_at: tuple[tuple[str, ...], ...] = ()
    container: str = MAIN
    patch: Mapping | None = None


def render(planned: Iterable[Planned]) -> Iterator[Manifest]:
    """Each object's manifest, in the given order."""
    refresh()
    for item in planned:
        text = environment.get_template(item.template).render(item.context)
        manifest = Manifest(kind=item.kind, name=item.context["name"], namespace=item.context["namespace"], text=text)
        if item.patch is not None and item.pods_at:
            from trainc.emit.patch import patched

            manifest = patched(manifest, item.pods_at, item.patch, item.container)
        yield manifest
