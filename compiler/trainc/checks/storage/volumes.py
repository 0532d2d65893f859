"""Volumes and mounts that Kubernetes would refuse."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.lower.volumes import SHM_VOLUME
from trainc.quantity import MEBIBYTE, NANO, nanos
from trainc.span import Span
from trainc.spec.volumes import SHM_PATH, Claim

TRIGGERS = ("volumes",)

SHARED_MEMORY = "trainc mounts shared memory there by default; sharedMemory: false leaves it out"
OWN = {SHM_VOLUME: SHARED_MEMORY, SHM_PATH: SHARED_MEMORY}


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A volume's name and a mount's path stand once."""
    volumes = [(volume.name, volume.origin) for volume in context.job.pod.volumes]
    mounts = [(mount.path.rstrip("/") or "/", mount.origin) for mount in context.job.pod.mounts]
    for volume in context.spec.volumes:
        if volume.claim is not None:
            yield from _size(volume.claim)
    yield from _twice(volumes, codes.DUPLICATE_VOLUME, "two volumes are named `{}`")
    yield from _twice(mounts, codes.DUPLICATE_MOUNT, "two mounts have the path {}")


def _size(claim: Claim) -> Iterator[Diagnostic]:
    size, where = nanos(claim.size), claim.where("size")
    if size == 0 or size % NANO:
        message = "the API takes no claim of nothing and no part of a byte"
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where)
    elif size < MEBIBYTE:
        message = f"{claim.size} is {size // NANO} bytes, in which no file system fits"
        help_ = f"did you mean {claim.size}Gi?" if claim.size.isdecimal() else None
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_)


def _twice(found: list[tuple[str, Span | None]], code: Code, message: str) -> Iterator[Diagnostic]:
    seen: dict[str, Span | None] = {}
    for name, span in found:
        first = seen.setdefault(name, span)
        if first is span:
            continue
        # What has no place is trainc's own, for shared memory; then the user's is the one to change.
        related = [Related(span=first, message="first given here")] if first and span else []
        own = None if span else OWN.get(name, "trainc has one itself for ssh")
        where = span or first
        assert where is not None
        yield error(code, message.format(name), where, help=own, related=related)
