"""Which back ends there are."""

from __future__ import annotations

from importlib import import_module

from trainc.backends.base import Backend

# Name → module and class: only the one that is used is imported.
_CLASSES = {
    "pods": ("trainc.backends.pods", "Pods"),
    "job": ("trainc.backends.job", "IndexedJob"),
    "statefulset": ("trainc.backends.statefulset", "StatefulSet"),
    "pytorchjob": ("trainc.backends.pytorchjob", "PyTorchJob"),
    "deepspeedjob": ("trainc.backends.deepspeedjob", "DeepSpeedJob"),
    "elasticjob": ("trainc.backends.elasticjob", "ElasticJob"),
}
NAMES = tuple(_CLASSES)
DEFAULT = "job"


def backend(name: str) -> Backend:
    """A back end by its name; KeyError for one that there is not."""
    module, class_name = _CLASSES[name]
    made: Backend = getattr(import_module(module), class_name)()
    return made
