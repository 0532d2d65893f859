"""What the API server rejects in a Job.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/batch/validation/validation.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.kubernetes_fields import Field
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.systems.shared.validation.names import LONGEST_LABEL, is_qualified, label_problem, object_errors
from trainc.systems.shared.validation.pod import template_errors
from trainc.systems.shared.validation.selectors import matches, selector_errors

NEW_FIELDS = (
    Field(("managedBy",), 30, 32, "JobManagedBy"),
    Field(("successPolicy",), 30, 31, "JobSuccessPolicy"),
    Field(("scheduling",), 37, None, "WorkloadWithJob"),
)
_COUNTS = (
    *("parallelism", "completions", "backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes"),
    *("activeDeadlineSeconds", "ttlSecondsAfterFinished"),
)
_LARGEST, _MOST_PODS = 2**31 - 1, 100_000  # the API server's limits
_MOST_RULES, _MOST_CODES = 20, 255
# Labels that the API server adds with the Job's name, and one that it replaces: generateSelector of
# https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/registry/batch/job/strategy.go
_GENERATED, _REPLACED = ("job-name", "batch.kubernetes.io/job-name"), "batch.kubernetes.io/controller-uid"
_INDEXES = re.compile(r"[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*")
_INDEXED = "set `completionMode: Indexed`"


def errors(resource: Object) -> Iterator[Finding]:
    """Yield the errors of a Job."""
    yield from object_errors(resource)
    spec, name = mapping(resource, "spec"), text(resource, "metadata", "name")
    completions = number(spec, "completions")
    if _is_indexed(spec) and completions and name:
        host = f"{name}-{completions - 1}"
        if problem := label_problem(host):
            help_ = "choose a shorter name"
            yield rejection(f"the host name of its last pod, `{host}`, {problem}", "metadata", "name", help=help_)
    elif len(name) > LONGEST_LABEL:  # the value of a label of its pods
        reason = f"the name of a Job has at most {LONGEST_LABEL} characters"
        yield rejection(reason, "metadata", "name", help="choose a shorter name")
    yield from spec_errors(spec, "spec")
    yield from _selector(spec, name)


def _selector(spec: Object, name: str) -> Iterator[Finding]:
    """validateGeneratedSelector, after the API server has added its labels to selector and template."""
    selector, path = mapping(spec, "selector"), ("spec", "selector")
    if spec.get("manualSelector") is True:
        if "selector" not in spec:
            help_ = "set the selector, or remove manualSelector"
            yield rejection("manualSelector requires a selector", *path, help=help_)
        yield from selector_errors(selector, *path)
        if not matches(selector, mapping(spec, "template", "metadata", "labels")):
            reason = "the selector doesn't match the labels of the template"
            yield rejection(reason, "spec", "template", "metadata", "labels", help="write the selector's labels there")
        return
    own = {label: value for label, value in mapping(selector, "matchLabels").items() if label != _REPLACED}
    if not matches({**selector, "matchLabels": own}, dict.fromkeys(_GENERATED, name)):
        reason = "the API server sets the selector of a Job itself"
        yield rejection(reason, *path, help="remove it", fix=REMOVE)


def spec_errors(spec: Object, *path: str | int) -> Iterator[Finding]:
    """Yield the errors of a Job's spec, which may be a template of one."""
    for field in _COUNTS:
        largest = 2**63 - 1 if field == "activeDeadlineSeconds" else _LARGEST
        if not 0 <= (number(spec, field) or 0) <= largest:
            help_ = f"set a number from 0 to {largest}, or remove it"
            yield rejection(f"{field} must not be {number(spec, field)}", *path, field, help=help_)
    if _is_indexed(spec) and _LARGEST >= (number(spec, "parallelism") or 0) > _MOST_PODS:
        reason = f"an Indexed Job runs at most {_MOST_PODS} pods at a time"
        yield rejection(reason, *path, "parallelism", help=f"set at most {_MOST_PODS}")
    # Without both it has one pod: SetDefaults_Job.
    if _is_indexed(spec) and number(spec, "completions") is None and number(spec, "parallelism") is not None:
        total = number(spec, "parallelism")
        help_ = f"set `completions: {total}`"
        yield rejection("an Indexed Job requires completions", *path, "completions", help=help_, fix=("set", total))
    if number(spec, "activeDeadlineSeconds") == 0:
        help_ = "set a positive number, or remove it"
        reason = "the Job fails at once: its deadline is 0 seconds"
        yield rejection(reason, *path, "activeDeadlineSeconds", help=help_, code=codes.POD_NEVER_STARTS)
    manager = text(spec, "managedBy")
    if spec.get("managedBy") is not None and not ("/" in manager and is_qualified(manager)):
        help_ = "write `<domain>/<name>`, or remove it"
        yield rejection(f"managedBy `{manager}` is not a domain and a name", *path, "managedBy", help=help_)
    yield from _per_index(spec, *path)
    policy = text(spec, "template", "spec", "restartPolicy")
    where = (*path, "template", "spec", "restartPolicy")
    if policy not in ("OnFailure", "Never"):
        shown = f"not {policy}" if policy else "which the template lacks"
        fix = ("set", "Never")
        help_ = "set `restartPolicy: Never`"
        yield rejection(f"a Job requires restartPolicy Never or OnFailure, {shown}", *where, help=help_, fix=fix)
    elif spec.get("podFailurePolicy") is not None and policy != "Never":
        reason = "podFailurePolicy requires restartPolicy Never"
        yield rejection(reason, *where, help="set `restartPolicy: Never`", fix=("set", "Never"))
    yield from _failure_policy(spec, *path, "podFailurePolicy")
    if spec.get("podFailurePolicy") is not None and text(spec, "podReplacementPolicy") == "TerminatingOrFailed":
        reason = "podFailurePolicy requires podReplacementPolicy Failed"
        yield rejection(reason, *path, "podReplacementPolicy", help="remove it", fix=REMOVE)
    yield from _success_policy(spec, *path, "successPolicy")
    yield from template_errors(mapping(spec, "template"), *path, "template")


def _is_indexed(spec: Object) -> bool:
    return text(spec, "completionMode") == "Indexed"


def _per_index(spec: Object, *path: str | int) -> Iterator[Finding]:
    limit, failed, total = (number(spec, f) for f in ("backoffLimitPerIndex", "maxFailedIndexes", "completions"))
    if limit is not None and not _is_indexed(spec):
        yield rejection("backoffLimitPerIndex requires an Indexed Job", *path, "backoffLimitPerIndex", help=_INDEXED)
    if failed is not None and limit is None:
        help_ = "set backoffLimitPerIndex, or remove it"
        yield rejection("maxFailedIndexes requires backoffLimitPerIndex", *path, "maxFailedIndexes", help=help_)
    elif failed is not None and total is not None and failed > total:
        reason = f"maxFailedIndexes is more than the {total} completions"
        yield rejection(reason, *path, "maxFailedIndexes", help=f"set at most {total}")


def _failure_policy(spec: Object, *path: str | int) -> Iterator[Finding]:
    pod = mapping(spec, "template", "spec")
    names = {text(each, "name") for field in ("initContainers", "containers") for each in items(pod, field)}
    yield from _length_errors(listed(spec, "podFailurePolicy", "rules"), _MOST_RULES, *path, "rules")
    for index, rule in enumerate(items(spec, "podFailurePolicy", "rules")):
        where, codes = (*path, "rules", index), mapping(rule, "onExitCodes")
        yield from _length_errors(listed(rule, "onPodConditions"), _MOST_RULES, *where, "onPodConditions")
        yield from _length_errors(listed(codes, "values"), _MOST_CODES, *where, "onExitCodes", "values")
        for position, condition in enumerate(items(rule, "onPodConditions")):
            if not is_qualified(text(condition, "type")):
                reason = f"`{text(condition, 'type')}` is not a condition of a pod"
                place = (*where, "onPodConditions", position, "type")
                yield rejection(reason, *place, help="write a condition like DisruptionTarget")
        if text(rule, "action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            help_ = "set backoffLimitPerIndex, or use action FailJob"
            yield rejection("action FailIndex requires backoffLimitPerIndex", *where, "action", help=help_)
        conditions = [name for name in ("onExitCodes", "onPodConditions") if rule.get(name)]
        if len(conditions) != 1:
            reason = "a rule needs exactly one of onExitCodes and onPodConditions"
            yield rejection(reason, *where, help="make two rules of it" if conditions else "set one of them")
        if not codes:
            continue
        values, operator = [v for v in listed(codes, "values") if isinstance(v, int)], text(codes, "operator")
        where = (*where, "onExitCodes")
        if not values:
            yield rejection("a rule needs an exit code", *where, "values", help="add an exit code")
        if values != sorted(set(values)):
            order = ", ".join(map(str, sorted(set(values))))
            fix = f"write [{order}]"
            yield rejection("exit codes must be in ascending order, each once", *where, "values", help=fix)
        if operator == "In" and 0 in values:
            reason = "operator In can't have exit code 0, which is no failure"
            yield rejection(reason, *where, "values", values.index(0), help="remove it", fix=REMOVE)
        name = text(codes, "containerName")
        if codes.get("containerName") is not None and name not in names:
            known = " or ".join(f"`{each}`" for each in sorted(names))
            yield rejection(f"the pod has no container `{name}`", *where, "containerName", help=f"write {known}")


def _length_errors(values: list[Any], most: int, *path: str | int) -> Iterator[Finding]:
    if len(values) > most:
        yield rejection(f"{path[-1]} has {len(values)} items, at most {most} are allowed", *path, help="remove some")


def _success_policy(spec: Object, *path: str | int) -> Iterator[Finding]:
    policy, total = spec.get("successPolicy"), number(spec, "completions")
    if policy is None:
        return
    if not _is_indexed(spec):
        yield rejection("successPolicy requires an Indexed Job", *path, help=_INDEXED)
    rules = items(policy, "rules")
    yield from _length_errors(rules, _MOST_RULES, *path, "rules")
    if not rules:
        yield rejection("successPolicy needs a rule", *path, "rules", help="add a rule, or remove successPolicy")
    for index, rule in enumerate(rules):
        where, count, indexes = (*path, "rules", index), number(rule, "succeededCount"), text(rule, "succeededIndexes")
        if count is None and rule.get("succeededIndexes") is None:
            yield rejection("a rule needs succeededIndexes or succeededCount", *where, help="set one of them")
        if indexes and not _are_indexes(indexes, total):
            reason = f"`{indexes}` is not a list of the indexes 0 to {(total or 1) - 1}"
            yield rejection(reason, *where, "succeededIndexes", help="write indexes in order, like 0 or 0,2-3")
        if indexes and count is not None and _are_indexes(indexes, total) and count > _index_count(indexes):
            reason = f"succeededCount is more than the {_index_count(indexes)} indexes of succeededIndexes"
            yield rejection(reason, *where, "succeededCount", help=f"set at most {_index_count(indexes)}")
        elif count is not None and total is not None and not 0 <= count <= total:
            reason = f"succeededCount must be from 0 to the {total} completions"
            yield rejection(reason, *where, "succeededCount", help=f"set at most {total}")


def _are_indexes(text: str, total: int | None) -> bool:
    """Return whether a text lists indexes below `total` in ascending order, each once."""
    numbers = [int(each) for each in re.findall("[0-9]+", text)]
    return (
        bool(_INDEXES.fullmatch(text)) and numbers == sorted(set(numbers)) and (total is None or max(numbers) < total)
    )


def _index_count(indexes: str) -> int:
    ends = [part.split("-") for part in indexes.split(",")]
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)
