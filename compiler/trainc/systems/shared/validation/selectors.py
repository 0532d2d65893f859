"""Label selectors, affinity, tolerations and topology spread constraints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.systems.shared.validation.names import is_qualified, pair_errors, value_errors

_AFFINITIES = ("podAffinity", "podAntiAffinity")
_REQUIRED, _PREFERRED = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))

_TERM_FIELDS = ("matchExpressions", "matchFields")
_INTEGER = r"[+-]?[0-9]{1,19}"


def selector_errors(selector: Object, *path: str | int) -> Iterator[Finding]:
    """ValidateLabelSelector of apimachinery."""
    yield from pair_errors(mapping(selector, "matchLabels"), "label", *path, "matchLabels")
    yield from _expressions(selector, *path)


def matches(selector: Object | None, labels: Object) -> bool:
    """Return whether a label selector matches; none matches nothing, an empty one everything.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
    """
    if selector is None:
        return False
    exact = all(labels.get(name) == str(value) for name, value in mapping(selector, "matchLabels").items())
    return exact and all(matches_expression(each, labels) for each in items(selector, "matchExpressions"))


def matches_expression(expression: Object, labels: Object) -> bool:
    """Return whether labels satisfy an expression. A missing label satisfies NotIn and DoesNotExist only.

    Gt and Lt are operators of node selectors alone.
    """
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


def _expressions(
    selector: Object, *path: str | int, field: str = "matchExpressions", takes_any_value: bool = False
) -> Iterator[Finding]:
    for index, expression in enumerate(items(selector, field)):
        operator, values = text(expression, "operator"), listed(expression, "values")
        where = (*path, field, index, "values")
        if field == "matchExpressions" and not is_qualified(text(expression, "key")):
            help_ = "write a name of letters, digits, `-`, `_` and `.`, or `<domain>/<name>`"
            reason = f"`{text(expression, 'key')}` is not the name of a label or a condition"
            yield rejection(reason, *path, field, index, "key", help=help_)
        if operator in ("In", "NotIn") and not values:
            yield rejection(f"operator {operator} requires values", *where, help="list the values")
        elif operator in ("Exists", "DoesNotExist") and values:
            help_ = "remove the values, or use operator In"
            yield rejection(f"operator {operator} takes no values", *where, help=help_)
        elif operator in ("Gt", "Lt") and len(values) != 1:
            yield rejection(f"operator {operator} requires exactly one value", *where, help="list one number")
        elif field == "matchFields":
            wrong = "key" if text(expression, "key") != "metadata.name" else "" if len(values) == 1 else "values"
            wrong = wrong if operator in ("In", "NotIn") else "operator"
            if wrong:
                reason = "matchFields select one metadata.name with operator In or NotIn"
                yield rejection(reason, *path, field, index, wrong, help="use matchExpressions")
        elif not takes_any_value:
            for number_, value in enumerate(values):
                yield from value_errors(value, "label", *where, number_)


def scheduling_errors(pod: Object, *path: str | int) -> Iterator[Finding]:
    """Check what selects the nodes of a pod."""
    yield from pair_errors(mapping(pod, "nodeSelector"), "label", *path, "nodeSelector")
    yield from _affinity(mapping(pod, "affinity"), *path, "affinity")
    for index, toleration in enumerate(items(pod, "tolerations")):
        yield from _toleration(toleration, *path, "tolerations", index)
    for index, constraint in enumerate(items(pod, "topologySpreadConstraints")):
        where = (*path, "topologySpreadConstraints", index)
        if (number(constraint, "maxSkew") or 0) < 1:
            yield rejection("maxSkew must be at least 1", *where, "maxSkew", help="set `maxSkew: 1`")
        minimum = number(constraint, "minDomains")
        if minimum is not None and (minimum < 1 or text(constraint, "whenUnsatisfiable") != "DoNotSchedule"):
            reason = "minDomains must be at least 1, with `whenUnsatisfiable: DoNotSchedule`"
            yield rejection(reason, *where, "minDomains", help="remove it, or set `whenUnsatisfiable: DoNotSchedule`")
        yield from selector_errors(mapping(constraint, "labelSelector"), *where, "labelSelector")


def _affinity(affinity: Object, *path: str | int) -> Iterator[Finding]:
    node = mapping(affinity, "nodeAffinity")
    required = (*path, "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
    if node.get(_REQUIRED) is not None and not items(node, _REQUIRED, "nodeSelectorTerms"):
        yield rejection("a required node affinity needs a term", *required, help="add a term, or remove the affinity")
    for index, term in enumerate(items(node, _REQUIRED, "nodeSelectorTerms")):
        for field in _TERM_FIELDS:
            yield from _expressions(term, *required, index, field=field)
    for index, preference in enumerate(items(node, _PREFERRED)):
        where = (*path, "nodeAffinity", _PREFERRED, index)
        yield from _weight(preference, *where)
        for field in _TERM_FIELDS:
            term = mapping(preference, "preference")
            # ValidatePreferredSchedulingTerms allows values that no label has.
            yield from _expressions(term, *where, "preference", field=field, takes_any_value=True)
    for kind in _AFFINITIES:
        for index, term in enumerate(items(affinity, kind, _REQUIRED)):
            where = (*path, kind, _REQUIRED, index)
            yield from _pod_term(term, *where)
        for index, weighted in enumerate(items(affinity, kind, _PREFERRED)):
            where = (*path, kind, _PREFERRED, index)
            yield from _weight(weighted, *where)
            yield from _pod_term(mapping(weighted, "podAffinityTerm"), *where, "podAffinityTerm")


def _pod_term(term: Object, *path: str | int) -> Iterator[Finding]:
    if not text(term, "topologyKey"):
        help_ = "set `topologyKey: kubernetes.io/hostname`"
        yield rejection("a pod affinity needs a topologyKey", *path, "topologyKey", help=help_)
    for field in ("labelSelector", "namespaceSelector"):
        yield from selector_errors(mapping(term, field), *path, field)


def _weight(weighted: Object, *path: str | int) -> Iterator[Finding]:
    if not 1 <= (number(weighted, "weight") or 0) <= 100:
        yield rejection("weight must be from 1 to 100", *path, "weight", help="set a weight from 1 to 100")


def _toleration(toleration: Object, *path: str | int) -> Iterator[Finding]:
    """ValidateTolerations."""
    key, operator = text(toleration, "key"), text(toleration, "operator") or "Equal"
    if not key and operator != "Exists":
        help_ = "set a key, or `operator: Exists` for all taints"
        yield rejection("a toleration without key needs operator Exists", *path, help=help_)
    if operator == "Exists" and text(toleration, "value"):
        help_ = "remove the value, or set `operator: Equal`"
        yield rejection("operator Exists takes no value", *path, "value", help=help_)
    if "tolerationSeconds" in toleration and text(toleration, "effect") != "NoExecute":
        reason = "tolerationSeconds requires effect NoExecute"
        yield rejection(reason, *path, "tolerationSeconds", help="remove it, or set `effect: NoExecute`")
