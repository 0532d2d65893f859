"""Spot nodes excluded by a node selector, and Pods lost with their spot node."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning
from trainc.source.node import Mapping
from trainc.spec.spot import LABELS

TRIGGERS = ("scheduling.spot",)


def check(context: RuleContext) -> Diagnostics:
    """A spot node has one value of the provider's label, and is reclaimed sooner or later."""
    scheduling = context.spec.scheduling
    if scheduling.spot is None:
        return
    where = scheduling.where("spot")
    key, value = LABELS[scheduling.spot]
    selected, selector = (scheduling.node_selector or {}).get(key, value), scheduling.node.get("nodeSelector")
    if selected != value and isinstance(selector, Mapping):
        message = f"`spot: {scheduling.spot}` selects nodes with {key}={value}, but the node selector excludes them"
        other = Related(span=where, message="conflicts with this")
        yield error(
            codes.SPOT_SELECTOR_CONFLICT, message, selector.where(key), help="remove one of them", related=[other]
        )
    if not context.system.has_controller:
        # https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-lifetime
        message = "no controller replaces a Pod whose spot node is reclaimed"
        help_ = "use `--backend job`, which replaces it and does not count it as a failure"
        yield warning(codes.SPOT_POD_NOT_REPLACED, message, where, help=help_)
