"""Translate `suspend` and `managedBy`, which objects of many operators have."""

from __future__ import annotations

from trainc.systems.shared.reader.foreign_mapping import ForeignMapping


def translate_mode(section: ForeignMapping, queued: bool) -> str | None:
    """Return `mode`.

    kubectl prints a queued job as suspended: https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/pytorchjobs/
    """
    paused = section.boolean("suspend")
    if paused and queued:
        message = "`suspend` is left out: Kueue suspends a queued job and resumes it when quota is available"
        section.report.add_change(message, section.where("suspend"))
    return "paused" if paused and not queued else None


def report_manager(section: ForeignMapping, own: str) -> None:
    """Report a controller other than the operator itself."""
    if section.string("managedBy") not in (None, own):
        section.drop("managedBy", "trainc never sets it")
