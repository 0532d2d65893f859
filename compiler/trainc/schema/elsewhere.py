"""Places of fields that users look for elsewhere."""

from __future__ import annotations

from trainc.schema.documents import JOB, KUBERNETES, Schema, document, resolve

# Names of other systems → our field.
SYNONYMS = {
    "command": "spec.run",
    "args": "spec.run",
    "replicas": "spec.workers",
    "nodes": "spec.workers",
    "numNodes": "spec.workers",
    "gpus": "spec.resources.gpu",
}
_DEPTH = 4


def elsewhere(name: str) -> str | None:
    """Return the path of a field of this name in the job, else in the pod template, else None."""
    if name in SYNONYMS:
        return SYNONYMS[name]
    level: list[tuple[str, Schema]] = [("", document(JOB))]
    for _ in range(_DEPTH):
        level = [field for path, schema in level for field in _fields(path, schema)]
        for path, _ in level:
            if path.rpartition(".")[2] == name:
                return path
    for kind, path in (("PodSpec", "spec.podTemplate.spec"), ("Container", "spec.podTemplate.spec.containers[]")):
        if name in document(KUBERNETES)["definitions"][kind]["properties"]:
            return f"{path}.{name}"
    return None


def _fields(path: str, schema: Schema) -> list[tuple[str, Schema]]:
    """Return the fields of a mapping, following references and alternatives, except into Kubernetes types."""
    found = []
    for branch in [schema, *schema.get("anyOf", ())]:
        reference = branch.get("$ref", "")
        if reference and not reference.startswith("#"):
            continue
        inner = resolve(reference, JOB)[0] if reference else branch
        found += [(f"{path}.{name}".lstrip("."), field) for name, field in inner.get("properties", {}).items()]
    return found
