"""Systems by name. Only the parts of the system that is used are imported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.systems.shared.objects.base import Backend
    from trainc.systems.traits import Traits

# Systems that trainc emits objects for.
NAMES = ("pods", "job", "statefulset", "pytorchjob", "deepspeedjob", "elasticjob")
DEFAULT = "job"


def traits(name: str) -> Traits:
    """Return the traits of a system. Raises KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    found: Traits = import_module(f"trainc.systems.{name}.traits").TRAITS
    return found


def backend(name: str) -> Backend:
    """Return the back end of a system. Raises KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    found: Backend = import_module(f"trainc.systems.{name}.objects").BACKEND()
    return found
