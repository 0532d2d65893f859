"""Container resources with the name of a ResourceQuota."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.source.node import Mapping

TRIGGERS = ("names_quota_resource()",)

PREFIXES = ("requests.", "limits.")


def check(context: RuleContext) -> Diagnostics:
    """The API server rejects container resources that start with `requests.`; no node offers one with `limits.`.

    IsExtendedResourceName of pkg/apis/core/v1/helper/helpers.go in kubernetes/kubernetes;
    https://kubernetes.io/docs/concepts/policy/resource-quotas/#resource-quota-for-extended-resources
    """
    resources = context.spec.resources.node
    for node in (resources, resources.get("requests"), resources.get("limits")):
        for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
            if name.startswith(PREFIXES) and "/" in name:
                _, _, resource = name.partition(".")
                message = f"`{name}` is the name of a ResourceQuota: containers cannot request it"
                yield error(codes.QUOTA_RESOURCE_NAME, message, entry.key.span, help=f"use {resource}")
