"""Difference as diagnostics, for the formats that show these: annotations of GitHub and SARIF."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, note, warning
from trainc.diff.formats.facts import Labels
from trainc.diff.jobs import JobDiff
from trainc.span import Span


def diagnostics(jobs: Sequence[JobDiff], labels: Labels, where: Callable[[JobDiff], Span]) -> Iterator[Diagnostic]:
    """Yield a finding for each consequence that a reviewer should know; `where` returns the position of a job."""
    for job in jobs:
        commands = dict(labels.commands(job))
        place, training = where(job), f"training {labels.training(job)}"
        for each in job.objects:
            if each.outcome == "re-create":
                fields = ", ".join(refusal.field for refusal in each.effect.refused[:3])
                message = f"{each.name} must be deleted and created again: {'; '.join(labels.reasons(each))} ({fields})"
                yield warning(
                    codes.JOB_RECREATED, labels.redacted(message), place, help=_run(commands.get("re-create"))
                )
            for drift in each.drift:
                yield note(codes.CHANGED_IN_CLUSTER, f"{each.name}: {labels.drift(each, drift)}", place)
        if job.training in ("restarts", "fails", "stops", "needs re-creation", "moves"):
            yield warning(codes.TRAINING_RESTARTS, training, place)
        elif job.is_pending:
            yield warning(codes.OLD_PODS_KEPT, training, place, help=_run(commands.get("apply now")))
        if job.resizes:
            yield note(codes.WORLD_RESIZED, f"the world changes: {labels.world(job)}", place)
        if job.left:
            message = f"no longer in the manifests, but left by `kubectl apply`: {', '.join(job.left)}"
            yield note(codes.OBJECT_LEFT, labels.redacted(message), place, help=_run(commands.get("delete")))


def _run(command: str | None) -> str | None:
    return f"run `{command}`" if command else None
