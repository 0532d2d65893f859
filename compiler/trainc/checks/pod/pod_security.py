"""Pods that violate the Pod Security Standard of the job.

https://kubernetes.io/docs/concepts/security/pod-security-standards/. In a namespace that enforces the standard the API
server accepts the Job and rejects its pods, which only the Job's events say.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, remove, warning
from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, scalar_text
from trainc.span import Span
from trainc.spec.section import inside

TRIGGERS = ("podSecurity",)

BASELINE_CAPABILITIES = frozenset(
    (
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
        *("NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    )
)
RESTRICTED_CAPABILITIES = frozenset(("NET_BIND_SERVICE",))
RESTRICTED_VOLUMES = frozenset(
    (
        *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected"),
        "secret",
    )
)
SYSCTLS = frozenset(
    (
        *("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start"),
        *("net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports"),
        *("net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"),
        *("net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"),
    )
)
SELINUX_TYPES = frozenset(("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"))
PROFILES = ("RuntimeDefault", "Localhost")
# Images whose user is root, by the start of their names.
ROOT_IMAGES = ("pytorch/pytorch", "docker.io/pytorch/pytorch", "nvcr.io/nvidia/", "deepspeed/deepspeed", "python:")
HOST_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")

Violations = Iterator[tuple[str, Span]]


class Missing(str):
    """Violation by a field that the container lacks, or sets to another value."""

    __slots__ = ()


def check(context: RuleContext) -> Diagnostics:
    """Report each violation at the value, or at the field from which trainc derives it."""
    level, image = context.spec.pod_security, context.job.pod.image
    for violation, span in violations(context, level) if level is not None else ():
        where = position_of(context, span)
        is_missing = isinstance(violation, Missing)
        help_ = "add it to the container's securityContext" if is_missing else "remove it"
        message: Phrase = Message("`{podSecurity: {}}` forbids {}", level, violation)
        remedy = None if is_missing else remove(where)
        yield error(codes.POD_SECURITY_VIOLATION, message, where, help=help_, remedy=remedy)
    if level == "restricted" and image.startswith(ROOT_IMAGES) and not _runs_as_user(context):
        message = f"the user of image `{image}` is root: a restricted pod can't start"
        help_ = "set securityContext.runAsUser to another user id, such as 1000"
        yield warning(codes.ROOT_IMAGE, message, context.spec.where("image"), help=help_)


def violations(context: RuleContext, level: str) -> Violations:
    """Yield what a level forbids in the job's pod, with its position."""
    pod, restricted = context.pod.spec, level == "restricted"
    security = inside(pod, "securityContext")
    # From 1.35 on pods in a user namespace may be root.
    may_be_root = _is(pod.get("hostUsers"), False) and context.target.minor >= 35
    yield from _pod(pod)
    for container in (*mappings(pod.get("initContainers")), *mappings(pod.get("containers"))):
        own = inside(container, "securityContext")
        yield from _container(container, own)
        yield from _profiles(own)
        if context.target.minor >= 34:
            yield from _hosts(container)
        if scalar_text(own.get("procMount")) not in ("", "Default") and (restricted or not may_be_root):
            yield "`procMount: Unmasked`", _span(own, "procMount")
        if restricted:
            yield from _restricted_container(container, own, security, may_be_root)
    yield from _profiles(security)
    if restricted:
        yield from _restricted_volumes(pod)
        yield from () if may_be_root else _root(security)


def _runs_as_user(context: RuleContext) -> bool:
    contexts = (context.pod.spec, context.pod.main.node)
    return any(inside(node, "securityContext").get("runAsUser") is not None for node in contexts)


def position_of(context: RuleContext, span: Span) -> Span:
    """Return the position of a violation; for a value that trainc sets, the position of the field that causes it."""
    return context.spec.where("securityContext", "podSecurity") if span is context.pod.generated else span


def _pod(pod: Mapping) -> Violations:
    for field in HOST_NAMESPACES:
        if _is(pod.get(field), True):
            yield f"`{field}`", _span(pod, field)
    for volume in mappings(pod.get("volumes")):
        if volume.get("hostPath") is not None:
            yield f"the hostPath volume `{scalar_text(volume.get('name'))}`", _span(volume, "name")
    for sysctl in mappings(inside(pod, "securityContext").get("sysctls")):
        name = scalar_text(sysctl.get("name"))
        if name not in SYSCTLS:
            yield f"the kernel parameter `{name}`", _span(sysctl, "name")


def _container(container: Mapping, security: Mapping) -> Violations:
    if _is(security.get("privileged"), True):
        yield "`privileged: true`", _span(security, "privileged")
    for name in _items(inside(security, "capabilities").get("add")):
        if scalar_text(name) not in BASELINE_CAPABILITIES:
            yield f"the capability {scalar_text(name)}", name.span
    for port in mappings(container.get("ports")):
        if scalar_text(port.get("hostPort")) not in ("", "0"):
            yield "`hostPort`", _span(port, "hostPort")


def _hosts(container: Mapping) -> Violations:
    hooks = inside(container, "lifecycle")
    probes = [inside(container, name) for name in ("livenessProbe", "readinessProbe", "startupProbe")]
    for handler in (*probes, inside(hooks, "postStart"), inside(hooks, "preStop")):
        for action in (inside(handler, "httpGet"), inside(handler, "tcpSocket")):
            if scalar_text(action.get("host")):
                yield "the host of a probe or hook", _span(action, "host")


def _profiles(security: Mapping) -> Violations:
    for field in ("seccompProfile", "appArmorProfile"):
        profile = inside(security, field)
        if scalar_text(profile.get("type")) == "Unconfined":
            yield f"`{field}` Unconfined", _span(profile, "type")
    options = inside(security, "seLinuxOptions")
    if scalar_text(options.get("type")) not in SELINUX_TYPES:
        yield f"the SELinux type `{scalar_text(options.get('type'))}`", _span(options, "type")
    for field in ("user", "role"):
        if scalar_text(options.get(field)):
            yield f"an SELinux {field}", _span(options, field)
    if _is(inside(security, "windowsOptions").get("hostProcess"), True):
        yield "`hostProcess`", _span(inside(security, "windowsOptions"), "hostProcess")


def _restricted_volumes(pod: Mapping) -> Violations:
    for volume in mappings(pod.get("volumes")):
        for kind in volume.entries:
            if kind not in ("name", "hostPath", *RESTRICTED_VOLUMES):
                yield f"volumes of kind `{kind}`", _span(volume, "name")


def _restricted_container(container: Mapping, own: Mapping, pod: Mapping, may_be_root: bool) -> Violations:
    """Yield what the container doesn't set, or sets to another value; some of it the pod may set."""
    lacks, capabilities = f"container `{scalar_text(container.get('name'))}` without", inside(own, "capabilities")
    if not _is(own.get("allowPrivilegeEscalation"), False):
        yield Missing(f"{lacks} `allowPrivilegeEscalation: false`"), _span(own, "allowPrivilegeEscalation")
    if "ALL" not in {scalar_text(item) for item in _items(capabilities.get("drop"))}:
        yield Missing(f"{lacks} `capabilities: {{drop: [ALL]}}`"), _span(capabilities, "drop")
    for added in _items(capabilities.get("add")):
        if scalar_text(added) in BASELINE_CAPABILITIES - RESTRICTED_CAPABILITIES:
            yield f"the capability {scalar_text(added)}", added.span
    if not any(scalar_text(inside(node, "seccompProfile").get("type")) in PROFILES for node in (own, pod)):
        yield Missing(f"{lacks} a seccompProfile"), _span(own, "seccompProfile")
    if not may_be_root:
        yield from _root(own)
        if not any(_is(node.get("runAsNonRoot"), True) for node in (own, pod)):
            yield Missing(f"{lacks} `runAsNonRoot: true`"), _span(own, "runAsNonRoot")


def _root(security: Mapping) -> Violations:
    if scalar_text(security.get("runAsUser")) == "0":
        yield "`runAsUser: 0`", _span(security, "runAsUser")
    if _is(security.get("runAsNonRoot"), False):
        yield "`runAsNonRoot: false`", _span(security, "runAsNonRoot")


def _is(node: Node | None, value: bool) -> bool:
    return isinstance(node, Scalar) and node.value is value


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Sequence) else []


def _span(node: Mapping, field: str) -> Span:
    value = node.get(field)
    return value.span if value is not None else node.span
