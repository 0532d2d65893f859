"""Claims of the job that fewer pods may mount than there are workers."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.spec.volumes import Claim

TRIGGERS = ("volumes",)

NODE = "kubernetes.io/hostname"


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes"""
    most = context.job.replicas.maximum
    for volume in context.spec.volumes:
        if volume.claim is not None and most > 1:
            yield from _claim(context, volume.name, volume.claim, most)


def _claim(context: RuleContext, name: str, claim: Claim, most: int) -> Iterator[Diagnostic]:
    elastic, where = context.spec.elastic, claim.where("accessMode")
    count = elastic.where("maxReplicas") if elastic else context.spec.where("workers")
    related, help_ = [Related(span=count, message="that many pods mount it")], "use ReadWriteMany, the default here"
    apart = context.spec.scheduling.one_worker_per_node
    if claim.access_mode == "ReadWriteOncePod":
        message = f"of the {most} pods that mount `{name}` one runs and the others stay Pending"
        yield error(codes.CLAIM_NOT_SHARED, message, where, help=help_, related=related)
    elif claim.access_mode == "ReadWriteOnce" and apart:
        related.append(Related(span=context.spec.scheduling.where("oneWorkerPerNode"), message="conflicts with this"))
        message = f"`{name}` is for the pods of one node, and no two workers may be on one"
        yield error(codes.CLAIM_NOT_SHARED, message, where, help=help_, related=related)
    elif claim.access_mode == "ReadWriteOnce" and not _on_one_node(context):
        message = f"`{name}` is for the pods of one node: of the {most} workers those elsewhere stay ContainerCreating"
        yield warning(codes.CLAIM_NOT_SHARED, message, where, help=help_, related=related)


def _on_one_node(context: RuleContext) -> bool:
    """Whether the job itself keeps all workers on one node."""
    placement = context.job.pod.placement
    near = placement.colocation
    return NODE in (placement.node_selector or {}) or (near is not None and near.required and near.key == NODE)
