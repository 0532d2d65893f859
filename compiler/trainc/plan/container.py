"""A container as the kubelet starts it: its variables in order, its command line expanded, what it may use.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables
"""

from __future__ import annotations

import re
from fractions import Fraction

from trainc.plan.expand import expand, unexpanded, unseen
from trainc.plan.pods import Pod
from trainc.plan.quantity import amount
from trainc.plan.tree import Object, at, items, listed, mapping, text
from trainc.record import Record

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
    """The container that trains. Amounts are those of its limits; `wrong` is what the kubelet will not do."""

    name: str
    image: str
    argv: tuple[str, ...]
    env: tuple[Variable, ...]
    from_elsewhere: tuple[str, ...]
    wrong: tuple[str, ...]

    def value(self, name: str) -> str | None:
        """The value of a variable; the last of a name counts."""
        return next((one.value for one in reversed(self.env) if one.name == name), None)


def container(pod: Pod, given: Object) -> Container:
    """A container of a pod, as it is started."""
    values: dict[str, str] = {}
    shown: dict[str, Variable] = {}
    wrong: list[str] = []
    elsewhere = [_source_of_many(one) for one in items(given, "envFrom")]
    own = {text(one, "name") for one in items(given, "env")}
    for one in items(given, "env"):
        name, value, source = text(one, "name"), text(one, "value"), text(one, "by")
        if value:
            lost = [each for each in unexpanded(value, values) if each in own or not elsewhere]
            wrong += [f"{name} refers to $({each}), which isn't set before it" for each in lost]
            value = expand(value, values)
        elif at(one, "valueFrom") is not None:
            value, origin = _from(mapping(one, "valueFrom"), pod, given)
            source = source or origin
        values[name] = value
        shown[name] = Variable(name=name, value=value, source=source)
    argv: list[str] = []
    for word in map(str, [*listed(given, "command"), *listed(given, "args")]):
        lost = [] if elsewhere else unexpanded(word, values)
        wrong += [f"the argument {word!r} refers to $({each}), which isn't set" for each in lost]
        argv.append(expand(word, values))
    return Container(
        name=text(given, "name"),
        image=text(given, "image"),
        argv=tuple(argv),
        env=tuple(shown.values()),
        from_elsewhere=tuple(elsewhere),
        wrong=tuple(dict.fromkeys(wrong)),
    )


def _source_of_many(given: Object) -> str:
    for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
        if key in given:
            prefix = text(given, "prefix")
            return f"{kind}/{text(given, key, 'name')}" + (f" with {prefix} before each name" if prefix else "")
    return "unknown"


def _from(source: Object, pod: Pod, given: Object) -> tuple[str, str]:
    """A value that isn't in the manifest, and where it is from. A Secret's is never shown."""
    for key, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        if key in source:
            where = f"{kind}/{text(source, key, 'name')}"
            return unseen(f"{where} {text(source, key, 'key')}"), where
    if "fieldRef" in source:
        return _field(text(source, "fieldRef", "fieldPath"), pod), "downward API"
    if "resourceFieldRef" in source:
        return _resource(mapping(source, "resourceFieldRef"), pod, given), "downward API"
    return unseen(next(iter(source), "nothing")), "unknown"


def _field(path: str, pod: Pod) -> str:
    """https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#available-fields"""
    keyed = _KEYED.fullmatch(path)
    if keyed:
        return (pod.labels if keyed[1] == "labels" else pod.annotations).get(keyed[2], "")
    if path == "metadata.name":
        return pod.name
    if path == "metadata.namespace":
        return pod.namespace or unseen("namespace")
    if path == "spec.serviceAccountName":
        return text(pod.spec, "serviceAccountName") or "default"
    return unseen(path)


def _resource(source: Object, pod: Pod, given: Object) -> str:
    """Rounded up to whole divisors; without a limit it is the node's."""
    named = text(source, "containerName")
    of = next((one for one in items(pod.spec, "containers") if text(one, "name") == named), given)
    which, _, resource = text(source, "resource").partition(".")
    value = at(of, "resources", which, resource)
    if value is None:
        return unseen(f"the node's {resource}") if which == "limits" else "0"
    divisor = amount(text(source, "divisor") or "1") or Fraction(1)
    return str(-(-amount(value) // divisor))


def main(pod: Pod) -> Object:
    """The container that trains: `main`, else the first."""
    found = items(pod.spec, "containers")
    return next((one for one in found if text(one, "name") == "main"), found[0] if found else {})
