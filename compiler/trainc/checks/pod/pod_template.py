"""Pod template patch that overrides or removes what the back end requires."""

from __future__ import annotations

from trainc.checks.pod.names import is_reserved
from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, move, remove, warning
from trainc.source.node import Mapping, Scalar, mappings, scalar_text
from trainc.spec.section import inside
from trainc.well_known import MAIN

TRIGGERS = ("podTemplate",)

WITH_HOST_NETWORK = "ClusterFirstWithHostNet"
# Fields of the training container, and the corresponding fields of the job.
OVERRIDABLE = {"image": "image", "command": "run", "args": "run", "resources": "resources"}
# The launcher's PET_SHUTDOWN_TIMEOUT is derived from the job's grace period.
GRACE = "terminationGracePeriodSeconds"
DEADLINE = "spec.lifecycle.activeDeadlineSeconds"
RESTARTS = "spec.lifecycle.restartPolicy"
# Fields set by the back end, and what to do instead.
OWNED = {
    "hostname": "remove it: the workers connect by their hostnames",
    "hostnameOverride": "remove it: the workers connect by their hostnames",
    "subdomain": "remove it: the workers connect by their hostnames",
    "restartPolicy": f"use {RESTARTS}",
    "setHostnameAsFQDN": "remove it: the workers connect by their short hostnames",
}


def check(context: RuleContext) -> Diagnostics:
    """Reject changes of selector labels, hostnames and the training container."""
    template = context.spec.pod_template
    if template is None:
        return
    metadata, spec = inside(template, "metadata"), inside(template, "spec")
    yield from _removed(template, "podTemplate", "metadata", "spec")
    yield from _removed(metadata, "metadata", "labels")
    yield from _removed(inside(metadata, "labels"), "labels")
    yield from _removed(spec, "spec", "containers")
    yield from _reserved_fields(context, metadata, spec)
    for container in mappings(spec.get("containers")):
        yield from _container(context, container)
    host_network = spec.get("hostNetwork")
    is_on_host = isinstance(host_network, Scalar) and host_network.value is True and not context.job.pod.host_network
    if is_on_host and scalar_text(spec.get("dnsPolicy")) != WITH_HOST_NETWORK:
        # https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy
        message = Message("pods with `{network/hostNetwork}` use the node's DNS and cannot resolve each other's names")
        help_ = (Message("use {spec.network.hostNetwork}"), f"add `dnsPolicy: {WITH_HOST_NETWORK}`")
        yield warning(codes.HOST_NETWORK_WITHOUT_DNS, message, spec.entries["hostNetwork"].key.span, help=help_)
    if GRACE in spec.entries:
        message = Message("`{}` overrides `{spec.lifecycle}` only in the pod: the launcher does not follow it", GRACE)
        where = spec.entries[GRACE].key.span
        remedy = move(where, f"spec.lifecycle.{GRACE}")
        yield warning(codes.POD_TEMPLATE_OVERRIDE, message, where, help=f"use spec.lifecycle.{GRACE}", remedy=remedy)


def _removed(patch: Mapping, name: str, *required: str) -> Diagnostics:
    """Reject null and `$patch` that remove fields of trainc."""
    if scalar_text(patch.get("$patch")) in ("delete", "replace"):
        message = f"`{name}` contains required fields: it cannot be removed or replaced"
        yield error(codes.POD_TEMPLATE_CONFLICT, message, patch.where("$patch"))
    for field in required:
        value = patch.get(field)
        if isinstance(value, Scalar) and value.value is None:
            message = f"`{field}` contains required fields: it cannot be removed"
            yield error(codes.POD_TEMPLATE_CONFLICT, message, patch.entries[field].key.span)


def _reserved_fields(context: RuleContext, metadata: Mapping, spec: Mapping) -> Diagnostics:
    for name, entry in inside(metadata, "labels").entries.items():
        if is_reserved(name, context.backend):
            message = f"label `{name}` is reserved: controllers and Services select the pods by it"
            yield error(codes.POD_TEMPLATE_CONFLICT, message, entry.key.span)
    for name, entry in metadata.entries.items():
        if name in ("name", "generateName", "namespace"):
            message = f"`metadata.{name}` of the pods is derived from the job"
            yield error(codes.POD_TEMPLATE_CONFLICT, message, entry.key.span)
    for name, entry in spec.entries.items():
        if name in OWNED:
            message, where = f"`{name}` is set by trainc", entry.key.span
            remedy = move(where, RESTARTS, safe=True) if name == "restartPolicy" else remove(where)
            yield error(codes.POD_TEMPLATE_CONFLICT, message, where, help=OWNED[name], remedy=remedy)
        elif name == "activeDeadlineSeconds" and not context.system.supports(DEADLINE):
            yield error(codes.POD_TEMPLATE_CONFLICT, context.system.unsupported[DEADLINE], entry.key.span)


def _container(context: RuleContext, container: Mapping) -> Diagnostics:
    """Check fields that the job itself sets, and containers that keep a pod from completing."""
    directive, is_main = container.get("$patch"), scalar_text(container.get("name")) == MAIN
    if directive is not None:
        # `replace` replaces the whole list; the item's name has no effect.
        if isinstance(directive, Scalar) and (is_main or directive.value == "replace"):
            message = "the training container cannot be removed or replaced"
            yield error(codes.POD_TEMPLATE_CONFLICT, message, directive.span)
    elif is_main:
        for field, job_field in OVERRIDABLE.items():
            if context.system.starts_launcher and job_field == "run":
                continue  # reported by a rule of the system
            if field in container.entries:
                message = f"`{field}` overrides `spec.{job_field}` only in the pod: the launcher does not follow it"
                where = container.entries[field].key.span
                yield warning(codes.POD_TEMPLATE_OVERRIDE, message, where, help=f"use `spec.{job_field}`")
    elif context.system.ends:
        message = "the job completes only when this container has exited too"
        help_ = Message("make it a sidecar: an init container with `{lifecycle/restartPolicy: Always}`")
        yield warning(codes.ENDLESS_SIDECAR, message, container.where("name"), help=help_)
