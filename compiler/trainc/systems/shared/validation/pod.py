"""Pods and pod templates: ValidatePodTemplateSpec and validatePodSpec."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.systems.shared.validation.conflicts import conflict_errors, duplicate_errors
from trainc.systems.shared.validation.containers import container_errors, id_errors
from trainc.systems.shared.validation.kubelet import kubelet_errors
from trainc.systems.shared.validation.names import label_errors, metadata_errors, name_errors
from trainc.systems.shared.validation.resources import pod_resource_errors
from trainc.systems.shared.validation.selectors import scheduling_errors
from trainc.systems.shared.validation.values import LARGEST_ID, value_errors
from trainc.systems.shared.validation.volumes import volume_errors

_WINDOWS = "windowsOptions"
_RARE = frozenset(("fc", "azureDisk", "iscsi", "flexVolume"))  # sources with conflicts of their own
_NAMES = ("serviceAccountName", "nodeName", "priorityClassName")


def template_errors(
    template: Object, *path: str | int, more_volumes: frozenset[str] = frozenset()
) -> Iterator[Finding]:
    """Check a pod template; `more_volumes` exist without being in the pod."""
    yield from metadata_errors(mapping(template, "metadata"), *path, "metadata")
    pod, path = mapping(template, "spec"), (*path, "spec")
    yield from spec_errors(pod, *path, more_volumes=more_volumes)


def spec_errors(pod: Object, *path: str | int, more_volumes: frozenset[str] = frozenset()) -> Iterator[Finding]:
    """Check the spec of a pod."""
    if pod.get("containers") == []:
        yield rejection("the pod has no container", *path, "containers", help="add a container")
    if listed(pod, "ephemeralContainers"):
        reason = "ephemeral containers can only be added to a running pod"
        yield rejection(reason, *path, "ephemeralContainers", help="remove them", fix=REMOVE)
    containers = [*items(pod, "containers"), *items(pod, "initContainers")]
    yield from container_errors(pod, *path, more_volumes=more_volumes)
    yield from volume_errors(pod, *path)
    yield from value_errors(pod, *path)
    yield from conflict_errors(pod, *path)
    yield from duplicate_errors(pod, *path)
    yield from kubelet_errors(pod, *path)
    yield from scheduling_errors(pod, *path)
    if any(not _RARE.isdisjoint(each) for each in items(pod, "volumes")):
        from trainc.systems.shared.validation import volume_sources  # noqa: PLC0415  # rarely used

        yield from conflict_errors(pod, *path, conflicts=volume_sources.CONFLICTS)
    yield from pod_resource_errors(pod, *path)
    if pod.get("os") or any(_WINDOWS in mapping(each, "securityContext") for each in (pod, *containers)):
        from trainc.systems.shared.validation import windows  # noqa: PLC0415  # rarely used

        yield from windows.windows_errors(pod, *path)
    for field in ("hostname", "subdomain"):
        yield from label_errors(text(pod, field), field, *path, field)
    for field in _NAMES:
        yield from name_errors(text(pod, field), field, *path, field)
    yield from id_errors(mapping(pod, "securityContext"), *path, "securityContext")
    deadline = number(pod, "activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= LARGEST_ID:
        reason = f"the deadline of a pod must be at least 1 second, not {deadline}"
        yield rejection(reason, *path, "activeDeadlineSeconds", help="set a positive number, or remove it")
    if text(pod, "dnsPolicy") == "None" and not listed(pod, "dnsConfig", "nameservers"):
        help_ = "add the nameservers, or remove dnsPolicy"
        yield rejection("dnsPolicy None requires nameservers in dnsConfig", *path, "dnsPolicy", help=help_)
    if pod.get("hostPID") is True and pod.get("shareProcessNamespace") is True:
        reason = "shareProcessNamespace and hostPID exclude each other"
        yield rejection(reason, *path, "shareProcessNamespace", help="remove one of them")
    gates = [text(gate, "name") for gate in items(pod, "schedulingGates")]
    if len(gates) > len(set(gates)):
        yield rejection("two scheduling gates have the same name", *path, "schedulingGates", help="remove one of them")
