"""Fields of pods that an operator's custom resource lacks, and names of containers that the operator reserves."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, remove, use_backend
from trainc.checks.shared.user_fields import patched_containers
from trainc.schema.documents import Schema, document, resolve
from trainc.source.node import Entry, Mapping, Node, Sequence, scalar_text
from trainc.systems.shared.facts import WORKLOAD
from trainc.well_known import MAIN

TRIGGERS = (
    "env",
    "volumes",
    "podTemplate",
    "scheduling",
    "securityContext",
    "podSecurity",
    "network",
    "resources.claims",
)


def check(context: RuleContext) -> Diagnostics:
    yield from _missing_fields(context)
    yield from _container_names(context)


def _missing_fields(context: RuleContext) -> Diagnostics:
    """Compare the job's Kubernetes fields with the schema of the custom resource, generated from an older version.

    The API server rejects an unknown field or, without strict validation, drops it:
    https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation. If the CRD does not restrict pods,
    the operator drops the field.
    """
    pod_schema = context.target.pod_schema
    assert pod_schema is not None
    name, *path = pod_schema
    template = document(name)
    for step in path:
        template = _inner(template, step, name)
    spec = _inner(template, "spec", name)
    for entry in _unknown(context.pod.template, template, name):
        where, help_ = entry.key.span, ("remove it", use_backend("job"))
        if where is context.pod.generated:
            continue
        message = f"{context.system.a_kind} has no field `{entry.key.value}` here: {context.system.missing_fields}"
        yield error(codes.NOT_IN_CRD, message, where, help=help_, remedy=remove(where))
    yield from _lacking_parts(context, spec, name)


def _lacking_parts(context: RuleContext, spec: Schema, base: str) -> Diagnostics:
    """Report what trainc adds for a field of the job, and what pods of the custom resource can't have."""
    pod, network, lacking = context.job.pod, context.spec.network, context.system.missing_fields
    if pod.device_claims and "resourceClaims" not in spec["properties"]:
        claim = pod.device_claims[0]
        message = f"{context.system.a_kind} has no field `resourceClaims` for the claim `{claim.name}`: {lacking}"
        yield error(codes.NOT_IN_CRD, message, claim.origin or context.job.origin, help=use_backend("job"))
    container = _inner(_inner(spec, "initContainers", base), "*", base)
    if pod.sidecars and network is not None and "restartPolicy" not in container["properties"]:
        message = f"{context.system.a_kind} has no sidecars, which the fabric {network.fabric} needs: {lacking}"
        yield error(codes.NOT_IN_CRD, message, network.where("fabric"), help=use_backend("job"))
    security = _inner(spec, "securityContext", base)
    if context.spec.pod_security == "restricted" and "seccompProfile" not in security["properties"]:
        message = f"{context.system.a_kind} has no field `seccompProfile`, which the standard requires: {lacking}"
        yield error(codes.NOT_IN_CRD, message, context.spec.where("podSecurity"), help=use_backend("job"))
    gang = context.job.gang
    reference = "workloadRef" if gang is not None and gang.version == WORKLOAD else "schedulingGroup"
    is_native = gang is not None and gang.scheduler == "kubernetes" and gang.version >= WORKLOAD
    if is_native and reference not in spec["properties"]:
        message = f"pods of {context.system.a_kind} cannot refer to a Kubernetes PodGroup"
        help_ = ("use volcano or coscheduling", use_backend("job"))
        yield error(codes.NOT_IN_CRD, message, context.spec.scheduling.where("gang"), help=help_)


def _inner(schema: Schema, step: str, base: str) -> Schema:
    """Return the schema of a field; `*` stands for every item or value."""
    inner: Schema = schema.get("items") or schema["additionalProperties"] if step == "*" else schema["properties"][step]
    return resolve(inner["$ref"], base)[0] if "$ref" in inner else inner


def _unknown(node: Node, schema: Schema, base: str) -> Iterator[Entry]:
    """Yield the fields that a schema lacks, but for those of trainc, which have the position of the mapping."""
    if isinstance(node, Sequence) and "items" in schema:
        for item in node.items:
            yield from _unknown(item, _inner(schema, "*", base), base)
    elif isinstance(node, Mapping):
        fields = schema.get("properties")
        for name, entry in node.entries.items():
            if fields is not None and name in fields:
                yield from _unknown(entry.value, _inner(schema, name, base), base)
            elif isinstance(schema.get("additionalProperties"), dict):
                yield from _unknown(entry.value, _inner(schema, "*", base), base)
            elif fields is not None and entry.key.span is not node.span:
                yield entry


def _container_names(context: RuleContext) -> Diagnostics:
    """Reject the operator's name: the training container is `main` in every job file, and the back end renames it."""
    reserved = context.system.container
    names = (reserved, *context.system.init_containers) if context.job.has_leader_role else (reserved,)
    for container in patched_containers(context):
        name = scalar_text(container.get("name"))
        if name in names:
            message = f"{context.system.operator} adds its own container `{name}`: this one is a duplicate"
            help_: Phrase = "rename it"
            if name == reserved:
                message = f"the back end {context.system.name} names the training container `{reserved}`"
                help_ = Message("rename this container; the training container is `{}` in {podTemplate}", MAIN)
            yield error(codes.RESERVED_CONTAINER_NAME, message, container.where("name"), help=help_)
