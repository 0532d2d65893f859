"""Compiler from short YAML job files to the Kubernetes manifests that train them."""

from __future__ import annotations

TYPE_CHECKING = False  # see trainc.typenames
if TYPE_CHECKING:
    from typing import Any

    from trainc.api import Diagnostic, Manifest, Result, compile

__all__ = ["Diagnostic", "Manifest", "Result", "compile"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use: the command line needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'trainc' has no attribute {name!r}")
    from trainc import api

    return getattr(api, name)
