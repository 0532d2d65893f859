"""Selectors of nodes: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators"""

from __future__ import annotations

from trainc.placement.node import Node
from trainc.plan.fields import Object, items, listed, mapping, text
from trainc.systems.shared.validation.selectors import matches_expression

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def unmatched_selector(spec: Object, node: Node) -> str:
    """Return the label of `nodeSelector` that a node lacks, as `KEY=VALUE`; empty if it has all."""
    selector = mapping(spec, "nodeSelector")
    missing = (f"{key}={value}" for key, value in selector.items() if node.labels.get(key) != str(value))
    return next(missing, "")


def node_terms(spec: Object) -> list[Object] | None:
    """Return the terms of the required node affinity, of which a node must satisfy one; None without it."""
    required = mapping(spec, "affinity", "nodeAffinity", REQUIRED)
    return items(required, "nodeSelectorTerms") if required else None


def matches_term(term: Object, node: Node) -> bool:
    """Return whether a node satisfies all requirements of a term; an empty term matches no node."""
    expressions, fields = items(term, "matchExpressions"), items(term, "matchFields")
    if not expressions and not fields:
        return False
    names = {"metadata.name": node.name}
    return all(matches_expression(each, node.labels) for each in expressions) and all(
        matches_expression(each, names) for each in fields
    )


def selects_node(spec: Object, node: Node) -> bool:
    """Return whether the node selector and the required node affinity of a pod allow a node."""
    terms = node_terms(spec)
    return not unmatched_selector(spec, node) and (terms is None or any(matches_term(each, node) for each in terms))


def describe_terms(terms: list[Object]) -> str:
    """Return the terms of a node affinity for people."""
    return " or ".join(" and ".join(map(_words, _expressions(term))) or "nothing" for term in terms) or "nothing"


def _expressions(term: Object) -> list[Object]:
    return [*items(term, "matchExpressions"), *items(term, "matchFields")]


def _words(expression: Object) -> str:
    key, operator = text(expression, "key"), text(expression, "operator")
    values = [str(each) for each in listed(expression, "values")]
    if operator == "In" and len(values) == 1:
        return f"{key}={values[0]}"
    return " ".join(filter(None, (key, operator, ",".join(values))))
