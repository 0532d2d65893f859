"""trainc compiles a short YAML file that says what to train to the Kubernetes manifests that train it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.api import Diagnostic, Manifest, Result, compile

__all__ = ["Diagnostic", "Manifest", "Result", "compile"]


def __getattr__(name: str) -> Any:
    """The public names, imported when they are asked for: the command line needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'trainc' has no attribute {name!r}")
    from trainc import api

    return getattr(api, name)
