"""What Kueue's webhooks refuse in every kind of job: another queue. Read in the source, not run.

validateUpdateForQueueName in
https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/controller/jobframework/validation.go
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diff.live import is_live
from trainc.plan.fields import Object, at, text
from trainc.systems import registry
from trainc.systems.shared.changes import Change, Refusal, refusals
from trainc.well_known import QUEUE_LABEL

_SUSPEND = (("spec", "suspend"), ("spec", "runPolicy", "suspend"))


def refusals_of_kueue(change: Change) -> Iterator[Refusal]:
    """Yield the refusals of another queue for a job that isn't suspended; Kueue suspends live ones that wait."""
    old, new = change.values("metadata", "labels", QUEUE_LABEL)
    system = registry.of_kind(text(change.new, "kind"), text(change.new, "apiVersion"))
    if old == new or system is None or system.traits.queued == "never":
        return
    if not _is_suspended(change.new) and not (is_live(change.old) and _is_suspended(change.old)):
        fields = change.below("metadata", "labels", QUEUE_LABEL)
        yield from refusals(fields, "Kueue refuses another queue for a job that is not suspended")


def _is_suspended(resource: Object) -> bool:
    return any(at(resource, *path) is True for path in _SUSPEND) or at(resource, "spec", "replicas") == 0
