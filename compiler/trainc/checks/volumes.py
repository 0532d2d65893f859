"""Volumes and mounts that Kubernetes would refuse."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.span import Span


def check(case: Case) -> Iterator[Diagnostic]:
    """A volume's name and a mount's path stand once."""
    seen: dict[str, Span | None] = {}
    for volume in case.job.pod.volumes:
        if volume.name in seen:
            first = seen[volume.name]
            related = [Related(span=first, message="first given here")] if first else []
            message = f"two volumes are named `{volume.name}`"
            where = volume.origin or case.job.origin
            yield error(codes.DUPLICATE_VOLUME, message, where, related=related)
        seen.setdefault(volume.name, volume.origin)
    paths: dict[str, Span | None] = {}
    for mount in case.job.pod.mounts:
        path = mount.path.rstrip("/") or "/"
        if path in paths:
            first = paths[path]
            related = [Related(span=first, message="first mounted here")] if first else []
            message = f"two volumes are mounted at {path}"
            yield error(codes.DUPLICATE_MOUNT, message, mount.origin or case.job.origin, related=related)
        paths.setdefault(path, mount.origin)
