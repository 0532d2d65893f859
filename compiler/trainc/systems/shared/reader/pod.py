"""A pod template of another system's as fields of ours; what we have no word for becomes the podTemplate patch."""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, plain, scalar_text
from trainc.span import Span, Text
from trainc.systems.shared.reader.coercion import coerce_string, coerce_string_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod_placement import translate_placement
from trainc.systems.shared.reader.pod_resources import translate_resources
from trainc.systems.shared.reader.pod_volumes import translate_volumes
from trainc.systems.shared.reader.report import TranslationReport, parse_count
from trainc.well_known import MAIN, SHM_PATH


class TranslatedPod(Record):
    """Fields of `spec`, of which those without a value are None; the command line; the patch, {} when none is needed.

    `container` is the training container, for what a front end still wants of it.
    """

    fields: dict[str, Any]
    command: list[Text]
    args: list[Text]
    patch: dict[str, Any]
    container: ForeignMapping
    span: Span
    port: Mapping | None = None

    def literal_env(self) -> dict[str, str]:
        """The variables whose values stand there."""
        env = self.fields.get("env")
        given = env.items() if isinstance(env, dict) else _pairs(env if isinstance(env, list) else [])
        return {str(name): str(value.value) for name, value in given if isinstance(value, Scalar)}

    def pod_name_variables(self) -> list[str]:
        """The variables that hold the pod's name."""
        env = self.fields.get("env")
        found = [] if self.fields["network"]["hostNetwork"] else ["HOSTNAME"]
        for item in env if isinstance(env, list) else []:
            given: Any = plain(item)
            source = given.get("valueFrom") if isinstance(given, dict) else None
            field = source.get("fieldRef") if isinstance(source, dict) else None
            if isinstance(field, dict) and field.get("fieldPath") == "metadata.name" and given.get("name"):
                found.append(str(given["name"]))
        return found

    def env_with(self, more: dict[str, str]) -> Any:
        """The variables and more."""
        env = self.fields.get("env")
        if not more:
            return env
        if isinstance(env, list):
            return [*env, *({"name": name, "value": value} for name, value in more.items())]
        return {**(env if isinstance(env, dict) else {}), **more}

    def gpu_count(self) -> int:
        """GPUs of the training container, however they were asked for."""
        given = self.fields.get("resources") or {}
        asked = {**given, **given.get("requests", {}), **given.get("limits", {})}
        counts = [0]
        for name, node in asked.items():
            text = node.text if isinstance(node, Scalar) else ""
            if name == "gpu" or name.endswith("/gpu") or "/mig-" in name:
                counts.append(parse_count(text) or 0)
        return max(counts)

    def requested_resources(self) -> set[str]:
        """The resources that the training container requests; a limit is a request, too."""
        given = self.fields.get("resources") or {}
        return {*given, *given.get("requests", {}), *given.get("limits", {})}

    def shared_memory(self, launch: dict[str, Any]) -> Any:
        """The size of /dev/shm; false where there was none and trainc would make one."""
        given, volumes = self.fields.get("sharedMemory"), self.fields.get("volumes")
        if given is not None or any(_mounts_at(volume, SHM_PATH) for volume in volumes or []):
            return given
        several = str(launch.get("torchrun", {}).get("nprocPerNode", 1)) != "1"
        several = several or str(launch.get("deepspeed", {}).get("slotsPerWorker", 1)) != "1"
        none = Scalar(value=False, text="false", span=self.container.where("resources"))
        return none if several or self.gpu_count() else None


def translate_pod(
    template: ForeignMapping, names: tuple[str, ...], injected: tuple[str, ...] = (), port_name: str = ""
) -> TranslatedPod | None:
    """The pod of a template whose training container has one of `names`, else is the first.

    Environment variables in `injected` are set by the operator after the user's, so the user's have no effect. The
    port of the name `port_name` is where the workers meet, for the launcher's fields.
    """
    spec = template.section("spec")
    containers = spec.sections("containers") if spec else []
    if spec is None or not containers:
        template.report.add_error(f"`{template.path}` has no container", template.node.span.first)
        return None
    template.ignore("apiVersion", "kind")
    if "restartPolicy" in spec:
        spec.report.add_change("the operator sets the pods' restartPolicy itself", spec.where("restartPolicy"))
        spec.ignore("restartPolicy")
    main = next((one for one in containers if _name(one) in names), containers[0])
    main.ignore("name")
    taken_volumes = translate_volumes(spec, main)
    fields = {
        "image": main.consume("image"),
        "imagePullPolicy": main.consume("imagePullPolicy"),
        "imagePullSecrets": spec.consume("imagePullSecrets"),
        "workingDir": main.consume("workingDir"),
        "resources": translate_resources(main),
        "env": _env(main, injected),
        "envFrom": main.consume("envFrom"),
        "volumes": taken_volumes.fields,
        "sharedMemory": taken_volumes.shared_memory,
        "scheduling": translate_placement(spec),
        "lifecycle": {"terminationGracePeriodSeconds": spec.consume("terminationGracePeriodSeconds")},
        "network": {"hostNetwork": spec.boolean("hostNetwork") or None},
    }
    command, args = main.strings("command") or [], main.strings("args") or []
    others = [one for one in containers if one is not main]
    port, ports = _ports(main, port_name)
    left = {**taken_volumes.patch, "ports": {main.key("ports"): ports}} if ports else taken_volumes.patch
    patch = _patch(template, spec, main, others, left)
    span = main.node.span.first
    return TranslatedPod(fields=fields, command=command, args=args, patch=patch, container=main, span=span, port=port)


def _ports(container: ForeignMapping, name: str) -> tuple[Mapping | None, list[Node]]:
    """The one of this name, and the others."""
    ports = container.consume("ports")
    items = ports.items if isinstance(ports, Sequence) else [] if ports is None else [ports]
    found = [item for item in items if isinstance(item, Mapping) and scalar_text(item.get("name")) == name]
    return (found[0] if found and name else None), [item for item in items if item not in found or not name]


def _pairs(env: list[Node]) -> list[tuple[str, Node | None]]:
    items = [item for item in env if isinstance(item, Mapping)]
    return [(scalar_text(item.get("name")), item.get("value")) for item in items]


def _mounts_at(volume: dict[str, Any], path: str) -> bool:
    mounts = volume.get("mounts") or [volume]
    return any(scalar_text(mount.get("mountPath")).rstrip("/") == path for mount in mounts)


def _name(container: ForeignMapping) -> str:
    found = container.node.get("name")
    return str(found.value) if isinstance(found, Scalar) else ""


def _env(container: ForeignMapping, injected: tuple[str, ...]) -> Any:
    """A map where every variable is a plain one and given once, else Kubernetes' list."""
    found = container.consume("env")
    if not isinstance(found, Sequence):
        return found
    kept: list[Node] = []
    plain: dict[Text, Node] = {}
    for number, given in enumerate(found.items):
        item = _with_string(given, f"{container.path_of('env')}[{number}]", container.report)
        name = item.get("name") if isinstance(item, Mapping) else None
        if isinstance(item, Mapping) and isinstance(name, Scalar) and isinstance(name.value, str):
            if name.value in injected:
                container.report.add_change(
                    f"`{name.value}` is left out: the operator sets it, after the user's", name.span
                )
                continue
            value = item.get("value")
            if isinstance(value, Scalar) and isinstance(value.value, str) and len(item.entries) == 2:
                plain[Text(name.value, name.span)] = value
        kept.append(item)
    return plain if len(plain) == len(kept) and kept else kept or None


def _with_string(variable: Node, path: str, report: TranslationReport) -> Node:
    value = variable.entries.get("value") if isinstance(variable, Mapping) else None
    if not isinstance(variable, Mapping) or value is None:
        return variable
    entry = Entry(value.key, coerce_string(value.value, f"{path}.value", report))
    return Mapping({**variable.entries, "value": entry}, variable.span)


def _patch(
    template: ForeignMapping,
    spec: ForeignMapping,
    main: ForeignMapping,
    others: list[ForeignMapping],
    left: dict[str, Any],
) -> dict[str, Any]:
    """What is left of the template, under the names that the pod has with us."""
    container = _rest(main)
    container |= left.get("ports", {}) | left.get("volumeMounts", {})
    containers: list[Any] = [{"name": MAIN, **container}] if container else []
    containers += [_whole(one) for one in others]
    pod_spec = _rest(spec)
    if containers:
        pod_spec[Text("containers", spec.where("containers"))] = containers
    pod_spec |= left.get("volumes", {})
    metadata = template.section("metadata")
    labels = {}
    if metadata is not None:
        metadata.ignore("name", "creationTimestamp", "namespace")
        labels = {
            name: coerce_string_values(value, metadata.path_of(name), template.report)
            for name, value in _rest(metadata).items()
        }
    return {key: value for key, value in (("metadata", labels), ("spec", pod_spec)) if value}


def _rest(foreign: ForeignMapping) -> dict[str, Any]:
    """All that nobody has taken, as it is."""
    return {foreign.key(name): foreign.consume(name) for name in foreign.unconsumed()}


def _whole(foreign: ForeignMapping) -> Mapping:
    foreign.ignore(*foreign.node.entries)
    return foreign.node
