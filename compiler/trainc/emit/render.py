"""Render planned objects to manifests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache

from trainc.emit.manifest import Manifest
from trainc.emit.skeleton import build
from trainc.record import Record
from trainc.resources import folder, in_checkout
from trainc.source.node import Mapping
from trainc.typenames import Any
from trainc.well_known import MAIN

_COMPILED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "compiled_templates")
# Written after all templates are: a process that starts meanwhile compiles them itself.
_STAMP = os.path.join(_COMPILED, "complete")


@cache
def refresh() -> None:
    """Compile the templates once if one is newer than its compiled form; a wheel contains them compiled."""
    if not in_checkout():
        return
    compiler = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compiler.py")
    newest = max(_newest(folder("templates")), os.stat(compiler).st_mtime)
    if not os.path.exists(_STAMP) or newest > os.stat(_STAMP).st_mtime:
        from trainc.emit.compiler import compile_templates

        compile_templates(folder("templates"), _COMPILED)
        with open(_STAMP, "w", encoding="utf-8"):
            pass


def _newest(directory: str) -> float:
    newest = os.stat(directory).st_mtime  # newer when a template is removed
    for entry in os.scandir(directory):
        newest = max(newest, _newest(entry.path) if entry.is_dir() else entry.stat().st_mtime)
    return newest


class Planned(Record):
    """Object of a back end: its template with the template's variables.

    `pods_at` are the paths of the pod templates that the user's patch applies to (`()`: the object itself), `container`
    is the name of their training container.
    """

    kind: str
    template: str
    context: dict[str, Any]
    pods_at: tuple[tuple[str | int, ...], ...] = ()
    container: str = MAIN
    patch: Mapping | None = None

    @property
    def key(self) -> tuple[str, str | None, str]:
        """Kind, namespace and name, which two objects of a cluster can't both have."""
        return self.kind, self.context["namespace"], self.context["name"]


def render(planned: Iterable[Planned]) -> Iterator[Manifest]:
    """Yield the manifest of each object, in this order."""
    refresh()
    for item in planned:
        name, namespace = item.context["name"], item.context["namespace"]
        fields = build(item.template, item.context)
        manifest = Manifest(kind=item.kind, name=name, namespace=namespace, object=fields)
        if item.patch is not None and item.pods_at:
            from trainc.emit.patch import apply_patch

            manifest = apply_patch(manifest, item.pods_at, item.patch, item.container)
        yield manifest
