"""Values of a job file that Kubernetes defines: the schema of the job refers to a schema of Kubernetes' types.

They go unchanged into the objects, and the schema accepts values that the API server rejects.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from trainc.schema.documents import JOB, document, resolve
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.typenames import Any

# Types that consist of names, which nearly every job has, and their fields besides booleans. With these fields and
# plain names they are valid, as a test shows.
_REFERENCES = {
    "EnvVar": (("name", "value"), ("name", "valueFrom")),
    "EnvVarSource": (("secretKeyRef",), ("configMapKeyRef",)),
    "EnvFromSource": (("secretRef",), ("configMapRef",)),
    "SecretKeySelector": (("name", "key"), ("key", "name")),
    "ConfigMapKeySelector": (("name", "key"), ("key", "name")),
    "SecretEnvSource": (("name",),),
    "ConfigMapEnvSource": (("name",),),
    "PersistentVolumeClaimVolumeSource": (("claimName",),),
    "EmptyDirVolumeSource": ((),),
}
_LONGEST = 63
# Fields of the job's own types whose values the API server allows only beside certain others.
_RESTRICTED = {"securityContext": ("privileged", "procMount")}


def needs_judgement(spec: Mapping) -> bool:
    """Return whether a job's spec has a value that only the rules of the API server judge."""
    for section, names in _RESTRICTED.items():
        fields = spec.get(section)
        if isinstance(fields, Mapping) and any(name in fields.entries for name in names):
            return True
    fields = document(JOB)["definitions"]["Spec"]["properties"]
    for name, entry in spec.entries.items():
        if not isinstance(entry.value, Scalar) and _may_be_raw(name):
            for node, reference, base in raw_values(entry.value, fields[name]):
                if not _is_reference(node, reference, base):
                    return True
    return False


@cache
def _may_be_raw(field: str) -> bool:
    """Return whether a field of the spec can have a value whose type is in another document: most can't."""
    to_visit: list[Any] = [document(JOB)["definitions"]["Spec"]["properties"].get(field)]
    seen: set[int] = set()
    while to_visit:
        schema = to_visit.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        reference = schema.get("$ref")
        if reference is not None:
            if "json#" in reference:
                return True
            to_visit.append(resolve(reference, JOB)[0])
        to_visit += (*schema.get("anyOf", ()), *schema.get("properties", {}).values())
        to_visit += (schema.get("additionalProperties"), schema.get("items"))
    return False


def raw_values(node: Node, schema: dict[str, Any], base: str = JOB) -> Iterator[tuple[Node, str, str]]:
    """Yield the values whose type is in another document than the job's schema; with the reference to it, and its base.

    A value that `anyOf` gives several types is yielded for each of them.
    """
    reference = schema.get("$ref")
    if reference is not None:
        if "json#" in reference:
            yield node, reference, base
        else:
            yield from raw_values(node, resolve(reference, base)[0], base)
        return
    for choice in schema.get("anyOf", ()):
        yield from raw_values(node, choice, base)
    if isinstance(node, Mapping):
        fields, rest = schema.get("properties", {}), schema.get("additionalProperties")
        for name, entry in node.entries.items():
            field, value = fields.get(name, rest), entry.value
            if not isinstance(value, Scalar) and isinstance(field, dict):  # no such type is a scalar
                yield from raw_values(value, field, base)
    elif isinstance(node, Sequence) and "items" in schema:
        for item in node.items:
            if isinstance(item, Scalar):
                break
            yield from raw_values(item, schema["items"], base)


def _is_reference(node: Node, reference: str, base: str) -> bool:
    """Return whether a value consists of names that are always valid."""
    type_ = reference.rpartition("/")[2]
    shapes = _REFERENCES.get(type_)
    if shapes is None or not isinstance(node, Mapping):
        return False
    schema, base = resolve(reference, base)
    fields = []
    for name, entry in node.entries.items():
        value = entry.value
        if isinstance(value, Scalar):
            if isinstance(value.value, bool):
                continue
            text = value.value
            is_object = type_ != "EnvVar" and name != "key"
            if not isinstance(text, str) or not (name == "value" or _is_name(text, is_object)):
                return False
        elif not _is_reference(value, schema["properties"].get(name, {}).get("$ref", ""), base):
            return False
        fields.append(name)
    return tuple(fields) in shapes


def _is_name(text: str, is_object: bool) -> bool:
    """Return whether a text is a short name of letters, digits, dashes and, but for an object's, underscores."""
    plain = text.replace("-", "a" if is_object else "_")
    is_valid = plain.isalnum() and plain.islower() and text[-1] != "-" if is_object else plain.isidentifier()
    return is_valid and text.isascii() and text[0] != "-" and len(text) <= _LONGEST
