"""`lifecycle`: how long the job may run, how often it may fail, what is left of it."""

from __future__ import annotations

from typing import Literal

from trainc.source.node import Mapping, Sequence, plain
from trainc.spec.section import Section, choice, flag, inside, mapping, number, text

CleanPodPolicy = Literal["None", "All", "Running", "Unfinished"]


class ExitCodes(Section):
    """Codes of the training container; retryable is `signals`, codes, or None when not given."""

    fatal: tuple[int, ...]
    retryable: tuple[int, ...] | Literal["signals"] | None


class Lifecycle(Section):
    """Times in seconds; None where the user said nothing."""

    active_deadline_seconds: int | None
    backoff_limit: int | None
    backoff_limit_per_index: int | None
    ttl_seconds_after_finished: int | None
    clean_pod_policy: CleanPodPolicy | None
    termination_grace_period_seconds: int | None
    restart_policy: str | None
    success_policy: str | None
    stop_when_done: bool
    exit_codes: ExitCodes | None


def read_lifecycle(node: Mapping) -> Lifecycle:
    """The section, empty when the job has none."""
    section = inside(node, "lifecycle")
    return Lifecycle(
        node=section,
        active_deadline_seconds=number(section, "activeDeadlineSeconds"),
        backoff_limit=number(section, "backoffLimit"),
        backoff_limit_per_index=number(section, "backoffLimitPerIndex"),
        ttl_seconds_after_finished=number(section, "ttlSecondsAfterFinished"),
        clean_pod_policy=choice(section, "cleanPodPolicy"),
        termination_grace_period_seconds=number(section, "terminationGracePeriodSeconds"),
        restart_policy=text(section, "restartPolicy"),
        success_policy=text(section, "successPolicy"),
        stop_when_done=flag(section, "stopWhenDone") is not False,
        exit_codes=_exit_codes(mapping(section, "exitCodes")),
    )


def _exit_codes(node: Mapping | None) -> ExitCodes | None:
    if node is None:
        return None
    codes = {name: tuple(map(int, plain(value))) for name, value in node.items() if isinstance(value, Sequence)}
    retryable = choice(node, "retryable") or codes.get("retryable")
    return ExitCodes(node=node, fatal=codes.get("fatal", ()), retryable=retryable)
