"""A container as the kubelet starts it: its variables in order, its command line expanded, what it may use.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from trainc.plan.expand import expand, placeholder, undefined_references
from trainc.plan.fields import Object, at, items, listed, mapping, text
from trainc.plan.pods import Pod
from trainc.plan.quantity import parse_quantity
from trainc.record import Record

_MANY = (("configMapRef", "ConfigMap"), ("secretRef", "Secret"))
_KEYED = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")
# What a runtime gives where nothing is mounted there: https://github.com/containerd/containerd/blob/v2.1.0/
# pkg/oci/mounts.go
DEFAULT_SHM = Fraction(64 * 1024**2)


class Variable(Record):
    """A variable of the container. `source` is empty for what the manifest says itself."""

    name: str
    value: str
    source: str = ""


class Container(Record):
    """A container. Amounts are those of its limits; `wrong` is what the kubelet will not do; `by` is the operator that
    adds it to the pod. `added` are the words of its command line that an operator adds."""

    name: str
    image: str
    argv: tuple[str, ...]
    operator_args: tuple[str, ...]
    env: tuple[Variable, ...]
    env_from: tuple[str, ...]
    created_by: str
    errors: tuple[str, ...]

    def value(self, name: str) -> str | None:
        """The value of a variable; the last of a name counts."""
        return next((one.value for one in reversed(self.env) if one.name == name), None)


class RuntimeValues(Record):
    """What only a running pod knows: fields by their paths, amounts of its node, contents by kind and name."""

    fields: dict[str, str] = {}
    contents: dict[tuple[str, str], dict[str, str]] = {}


NO_RUNTIME_VALUES = RuntimeValues()


def resolve_container(pod: Pod, given: Object, known: RuntimeValues = NO_RUNTIME_VALUES) -> Container:
    """A container of a pod, as it is started. What isn't known has a placeholder."""
    values: dict[str, str] = {}
    shown: dict[str, Variable] = {}
    for variable in _of_many(given, known):
        values[variable.name] = variable.value
        shown[variable.name] = variable
    wrong: list[str] = []
    elsewhere = [_source_of_many(one) for one in items(given, "envFrom")]
    own = {text(one, "name") for one in items(given, "env")}
    for one in items(given, "env"):
        name, value, source = text(one, "name"), text(one, "value"), text(one, "createdBy")
        if value:
            lost = [each for each in undefined_references(value, values) if each in own or not elsewhere]
            wrong += [f"{name} refers to $({each}), which isn't set before it" for each in lost]
            value = expand(value, values)
        elif at(one, "valueFrom") is not None:
            value, origin = _from(mapping(one, "valueFrom"), pod, given, known)
            source = source or origin
        values[name] = value
        shown[name] = Variable(name=name, value=value, source=source)
    argv: list[str] = []
    for word in map(str, [*listed(given, "command"), *listed(given, "args")]):
        lost = [] if elsewhere else undefined_references(word, values)
        wrong += [f"the argument {word!r} refers to $({each}), which isn't set" for each in lost]
        argv.append(expand(word, values))
    return Container(
        name=text(given, "name"),
        image=text(given, "image"),
        argv=tuple(argv),
        operator_args=tuple(expand(str(word), values) for word in listed(given, "operatorArgs")),
        env=tuple(shown.values()),
        env_from=tuple(elsewhere),
        created_by=text(given, "createdBy"),
        errors=tuple(dict.fromkeys(wrong)),
    )


def _of_many(given: Object, known: RuntimeValues) -> Iterator[Variable]:
    for one in items(given, "envFrom"):
        for key, kind in _MANY:
            for name, value in known.contents.get((kind, text(one, key, "name")), {}).items():
                yield Variable(name=text(one, "prefix") + name, value=value, source=_source_of_many(one))


def _source_of_many(given: Object) -> str:
    for key, kind in _MANY:
        if key in given:
            prefix = text(given, "prefix")
            return f"{kind}/{text(given, key, 'name')}" + (f" with {prefix} before each name" if prefix else "")
    return "unknown"


def _from(source: Object, pod: Pod, given: Object, known: RuntimeValues) -> tuple[str, str]:
    """A value that isn't in the manifest, and where it is from. A Secret's is never shown."""
    for key, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        if key in source:
            name, wanted = text(source, key, "name"), text(source, key, "key")
            value = known.contents.get((kind, name), {}).get(wanted)
            return placeholder(f"{kind}/{name} {wanted}") if value is None else value, f"{kind}/{name}"
    if "fieldRef" in source:
        path = text(source, "fieldRef", "fieldPath")
        return known.fields.get(path) or pod_field(path, pod), "downward API"
    if "resourceFieldRef" in source:
        return _resource(mapping(source, "resourceFieldRef"), pod, given, known), "downward API"
    return placeholder(next(iter(source), "nothing")), "unknown"


def pod_field(path: str, pod: Pod) -> str:
    """A field of the pod, as its variables and volumes name it.

    https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#available-fields
    """
    keyed = _KEYED.fullmatch(path)
    if keyed:
        return (pod.labels if keyed[1] == "labels" else pod.annotations).get(keyed[2], "")
    if path == "metadata.name":
        return pod.name
    if path == "metadata.namespace":
        return pod.namespace or placeholder("namespace")
    if path == "spec.serviceAccountName":
        return text(pod.spec, "serviceAccountName") or "default"
    return placeholder(path)


def _resource(source: Object, pod: Pod, given: Object, known: RuntimeValues) -> str:
    """Rounded up to whole divisors; without a limit it is the node's."""
    named = text(source, "containerName")
    of = next((one for one in items(pod.spec, "containers") if text(one, "name") == named), given)
    which, _, resource = text(source, "resource").partition(".")
    value = at(of, "resources", which, resource)
    if value is None and which == "limits":
        value = known.fields.get(resource)
    if value is None:
        return placeholder(f"the node's {resource}") if which == "limits" else "0"
    divisor = parse_quantity(text(source, "divisor") or "1") or Fraction(1)
    return str(-(-parse_quantity(value) // divisor))


def training_container(pod: Pod) -> Object:
    """The container that trains: the operator's, or `main`, else the first."""
    found = items(pod.spec, "containers")
    return next(
        (one for one in found if text(one, "name") == (pod.training_container or "main")), found[0] if found else {}
    )
