"""Advice for URLs of object stores, which no pod can mount without a driver."""

from __future__ import annotations

import json
import re

from trainc.schema.cures.shape import text_of
from trainc.source.node import Node

_URL = re.compile(r"(?P<url>[a-z][a-z0-9+.-]*://[^\s:]*)(?P<path>:/\S*)?", re.IGNORECASE)
# Fields of paths, and the variable that a program may read in their place.
_VARIABLES = {
    **dict.fromkeys(("spec.checkpoint", "spec.checkpoint.path"), "CHECKPOINT_PATH"),
    **dict.fromkeys(("spec.save", "spec.save.path"), "SAVE_PATH"),
}
_CLAIM = "{name: data, mountPath: PATH, persistentVolumeClaim: {claimName: CLAIM}}"


def url_advice(field: str, node: Node) -> str | None:
    """Return what to write in place of a URL; None for other values and other fields."""
    match = _URL.fullmatch(text_of(node))
    if match is None:
        return None
    if field in _VARIABLES:
        variable = f"{_VARIABLES[field]}: {json.dumps(match[0], ensure_ascii=False)}"
        return (
            f"remove it, and pass the URL to the program: `env: {{{variable}}}`; or mount a volume, and write its path"
        )
    if field in ("spec.volumes", "spec.volumes[]"):
        claim = _CLAIM.replace("PATH", (match["path"] or ":/data")[1:])
        return f"write `{claim}`, with a claim of the store's CSI driver, or pass the URL to the program"
    return None
