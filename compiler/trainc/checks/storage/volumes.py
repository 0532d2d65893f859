"""Duplicate volumes and mounts, and impossible claim sizes."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error
from trainc.diagnostics.codes import Code
from trainc.ir.pod import SHM_VOLUME
from trainc.quantity import MEBIBYTE, NANO, nanos
from trainc.span import Span
from trainc.spec.volumes import Claim
from trainc.well_known import SHM_PATH

TRIGGERS = ("volumes",)

SHARED_MEMORY = "rename it, or set `sharedMemory: false`: trainc mounts shared memory there by default"
OWN = {SHM_VOLUME: SHARED_MEMORY, SHM_PATH: SHARED_MEMORY}


def check(context: RuleContext) -> Diagnostics:
    """Volume names and mount paths are unique, and claims have a plausible size."""
    volumes = [(volume.name, volume.origin) for volume in context.job.pod.volumes]
    mounts = [(mount.path.rstrip("/") or "/", mount.origin) for mount in context.job.pod.mounts]
    for volume in context.spec.volumes:
        if volume.claim is not None:
            yield from _size(volume.claim)
    yield from _duplicates(volumes, codes.DUPLICATE_VOLUME, "duplicate volume `{}`")
    yield from _duplicates(mounts, codes.DUPLICATE_MOUNT, "duplicate mount path `{}`")


def _size(claim: Claim) -> Diagnostics:
    size, where = nanos(claim.size), claim.where("size")
    if size == 0 or size % NANO:
        message = f"storage of `{claim.size}` is invalid: it must be a positive whole number of bytes"
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where)
    elif size < MEBIBYTE:
        message = f"storage of `{claim.size}` is {size // NANO} bytes: too small for a file system"
        help_ = f"did you mean {claim.size}Gi?" if claim.size.isdecimal() else None
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_)


def _duplicates(names: list[tuple[str, Span | None]], code: Code, message: str) -> Diagnostics:
    seen: dict[str, Span | None] = {}
    for name, span in names:
        first = seen.setdefault(name, span)
        if first is span:
            continue
        # Only trainc's own volumes have no span; then the user's volume is reported.
        related = [Related(span=first, message="first definition")] if first and span else []
        own = None if span else OWN.get(name, "rename it: trainc uses this name for ssh")
        where = span or first
        assert where is not None
        yield error(code, message.format(name), where, help=own, related=related)
