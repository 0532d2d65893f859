"""`lifecycle`: how long the job may run, how often it may fail, what is left of it."""

from __future__ import annotations

from trainc.source.node import Mapping
from trainc.spec.section import Section, inside, number, text


class Lifecycle(Section):
    """Times in seconds; None where the user said nothing."""

    active_deadline_seconds: int | None
    backoff_limit: int | None
    ttl_seconds_after_finished: int | None
    termination_grace_period_seconds: int | None
    restart_policy: str | None


def read_lifecycle(node: Mapping) -> Lifecycle:
    """The section, empty when the job has none."""
    section = inside(node, "lifecycle")
    return Lifecycle(
        node=section,
        active_deadline_seconds=number(section, "activeDeadlineSeconds"),
        backoff_limit=number(section, "backoffLimit"),
        ttl_seconds_after_finished=number(section, "ttlSecondsAfterFinished"),
        termination_grace_period_seconds=number(section, "terminationGracePeriodSeconds"),
        restart_policy=text(section, "restartPolicy"),
    )
