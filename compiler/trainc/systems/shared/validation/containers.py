"""Containers of a pod: validateContainers and what it calls."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.systems.shared.validation.names import label_errors
from trainc.systems.shared.validation.resources import resource_errors
from trainc.systems.shared.validation.values import LARGEST_ID, LARGEST_PORT, PORT_NAME
from trainc.systems.shared.validation.variables import variable_errors
from trainc.systems.shared.validation.volumes import claim_names, device_errors, mount_errors, volume_names

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLER_HELP = "set one of exec, httpGet and tcpSocket"


def container_errors(pod: Object, *path: str | int, more_volumes: frozenset[str]) -> Iterator[Finding]:
    """Check all containers; `more_volumes` exist without being in the pod."""
    volumes, claims, names = volume_names(pod) | more_volumes, claim_names(pod), set[str]()
    for field in ("containers", "initContainers"):
        for index, container in enumerate(items(pod, field)):
            where, name = (*path, field, index), text(container, "name")
            yield from label_errors(name, "container name", *where, "name", code=codes.INVALID_POD_NAME)
            if name in names:
                help_ = "rename one of them"
                yield rejection(f"two containers are named `{name}`", *where, "name", help=help_)
            names.add(name)
            if not text(container, "image"):
                reason = f"container `{name}` has no image"
                yield rejection(reason, *where, "image", help="set `image`")
            yield from _ports(container, mapping(pod).get("hostNetwork") is True, *where)
            yield from variable_errors(container, *where)
            yield from resource_errors(container, claims, *where)
            yield from mount_errors(container, volumes, *where)
            yield from device_errors(container, pod, more_volumes, *where)
            is_init = field == "initContainers" and text(container, "restartPolicy") != "Always"
            yield from _probes(container, is_init, *where)
            yield from _security(mapping(container, "securityContext"), *where, "securityContext")


def _ports(container: Object, on_host: bool, *path: str | int) -> Iterator[Finding]:
    known: set[str] = set()
    for index, port in enumerate(items(container, "ports")):
        where, name, number_ = (*path, "ports", index), text(port, "name"), number(port, "containerPort")
        if name and not PORT_NAME.fullmatch(name):
            reason = f"`{name}` is not the name of a port"
            help_ = "use at most 15 lowercase letters, digits and single dashes"
            yield rejection(reason, *where, "name", help=help_)
        elif name and name in known:
            yield rejection(f"two ports are named `{name}`", *where, "name", help="rename one of them")
        known.add(name)
        for field in ("containerPort", "hostPort"):
            value = number(port, field)
            if value is not None and not (1 if field == "containerPort" else 0) <= value <= LARGEST_PORT:
                help_ = f"set a number from 1 to {LARGEST_PORT}"
                yield rejection(f"{value} is not a port", *where, field, help=help_)
        host = number(port, "hostPort")
        if on_host and host and number_ and host != number_:
            reason = f"on the host's network hostPort must be the containerPort, {number_}"
            yield rejection(reason, *where, "hostPort", help="remove it", fix=REMOVE)


def _probes(container: Object, is_init: bool, *path: str | int) -> Iterator[Finding]:
    for field in _PROBES:
        probe = container.get(field)
        if not isinstance(probe, dict):
            continue
        if is_init:
            reason = f"an init container can't have a {field}"
            yield rejection(reason, *path, field, help="remove it, or set `restartPolicy: Always`", fix=REMOVE)
            continue
        yield from _handler(probe, *path, field)
        if field != "readinessProbe" and (number(probe, "successThreshold") or 1) != 1:
            reason = f"successThreshold of a {field} must be 1"
            yield rejection(reason, *path, field, "successThreshold", help="remove it", fix=REMOVE)
    lifecycle = mapping(container, "lifecycle")
    if lifecycle and is_init:
        help_ = "remove it, or set `restartPolicy: Always`"
        yield rejection("an init container can't have a lifecycle", *path, "lifecycle", help=help_, fix=REMOVE)
    elif lifecycle:
        for hook in ("postStart", "preStop"):
            if isinstance(lifecycle.get(hook), dict):
                yield from _handler(lifecycle[hook], *path, "lifecycle", hook)


def _handler(owner: Object, *path: str | int) -> Iterator[Finding]:
    handlers = [name for name in _HANDLERS if owner.get(name) is not None]
    if len(handlers) != 1:
        reason = f"`{path[-1]}` needs exactly one action, not {len(handlers)}"
        yield rejection(reason, *path, help="keep one of them" if handlers else _HANDLER_HELP)


def _security(context: Object, *path: str | int) -> Iterator[Finding]:
    yield from id_errors(context, *path)
    if context.get("allowPrivilegeEscalation") is False:
        added = listed(context, "capabilities", "add")
        # ValidateSecurityContext compares only the name with the prefix, which container runtimes don't require.
        capability = "CAP_SYS_ADMIN" if "CAP_SYS_ADMIN" in added else ""
        cause = "privileged" if context.get("privileged") is True else capability
        if cause:
            reason = f"`allowPrivilegeEscalation: false` conflicts with {cause}"
            yield rejection(reason, *path, "allowPrivilegeEscalation", help="remove one of them")


def id_errors(context: Object, *path: str | int) -> Iterator[Finding]:
    """Check the numbers of users and groups."""
    for field in ("runAsUser", "runAsGroup", "fsGroup"):
        value = number(context, field)
        if value is not None and not 0 <= value <= LARGEST_ID:
            help_ = f"set a number from 0 to {LARGEST_ID}"
            yield rejection(f"{value} is not the number of a user or group", *path, field, help=help_)
