"""Claims of devices: two with one name, and claims of the pod that none of its containers uses.

https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.source.node import mappings, scalar_text
from trainc.spec.section import inside

TRIGGERS = ("resources.claims", "podTemplate")


def check(context: RuleContext) -> Diagnostics:
    """Check the claims of the language, and those of podTemplate."""
    names: set[str] = set()
    for claim in context.job.pod.device_claims:
        if claim.name in names:
            where = claim.origin or context.job.origin
            message = f"two claims of the pod are named `{claim.name}`"
            yield error(codes.DEVICE_CLAIM, message, where, help="rename one of them")
        names.add(claim.name)
    if context.file_kind or context.in_own_system:
        return  # readers translate no claims of containers
    containers = [container.node for container in (*context.pod.containers, *context.pod.init_containers)]
    used = {
        scalar_text(each.get("name"))
        for node in containers
        for each in mappings(inside(node, "resources").get("claims"))
    }
    for claim_node in mappings(context.pod.spec.get("resourceClaims")):
        name = scalar_text(claim_node.get("name"))
        if name and name not in used and claim_node.span is not context.pod.generated:
            message = f"no container uses the claim `{name}`: the pod has its devices, and the program doesn't see them"
            help_ = f"add {{name: {name}}} to `resources.claims` of the container"
            yield warning(codes.DEVICE_CLAIM, message, claim_node.where("name"), help=help_)
