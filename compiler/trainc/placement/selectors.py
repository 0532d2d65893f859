"""Selectors of nodes and pods.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors, and for nodes
https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators
"""

from __future__ import annotations

import re

from trainc.placement.node import Node
from trainc.plan.fields import Object, items, listed, mapping, text

Labels = dict[str, str]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_INTEGER = r"[+-]?[0-9]{1,19}"


def matches_labels(selector: Object | None, labels: Labels) -> bool:
    """Return whether a label selector matches; none matches nothing, an empty one everything."""
    if selector is None:
        return False
    exact = all(labels.get(name) == str(value) for name, value in mapping(selector, "matchLabels").items())
    return exact and all(matches_expression(each, labels) for each in items(selector, "matchExpressions"))


def matches_expression(expression: Object, labels: Labels) -> bool:
    """Return whether labels satisfy an expression. A missing label satisfies NotIn and DoesNotExist only."""
    key, operator = text(expression, "key"), text(expression, "operator")
    values = [str(each) for each in listed(expression, "values")]
    value = labels.get(key)
    if operator in ("Exists", "DoesNotExist"):
        return (value is not None) == (operator == "Exists")
    if operator == "NotIn":
        return value not in values
    if value is None:
        return False
    return value in values if operator == "In" else _compares(operator, value, values)


def _compares(operator: str, value: str, values: list[str]) -> bool:
    numbers = [int(each) for each in (value, *values) if re.fullmatch(_INTEGER, each, re.ASCII)]
    if len(numbers) != 2 or len(values) != 1:
        return False
    return numbers[0] > numbers[1] if operator == "Gt" else operator == "Lt" and numbers[0] < numbers[1]


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
