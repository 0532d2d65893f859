"""Marks of workers: the color of their state, and a word."""

from __future__ import annotations

from trainc.plan.formats.graph import Mark
from trainc.report.document import Style
from trainc.status.workers import WorkerStatus

_PHASES: dict[str, Style] = {"Running": "good", "Succeeded": "good", "Failed": "bad", "Unknown": "bad"}
_FAULTS = ("crash-loop", "container-ended", "node-lost", "quota", "not-created", "service-account", "pod-security")


def mark(worker: WorkerStatus) -> Mark:
    """Return the mark of a worker."""
    problem = worker.problem.code if worker.problem else ""
    if worker.pod is None:
        color: Style = "bad" if problem in _FAULTS else "soft"
        return Mark(color=color, label="no pod" if worker.is_expected else "not scaled up")
    color = "bad" if problem in _FAULTS else _PHASES.get(worker.phase, "waits")
    return Mark(color=color, label=worker.phase if not problem or worker.phase == "Succeeded" else problem)
