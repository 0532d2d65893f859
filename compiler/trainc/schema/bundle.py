"""Schema as one document, for editors."""

from __future__ import annotations

import json
import re
from typing import Any

from trainc.schema.documents import JOB, KUBERNETES, PATCH, document
from trainc.schema.editor import for_editors

_PREFIX = {KUBERNETES: "kubernetes.", PATCH: "patch."}
_REFERENCE = re.compile(r'"\$ref": "([^"#]*)#/definitions/([^"]+)"')


def bundled() -> str:
    """Return the job's schema with the referenced Kubernetes types among its definitions."""
    bundle = _with_prefix(document(JOB), "")
    definitions: dict[str, Any] = bundle.pop("definitions")
    for name, prefix in _PREFIX.items():
        types = _with_prefix(document(name)["definitions"], prefix)
        definitions |= {prefix + title: schema for title, schema in types.items()}
    used: set[str] = set()
    queue = [bundle]
    while queue:
        names = {match[2] for match in _REFERENCE.finditer(json.dumps(queue.pop()))} - used
        used |= names
        queue += [definitions[name] for name in names]
    bundle["definitions"] = {name: schema for name, schema in definitions.items() if name in used}
    for_editors(bundle, tuple(_PREFIX.values()))
    return json.dumps(bundle, indent=2, ensure_ascii=False) + "\n"


def _with_prefix(schema: Any, prefix: str) -> Any:
    text = _REFERENCE.sub(
        lambda match: f'"$ref": "#/definitions/{_PREFIX.get(match[1], prefix)}{match[2]}"', json.dumps(schema)
    )
    return json.loads(text)
