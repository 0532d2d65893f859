"""Duplicate volumes and mounts, impossible claim sizes, and claims that fewer pods can mount than the job has."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, likely, replace, warning
from trainc.diagnostics.codes import Code
from trainc.ir.pod import SHM_VOLUME, Colocation
from trainc.quantity import MAXIMUM, MEBIBYTE, NANO, nanos
from trainc.span import Span
from trainc.spec.section import inside
from trainc.spec.storage import Claim
from trainc.well_known import HOSTNAME_LABEL, SHM_PATH

TRIGGERS = ("volumes",)

SHARED_MEMORY = ("rename it", Message("set `{sharedMemory: false}`: trainc mounts shared memory there by default"))
OWN = {SHM_VOLUME: SHARED_MEMORY, SHM_PATH: SHARED_MEMORY}


def check(context: RuleContext) -> Diagnostics:
    """Require unique volume names and mount paths, and plausible sizes of claims."""
    for volume in context.spec.volumes:
        if volume.claim is not None:
            yield from _size(volume.claim)
            if context.job.replicas.maximum > 1:
                yield from _access(context, volume.name, volume.claim)
    if context.in_own_system:  # whose objects are judged
        return
    volumes = [(volume.name, volume.origin) for volume in context.job.pod.volumes]
    mounts = [(mount.path.rstrip("/") or "/", mount.origin) for mount in context.job.pod.mounts]
    yield from _duplicates(volumes, codes.DUPLICATE_VOLUME, "two volumes are named `{}`")
    yield from _duplicates(mounts, codes.DUPLICATE_MOUNT, "two volumes are mounted at `{}`")


def _size(claim: Claim) -> Diagnostics:
    size, where = nanos(claim.size), claim.where("size")
    if size == 0 or size % NANO:
        message = f"storage of `{claim.size}` is invalid: it must be a positive whole number of bytes"
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where)
    elif size > MAXIMUM:
        message = f"storage of `{claim.size}` is more than 2^63 - 1 bytes, to which the API server reduces it"
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where)
    elif size < MEBIBYTE:
        message = f"storage of `{claim.size}` is {size // NANO} bytes: too small for a file system"
        help_, remedy = likely(f"{claim.size}Gi", where) if claim.size.isdecimal() else (None, None)
        yield error(codes.IMPOSSIBLE_QUANTITY, message, where, help=help_, remedy=remedy)


def _access(context: RuleContext, name: str, claim: Claim) -> Diagnostics:
    """Check the access mode: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes"""
    elastic, scheduling, where = context.spec.elastic, context.spec.scheduling, claim.where("accessMode")
    count = elastic.where("maxReplicas") if elastic else context.spec.where("workers")
    related, severity = [(count, "number of pods that mount it")], warning
    colocation = context.job.pod.placement.colocation
    if claim.access_mode == "ReadWriteOncePod":
        pods = context.job.replicas.maximum
        severity = error
        message: Phrase = f"claim `{name}` allows one pod, but {pods} pods mount it: the others stay Pending"
    elif claim.access_mode != "ReadWriteOnce":
        return
    elif scheduling.one_worker_per_node:
        related.append((scheduling.where("oneWorkerPerNode"), "conflicts with this"))
        severity = error
        message = Message(
            "claim `{}` is attached to one node, but `{scheduling/oneWorkerPerNode}` spreads the workers", name
        )
    elif HOSTNAME_LABEL in inside(context.pod.spec, "nodeSelector").entries or colocation == Colocation(
        key=HOSTNAME_LABEL, required=True
    ):
        return  # all workers are on one node
    else:
        message = f"claim `{name}` is attached to one node: workers on other nodes stay in ContainerCreating"
    help_, remedy = "use ReadWriteMany, the default", replace(where, "ReadWriteMany")
    yield severity(codes.CLAIM_NOT_SHARED, message, where, help=help_, related=related, remedy=remedy)


def _duplicates(names: list[tuple[str, Span | None]], code: Code, message: str) -> Diagnostics:
    seen: dict[str, Span | None] = {}
    for name, span in names:
        first = seen.setdefault(name, span)
        if first is span:
            continue
        # Only trainc's own volumes have no span; then the user's volume is reported.
        related = [(first, "first definition")] if first and span else []
        own = None if span else OWN.get(name, "rename it: trainc uses this name for ssh")
        where = span or first
        assert where is not None
        yield error(code, message.format(name), where, help=own, related=related)
