"""Translate a pod's `resourceClaims`, and those that its training container uses, to `resources.claims`.

https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
"""

from __future__ import annotations

from trainc.source.node import Mapping, Node, Sequence, mappings, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, with_entry

_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")


def translate_device_claims(spec: ForeignMapping, main: ForeignMapping) -> tuple[list[Node], Node | None]:
    """Return the claims of the training container, and the other ones of the pod.

    There are none unless each of the container's is one of the pod, with a source.
    """
    used, declared = child(main.node, "resources", "claims"), spec.consume("resourceClaims")
    if not isinstance(used, Sequence) or not isinstance(declared, Sequence):
        return [], declared
    by_name = {scalar_text(each.get("name")): each for each in mappings(declared) if _has_source(each)}
    uses = {
        scalar_text(each.get("name")): each for each in mappings(used) if each.entries.keys() <= {"name", "request"}
    }
    if len(uses) < len(used.items) or not uses.keys() <= by_name.keys():
        return [], declared
    claims: list[Node] = []
    for name, use in uses.items():
        request = use.get("request")
        claims.append(by_name[name] if request is None else with_entry(by_name[name], "request", request))
    rest = [
        each for each in declared.items if not (isinstance(each, Mapping) and scalar_text(each.get("name")) in uses)
    ]
    return claims, Sequence(rest, declared.span) if rest else None


def _has_source(claim: Mapping) -> bool:
    sources = [name for name in _SOURCES if claim.get(name) is not None]
    return len(sources) == 1 and claim.entries.keys() == {"name", *sources}
