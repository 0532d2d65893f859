"""Variables of a container, and the values that they refer to: ValidateEnv and ValidateEnvFrom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, items, mapping, text
from trainc.quantity import is_quantity, nanos
from trainc.systems.shared.validation.names import name_errors

# https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
_FIELDS = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)
_FIELD_OF_MAP = re.compile(r"metadata\.(labels|annotations)\['[^']+'\]")
_VARIABLE = re.compile("[ -<>-~]+")  # IsRelaxedEnvVarName of k8s.io/apimachinery/pkg/util/validation
_RESOURCE = re.compile(r"(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)")
_CPU_DIVISORS = ("1", "1m")
_DIVISORS = ("1", "1Mi", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Gi", "1Ti", "1Pi", "1Ei")


def variable_errors(container: Object, *path: str | int) -> Iterator[Finding]:
    """Check the variables of a container."""
    for index, variable in enumerate(items(container, "env")):
        where, name, source = (*path, "env", index), text(variable, "name"), variable.get("valueFrom")
        if not isinstance(variable.get("name", ""), str) or not _VARIABLE.fullmatch(name):
            help_ = "use letters, digits and underscores"
            yield rejection(f"`{name}` is not the name of a variable", *where, "name", help=help_)
        if not isinstance(source, dict):
            continue
        kinds = [kind for kind, value in source.items() if value is not None]
        if text(variable, "value"):
            reason = f"variable `{name}` has both a value and valueFrom"
            yield rejection(reason, *where, "name", help="remove one of them")
        elif len(kinds) != 1:
            reason = f"valueFrom of `{name}` needs exactly one source, not {len(kinds)}"
            help_ = "keep one of them" if kinds else "set fieldRef, resourceFieldRef, configMapKeyRef or secretKeyRef"
            yield rejection(reason, *where, "valueFrom", help=help_)
        yield from _source_errors(source, *where, "valueFrom")
    for index, source in enumerate(items(container, "envFrom")):
        for reference in ("configMapRef", "secretRef"):
            yield from name_errors(text(source, reference, "name"), "name", *path, "envFrom", index, reference, "name")
        if len([kind for kind in ("configMapRef", "secretRef") if source.get(kind) is not None]) != 1:
            reason = "envFrom needs exactly one of configMapRef and secretRef"
            yield rejection(reason, *path, "envFrom", index, help="set one of them")


def _source_errors(source: Object, *path: str | int) -> Iterator[Finding]:
    field, resource = text(source, "fieldRef", "fieldPath"), text(source, "resourceFieldRef", "resource")
    if field and field not in _FIELDS and not _FIELD_OF_MAP.fullmatch(field):
        reason = f"`{field}` is not a field that a variable can have"
        help_ = "use metadata.name, metadata.labels['<name>'] or status.podIP"
        yield rejection(reason, *path, "fieldRef", "fieldPath", help=help_)
    if resource and not _RESOURCE.fullmatch(resource):
        reason = f"`{resource}` is not a resource that a variable can have"
        help_ = "use limits.cpu, limits.memory, requests.cpu or requests.memory"
        yield rejection(reason, *path, "resourceFieldRef", "resource", help=help_)
    version = text(source, "fieldRef", "apiVersion")
    if version not in ("", "v1"):
        reason = f"the fields of a pod have the apiVersion v1, not `{version}`"
        yield rejection(reason, *path, "fieldRef", "apiVersion", help="remove it", fix=REMOVE)
    yield from divisor_errors(mapping(source, "resourceFieldRef"), *path, "resourceFieldRef")
    for reference in ("configMapKeyRef", "secretKeyRef"):
        if isinstance(source.get(reference), dict):
            yield from _reference(mapping(source, reference), *path, reference)


def _reference(reference: Object, *path: str | int) -> Iterator[Finding]:
    name = text(reference, "name")
    if not name:
        yield rejection(f"the {path[-1]} has no name", *path, "name", help="set `name`")
    yield from name_errors(name, "name", *path, "name")


def divisor_errors(reference: Object, *path: str | int) -> Iterator[Finding]:
    """validateContainerResourceDivisor, which compares the canonical text of the quantity."""
    resource, divisor = text(reference, "resource"), text(reference, "divisor")
    if not is_quantity(divisor) or not nanos(divisor):
        return
    allowed = _CPU_DIVISORS if resource.endswith(".cpu") else _DIVISORS
    if _RESOURCE.fullmatch(resource) and nanos(divisor) not in map(nanos, allowed):
        help_ = f"write {' or '.join(allowed[:2])}"
        yield rejection(f"`{divisor}` is not a divisor of {resource}", *path, "divisor", help=help_)
