"""Validate Kubernetes resources: the slow tier explains only what the fast one doesn't accept."""

from __future__ import annotations

from functools import cache

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.schema.accept import accepts
from trainc.schema.documents import KUBERNETES, Schema, document
from trainc.source.node import Node


def resource_errors(
    node: Node, schema: str, rejects_unknown: bool, is_native: bool = False, helps: dict[str, str] | None = None
) -> list[Diagnostic]:
    """Return the errors in the `metadata` and `spec` of a resource, by the schema document of its kind.

    `helps` are what to do about a rejected value, by its field.

    If unknown fields aren't rejected, a misspelled field that is required is also missing. An object of Kubernetes' own
    (`is_native`) may have null in optional fields and in mappings. The fast tier doesn't know the keywords of CRDs.
    """
    wanted = resource_schema(schema, rejects_unknown)
    if is_native and accepts(node, wanted, schema):
        return []
    from trainc.schema.explain import explain_resource  # noqa: PLC0415  # jsonschema doubles the time of a cold start

    return explain_resource(node, wanted, rejects_unknown, is_native, helps or {})


@cache
def resource_schema(schema: str, rejects_unknown: bool) -> Schema:
    """Return the schema of what the author of a resource writes."""
    resource = document(schema)
    fields = {name: field if name == "spec" else {} for name, field in resource["properties"].items()}
    if rejects_unknown:
        fields["metadata"] = {"$ref": f"{KUBERNETES}#/definitions/ObjectMeta"}
    return {**resource, "properties": fields, "required": ["spec"]}
