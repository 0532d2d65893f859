"""Errors of documents and resources: the slow tier explains only what the fast one does not accept.

Its import of jsonschema doubles the time of a cold start.
"""

from __future__ import annotations

from functools import cache

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.schema.accept import accepts
from trainc.schema.documents import KUBERNETES, Schema, document
from trainc.source.node import Node
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.schema.problem import Named


def job_errors(node: Node, named: Named | None = None) -> list[Diagnostic]:
    """Return the errors of a job, none for a valid one; `named` is that of `explain`."""
    if accepts(node):
        return []
    from trainc.schema.explain import explain

    return explain(node, named)


def document_errors(node: Node, schema: str, title: str) -> list[Diagnostic]:
    """Return the errors of a document that is no job, none for a valid one; see `explain_document`."""
    if accepts(node, document(schema), schema):
        return []
    from trainc.schema.explain import explain_document

    return explain_document(node, schema, title)


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
    from trainc.schema.explain import explain_resource

    return explain_resource(node, wanted, rejects_unknown, is_native, helps or {})


@cache
def resource_schema(schema: str, rejects_unknown: bool) -> Schema:
    """Return the schema of what the author of a resource writes."""
    resource = document(schema)
    fields = {name: field if name == "spec" else {} for name, field in resource["properties"].items()}
    if rejects_unknown:
        fields["metadata"] = {"$ref": f"{KUBERNETES}#/definitions/ObjectMeta"}
    return {**resource, "properties": fields, "required": ["spec"]}
