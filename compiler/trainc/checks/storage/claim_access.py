"""Claims that fewer pods can mount than the job has workers."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning
from trainc.spec.section import inside
from trainc.spec.volumes import Claim
from trainc.well_known import HOSTNAME_LABEL

TRIGGERS = ("creates_claim()",)


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes"""
    most = context.job.replicas.maximum
    for volume in context.spec.volumes:
        if volume.claim is not None and most > 1:
            yield from _claim(context, volume.name, volume.claim, most)


def _claim(context: RuleContext, name: str, claim: Claim, most: int) -> Diagnostics:
    elastic, where = context.spec.elastic, claim.where("accessMode")
    count = elastic.where("maxReplicas") if elastic else context.spec.where("workers")
    related, help_ = [Related(span=count, message="number of pods that mount it")], "use ReadWriteMany, the default"
    one_per_node = context.spec.scheduling.one_worker_per_node
    if claim.access_mode == "ReadWriteOncePod":
        message = f"claim `{name}` allows one pod, but {most} pods mount it: the others stay Pending"
        yield error(codes.CLAIM_NOT_SHARED, message, where, help=help_, related=related)
    elif claim.access_mode == "ReadWriteOnce" and one_per_node:
        related.append(Related(span=context.spec.scheduling.where("oneWorkerPerNode"), message="conflicts with this"))
        message = f"claim `{name}` is attached to one node, but `oneWorkerPerNode` spreads the workers"
        yield error(codes.CLAIM_NOT_SHARED, message, where, help=help_, related=related)
    elif claim.access_mode == "ReadWriteOnce" and not _on_one_node(context):
        message = f"claim `{name}` is attached to one node: workers on other nodes stay in ContainerCreating"
        yield warning(codes.CLAIM_NOT_SHARED, message, where, help=help_, related=related)


def _on_one_node(context: RuleContext) -> bool:
    """Return whether the job's placement requires one node for all workers."""
    placement = context.job.pod.placement
    colocation = placement.colocation
    return HOSTNAME_LABEL in inside(context.pod.spec, "nodeSelector").entries or (
        colocation is not None and colocation.required and colocation.key == HOSTNAME_LABEL
    )
