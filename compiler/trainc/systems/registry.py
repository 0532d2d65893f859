"""Which back ends there are."""

from __future__ import annotations

from importlib import import_module

from trainc.systems.shared.objects.base import Backend

# Name → module and class: only the one that is used is imported.
_CLASSES = {
    "pods": ("trainc.systems.pods.objects", "Pods"),
    "job": ("trainc.systems.job.objects", "IndexedJob"),
    "statefulset": ("trainc.systems.statefulset.objects", "StatefulSet"),
    "pytorchjob": ("trainc.systems.pytorchjob.objects", "PyTorchJob"),
    "deepspeedjob": ("trainc.systems.deepspeedjob.objects", "DeepSpeedJob"),
    "elasticjob": ("trainc.systems.elasticjob.objects", "ElasticJob"),
}
NAMES = tuple(_CLASSES)
DEFAULT = "job"


def backend(name: str) -> Backend:
    """A back end by its name; KeyError for one that there is not."""
    module, class_name = _CLASSES[name]
    made: Backend = getattr(import_module(module), class_name)()
    return made
