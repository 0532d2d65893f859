"""Container as the kubelet starts it: variables in order, expanded command line.

https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from trainc.diagnostics import codes
from trainc.diagnostics.finding import Finding
from trainc.plan.expand import expand, placeholder, undefined_references
from trainc.plan.fields import Object, at, items, listed, mapping, text
from trainc.plan.pods import Pod
from trainc.plan.quantity import parse_quantity
from trainc.record import Record
from trainc.well_known import MAIN

_ENV_FROM = (("configMapRef", "ConfigMap"), ("secretRef", "Secret"))
_KEY_REFS = (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret"))
_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")


class Variable(Record):
    """Variable of a container. `source` is empty for a value of the manifest itself."""

    name: str
    value: str
    source: str = ""


class Container(Record):
    """Container with its expanded command line.

    `operator_args` are the words that an operator adds to it; `env_from` are sources of further variables, whose
    values are unknown; `created_by` is the operator that adds the container to the pod; `errors` are references that
    the kubelet can't expand.
    """

    name: str
    image: str
    argv: tuple[str, ...]
    operator_args: tuple[str, ...]
    env: tuple[Variable, ...]
    env_from: tuple[str, ...]
    created_by: str
    errors: tuple[Finding, ...]

    def value(self, name: str) -> str | None:
        """Return the value of a variable; the last of several with one name counts."""
        return next((each.value for each in reversed(self.env) if each.name == name), None)


class RuntimeValues(Record):
    """Values of a running pod: fields by path, capacities of its node, contents of ConfigMaps and Secrets."""

    fields: dict[str, str] = {}
    contents: dict[tuple[str, str], dict[str, str]] = {}


NO_RUNTIME_VALUES = RuntimeValues()


def resolve_container(pod: Pod, manifest: Object, known: RuntimeValues = NO_RUNTIME_VALUES) -> Container:
    """Return a container of a pod as it starts, with placeholders for unknown values."""
    values: dict[str, str] = {}
    variables: dict[str, Variable] = {}
    for variable in _variables_from(manifest, known):
        values[variable.name] = variable.value
        variables[variable.name] = variable
    undefined: dict[str, list[str]] = {}  # the last variable of a name counts
    env_from = [_env_from(each) for each in items(manifest, "envFrom")]
    names = {text(each, "name") for each in items(manifest, "env")}
    for each in items(manifest, "env"):
        name, value, source = text(each, "name"), text(each, "value"), text(each, "createdBy")
        undefined[name] = []
        if value:
            lost = undefined_references(value, values)
            undefined[name] = [other for other in lost if other in names or not env_from]
            value = expand(value, values)
        elif at(each, "valueFrom") is not None:
            value, origin = _value_from(mapping(each, "valueFrom"), pod, manifest, known)
            source = source or origin
        values[name] = value
        variables[name] = Variable(name=name, value=value, source=source)
    errors = [
        _undefined(f"`{name}` refers to", other, " before it", name)
        for name, others in undefined.items()
        for other in others
    ]
    argv: list[str] = []
    for word in map(str, [*listed(manifest, "command"), *listed(manifest, "args")]):
        lost = undefined_references(word, values)
        if env_from:  # which may have them
            argv.append(expand(word, {**values, **{other: placeholder(other) for other in lost}}))
            continue
        errors += [_undefined(f"argument `{word}` refers to", other, "", word) for other in lost]
        argv.append(expand(word, values))
    return Container(
        name=text(manifest, "name"),
        image=text(manifest, "image"),
        argv=tuple(argv),
        operator_args=tuple(expand(str(word), values) for word in listed(manifest, "operatorArgs")),
        env=tuple(variables.values()),
        env_from=tuple(env_from),
        created_by=text(manifest, "createdBy"),
        errors=tuple(dict.fromkeys(errors)),
    )


def _undefined(start: str, variable: str, end: str, *about: str) -> Finding:
    reference = f"$({variable})"
    message = f"{start} `{reference}`, which is not defined{end}"
    return Finding(message=message, about=(*about, reference), code=codes.UNDEFINED_REFERENCE)


def _variables_from(manifest: Object, known: RuntimeValues) -> Iterator[Variable]:
    for source in items(manifest, "envFrom"):
        for key, kind in _ENV_FROM:
            for name, value in known.contents.get((kind, text(source, key, "name")), {}).items():
                yield Variable(name=text(source, "prefix") + name, value=value, source=_env_from(source))


def _env_from(source: Object) -> str:
    for key, kind in _ENV_FROM:
        if key in source:
            prefix = text(source, "prefix")
            return f"{kind}/{text(source, key, 'name')}" + (f" (prefix {prefix})" if prefix else "")
    return "unknown"


def _value_from(source: Object, pod: Pod, manifest: Object, known: RuntimeValues) -> tuple[str, str]:
    """Return a value that is not in the manifest, and its source. A Secret's value is unknown to a plan."""
    for field, kind in _KEY_REFS:
        if field in source:
            name, key = text(source, field, "name"), text(source, field, "key")
            value = known.contents.get((kind, name), {}).get(key)
            return placeholder(f"{kind}/{name} {key}") if value is None else value, f"{kind}/{name}"
    if "fieldRef" in source:
        path = text(source, "fieldRef", "fieldPath")
        return known.fields.get(path) or pod_field(path, pod), "downward API"
    if "resourceFieldRef" in source:
        return _resource(mapping(source, "resourceFieldRef"), pod, manifest, known), "downward API"
    return placeholder(next(iter(source), "unknown")), "unknown"


def pod_field(path: str, pod: Pod) -> str:
    """Return a field of the pod by its path in variables and volumes.

    https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#available-fields
    """
    subscript = _SUBSCRIPT.fullmatch(path)
    if subscript:
        return (pod.labels if subscript[1] == "labels" else pod.annotations).get(subscript[2], "")
    if path == "metadata.name":
        return pod.name
    if path == "metadata.namespace":
        return pod.namespace or placeholder("namespace")
    if path == "spec.serviceAccountName":
        return text(pod.spec, "serviceAccountName") or "default"
    return placeholder(path)


def _resource(source: Object, pod: Pod, manifest: Object, known: RuntimeValues) -> str:
    """Return a request or limit in whole divisors, rounded up; an absent limit is the node's capacity."""
    name = text(source, "containerName")
    container = next((each for each in items(pod.spec, "containers") if text(each, "name") == name), manifest)
    which, _, resource = text(source, "resource").partition(".")
    value = at(container, "resources", which, resource)
    if value is None and which == "limits":
        value = known.fields.get(resource)
    if value is None:
        return placeholder(f"the node's {resource}") if which == "limits" else "0"
    divisor = parse_quantity(text(source, "divisor") or "1") or Fraction(1)
    return str(-(-parse_quantity(value) // divisor))


def training_container(pod: Pod) -> Object:
    """Return the container that trains: the one that an operator names, else `main`, else the first."""
    name, containers = pod.training_container or MAIN, items(pod.spec, "containers")
    return next((each for each in containers if text(each, "name") == name), containers[0] if containers else {})
