"""Translate a pod template. What no field of a job expresses becomes the podTemplate patch."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import warning
from trainc.diagnostics.remedy import remove
from trainc.record import Record
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain, scalar_text
from trainc.span import Span, Text
from trainc.systems.shared.autoscaler import container_requests
from trainc.systems.shared.reader.env import field_path, variables
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.own_command import read_debug_mode
from trainc.systems.shared.reader.pod_fields import (
    translate_device_claims,
    translate_placement,
    translate_resources,
    translate_volumes,
)
from trainc.systems.shared.reader.report import coerce_string
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
from trainc.well_known import EACH_POD, MAIN, SHM_PATH

UNBUFFERED = "PYTHONUNBUFFERED"


class TranslatedPod(Record):
    """Fields of `spec` (None if absent), the command line, and the podTemplate patch ({} if none is needed).

    `container` is the training container; `port` is its port of the requested name. `requests` are the resources that
    each container requests. `mode` is set for trainc's own output in mode debug, where `command` is that of the
    program, not the one that waits.
    """

    fields: dict[str, Any]
    command: list[Text]
    args: list[Text]
    patch: dict[str, Any]
    container: ForeignMapping
    span: Span
    requests: dict[str, frozenset[str]] = {}
    port: Mapping | None = None
    mode: Any = None

    def literal_env(self) -> dict[str, str]:
        """Return the variables that have a literal value."""
        values = dict(variables(self.fields.get("env")))  # of two definitions the last one wins
        return {str(name): str(value.value) for name, value in values.items() if isinstance(value, Scalar)}

    def pod_name_variables(self) -> list[str]:
        """Return the variables that hold the pod's name."""
        names = [] if self.fields["network"]["hostNetwork"] else ["HOSTNAME"]
        pairs = variables(self.fields.get("env"))
        return names + [name for name, value in pairs if name and field_path(value) == "metadata.name"]

    def gpu_count(self) -> int:
        """Return the number of GPUs of the training container, of any vendor."""
        resources = self.requested_resources().items()
        amounts = [node for name, node in resources if name == "gpu" or name.endswith("/gpu") or "/mig-" in name]
        return max((parse_count(scalar_text(amount)) or 0 for amount in amounts), default=0)

    def requested_resources(self) -> dict[str, Any]:
        """Return the resources that the training container requests; a limit is also a request."""
        resources = self.fields.get("resources") or {}
        return {**resources, **resources.get("requests", {}), **resources.get("limits", {})}

    def shared_memory(self, launch: dict[str, Any]) -> Any:
        """Return the size of /dev/shm; false if the pod has the runtime's default and trainc would enlarge it."""
        size, volumes = self.fields.get("sharedMemory"), self.fields.get("volumes") or []
        mounts = [mount for volume in volumes for mount in volume.get("mounts") or [volume]]
        if size is not None or any(scalar_text(mount.get("mountPath")).rstrip("/") == SHM_PATH for mount in mounts):
            return size
        processes = (("torchrun", "nprocPerNode"), ("deepspeed", "slotsPerWorker"))
        several = any(str(launch.get(launcher, {}).get(field, 1)) != "1" for launcher, field in processes)
        disabled = Scalar(value=False, text="false", span=self.container.where("resources"))
        return disabled if several or self.gpu_count() else None


def translate_pod(
    template: ForeignMapping,
    names: tuple[str, ...],
    injected: tuple[str, ...] = (),
    port_name: str = "",
    keeps_restart_policy: bool = False,
    wrapper: tuple[str, ...] = (),
) -> TranslatedPod | None:
    """Return the pod; its training container is the one with one of `names`, else the first.

    The operator overwrites the environment variables in `injected`, and the pods' restart policy, unless it
    `keeps_restart_policy`. The port called `port_name` is the rendezvous port. `wrapper` are the arguments that the
    back end puts before every command except those of launchers.
    """
    spec = template.section("spec")
    containers = spec.sections("containers") if spec else []
    if spec is None or not containers:
        template.report.add_error(f"`{template.path}` has no container", template.node.span.first)
        return None
    template.ignore("apiVersion", "kind")
    if keeps_restart_policy:
        spec.ignore("restartPolicy")
    elif "restartPolicy" in spec:
        message = f"`{spec.path_of('restartPolicy')}` is left out: the operator overwrites it"
        spec.report.add_change(message, spec.where("restartPolicy"))
        message = f"`{spec.path_of('restartPolicy')}` has no effect: the operator overwrites it"
        spec.report.add_ignored(message, spec.where("restartPolicy"))
        spec.ignore("restartPolicy")
    token = scalar_text(spec.node.get("automountServiceAccountToken"))
    if "serviceAccountName" not in spec and token.lower() in ("false", "no", "off", "n"):
        spec.boolean("automountServiceAccountToken")  # trainc's default
    main = next((each for each in containers if scalar_text(each.node.get("name")) in names), containers[0])
    main.ignore("name")
    volumes, shared_memory, patch = translate_volumes(spec, main)
    claims: list[Node] = []
    if "resourceClaims" in spec:
        claims, others = translate_device_claims(spec, main)
        patch["resourceClaims"] = {spec.key("resourceClaims"): others} if others else {}
    fields = {
        "image": main.consume("image"),
        "imagePullPolicy": main.consume("imagePullPolicy"),
        "imagePullSecrets": spec.consume("imagePullSecrets"),
        "workingDir": main.consume("workingDir"),
        "resources": translate_resources(main, claims),
        "env": _env(main, injected),
        "envFrom": main.consume("envFrom"),
        "volumes": volumes,
        "sharedMemory": shared_memory,
        "scheduling": translate_placement(spec),
        "lifecycle": {"terminationGracePeriodSeconds": _grace_period(spec)},
        "network": {spec.key("hostNetwork"): spec.boolean("hostNetwork") or None},
    }
    command, args = main.strings("command") or [], main.strings("args") or []
    command, args, mode = read_debug_mode(template.report, EACH_POD, command, args, wrapper)
    sidecars = [container for container in containers if container is not main]
    port, ports = _ports(main, port_name)
    if ports:
        patch["ports"] = {main.key("ports"): ports}
    patch = _patch(template, spec, main, sidecars, patch)
    span = main.node.span.first
    return TranslatedPod(
        fields=fields,
        command=command,
        args=args,
        patch=patch,
        container=main,
        span=span,
        requests=container_requests(plain(spec.node)),
        port=port,
        mode=mode,
    )


def _ports(container: ForeignMapping, name: str) -> tuple[Mapping | None, list[Node]]:
    """Return the port of a name, and the other ports."""
    ports = container.consume("ports")
    nodes = ports.items if isinstance(ports, Sequence) else [] if ports is None else [ports]
    matching = [port for port in nodes if name and scalar_text(child(port, "name")) == name]
    port = matching[0] if matching else None
    return (port if isinstance(port, Mapping) else None), [node for node in nodes if node not in matching]


def _grace_period(spec: ForeignMapping) -> Node | None:
    """Return the field. A negative value is a second: CheckGracefulDelete of pkg/registry/core/pod/strategy.go."""
    node = spec.consume("terminationGracePeriodSeconds")
    if not (isinstance(node, Scalar) and isinstance(node.value, int) and node.value < 0):
        return node
    spec.report.add_change("a negative terminationGracePeriodSeconds is 1 second", node.span)
    return Scalar(1, "1", node.span)


def _env(container: ForeignMapping, injected: tuple[str, ...]) -> Any:
    """Return a map if every variable has a unique name and either a value or a source, else Kubernetes' list."""
    env = container.consume("env")
    if not isinstance(env, Sequence):
        return env
    variables: list[Node] = []
    by_name: dict[Text, Node] = {}
    for index, node in enumerate(env.items):
        variable, name, value = node, child(node, "name"), child(node, "value")
        if isinstance(node, Mapping) and value is not None:
            value = coerce_string(value, f"{container.path_of('env')}[{index}].value", container.report)
            variable = with_entry(node, "value", value)
        if isinstance(variable, Mapping) and isinstance(name, Scalar) and isinstance(name.value, str):
            if name.value in injected:
                message = f"variable `{name.value}` is left out: the operator overwrites it"
                container.report.add_change(message, name.span)
                if name.value != UNBUFFERED or not scalar_text(value):  # all its values have the same effect
                    message = f"`{name.value}` is overridden by the operator: this value is lost"
                    remedy = remove(name.span, safe=True)
                    fault = warning(
                        codes.OPERATOR_OVERRIDES_VARIABLE, message, name.span, help="remove it", remedy=remedy
                    )
                    container.report.faults.append(fault)
                continue
            if len(variable.entries) == 2 and isinstance(value, Scalar) and isinstance(value.value, str):
                by_name[Text(name.value, name.span)] = value
            elif len(variable.entries) == 2 and variable.get("valueFrom") is not None:
                by_name[Text(name.value, name.span)] = without_entries(variable, "name")
        variables.append(variable)
    return by_name if len(by_name) == len(variables) and variables else variables or None


def _patch(
    template: ForeignMapping, spec: ForeignMapping, main: ForeignMapping, sidecars: list[ForeignMapping], rest: Any
) -> dict[str, Any]:
    """Return what is left of the template, with the container names of trainc's pods."""
    container = {**_consume_rest(main), **rest.get("ports", {}), **rest.get("volumeMounts", {})}
    containers: list[Any] = [{"name": MAIN, **container}] if container else []
    for sidecar in sidecars:
        sidecar.ignore_all()
        containers.append(sidecar.node)
    pod_spec = _consume_rest(spec)
    if containers:
        pod_spec[Text("containers", spec.where("containers"))] = containers
    pod_spec |= {**rest.get("resourceClaims", {}), **rest.get("volumes", {})}
    fields: dict[str, Any] = {}
    metadata = template.section("metadata")
    if metadata is not None:
        metadata.ignore("name", "creationTimestamp", "namespace")
        fields["metadata"] = {metadata.key(name): metadata.string_values(name) for name in metadata.unconsumed()}
    fields["spec"] = pod_spec
    return {name: value for name, value in fields.items() if value}


def _consume_rest(mapping: ForeignMapping) -> dict[str, Any]:
    return {mapping.key(name): mapping.consume(name) for name in mapping.unconsumed()}
