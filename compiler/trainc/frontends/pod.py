"""A pod template of another system's as fields of ours; what we have no word for becomes the podTemplate patch."""

from __future__ import annotations

from typing import Any

from trainc.frontends.foreign import Foreign
from trainc.frontends.pod_resources import resources
from trainc.frontends.pod_volumes import volumes
from trainc.record import Record
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text

TRAINING_CONTAINER = "main"  # as our back ends call it
PLACEMENT = (
    *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName", "schedulerName"),
)


class Pod(Record):
    """Fields of `spec`, of which those without a value are None; the command line; the patch, {} when none is needed.

    `container` is the training container, for what a front end still wants of it.
    """

    fields: dict[str, Any]
    command: list[Text]
    args: list[Text]
    patch: dict[str, Any]
    container: Foreign
    span: Span


def pod(template: Foreign, names: tuple[str, ...], injected: tuple[str, ...] = ()) -> Pod | None:
    """The pod of a template whose training container has one of `names`, else is the first.

    Environment variables in `injected` are set by the operator after the user's, so the user's have no effect.
    """
    spec = template.section("spec")
    containers = spec.sections("containers") if spec else []
    if spec is None or not containers:
        template.report.wrong(f"`{template.path}` has no container", template.node.span.first)
        return None
    template.skip("apiVersion", "kind")
    main = next((one for one in containers if _name(one) in names), containers[0])
    main.skip("name")
    taken_volumes = volumes(spec, main)
    fields = {
        "image": main.take("image"),
        "imagePullPolicy": main.take("imagePullPolicy"),
        "imagePullSecrets": spec.take("imagePullSecrets"),
        "workingDir": main.take("workingDir"),
        "resources": resources(main),
        "env": _env(main, injected),
        "envFrom": main.take("envFrom"),
        "volumes": taken_volumes.fields,
        "sharedMemory": taken_volumes.shared_memory,
        "scheduling": {name: spec.take(name) for name in PLACEMENT},
        "lifecycle": {"terminationGracePeriodSeconds": spec.take("terminationGracePeriodSeconds")},
        "network": {"hostNetwork": spec.flag("hostNetwork") or None},
    }
    command, args = main.words("command") or [], main.words("args") or []
    others = [one for one in containers if one is not main]
    patch = _patch(template, spec, main, others, taken_volumes.patch)
    return Pod(fields=fields, command=command, args=args, patch=patch, container=main, span=main.node.span.first)


def _name(container: Foreign) -> str:
    found = container.node.get("name")
    return str(found.value) if isinstance(found, Scalar) else ""


def _env(container: Foreign, injected: tuple[str, ...]) -> Any:
    """A map where every variable is a plain one and given once, else Kubernetes' list."""
    found = container.take("env")
    if not isinstance(found, Sequence):
        return found
    kept: list[Node] = []
    plain: dict[Text, Node] = {}
    for item in found.items:
        name = item.get("name") if isinstance(item, Mapping) else None
        if isinstance(item, Mapping) and isinstance(name, Scalar) and isinstance(name.value, str):
            if name.value in injected:
                container.report.changed(
                    f"`{name.value}` is left out: the operator sets it, after the user's", name.span
                )
                continue
            value = item.get("value")
            if isinstance(value, Scalar) and isinstance(value.value, str) and len(item.entries) == 2:
                plain[Text(name.value, name.span)] = value
        kept.append(item)
    return plain if len(plain) == len(kept) and kept else kept or None


def _patch(
    template: Foreign, spec: Foreign, main: Foreign, others: list[Foreign], left_volumes: dict[str, Any]
) -> dict[str, Any]:
    """What is left of the template, under the names that the pod has with us."""
    container = _rest(main)
    container |= left_volumes.get("volumeMounts", {})
    containers: list[Any] = [{"name": TRAINING_CONTAINER, **container}] if container else []
    containers += [_whole(one) for one in others]
    pod_spec = _rest(spec)
    if containers:
        pod_spec[Text("containers", spec.where("containers"))] = containers
    pod_spec |= left_volumes.get("volumes", {})
    metadata = template.section("metadata")
    labels = {}
    if metadata is not None:
        metadata.skip("name", "creationTimestamp", "namespace")
        labels = _rest(metadata)
    return {key: value for key, value in (("metadata", labels), ("spec", pod_spec)) if value}


def _rest(foreign: Foreign) -> dict[str, Any]:
    """All that nobody has taken, as it is."""
    return {foreign.key(name): foreign.take(name) for name in foreign.untaken()}


def _whole(foreign: Foreign) -> Mapping:
    foreign.skip(*foreign.node.entries)
    foreign.report.carried += len(foreign.node.entries)
    return foreign.node
