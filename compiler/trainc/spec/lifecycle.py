"""`lifecycle`: time limits, retries and clean-up."""

from __future__ import annotations

from typing import Any, Literal

from trainc.source.node import Mapping, plain
from trainc.spec.section import Section, field, sequence, text

CleanPodPolicy = Literal["None", "All", "Running", "Unfinished"]


def _codes(node: Mapping, name: str) -> tuple[int, ...]:
    return tuple(int(plain(item)) for item in sequence(node, name))


def _retryable(node: Mapping, name: str) -> Any:
    return text(node, name) or (_codes(node, name) if name in node.entries else None)


class ExitCodes(Section):
    """Exit codes of the training container; `signals` stands for all codes above 128."""

    fatal: tuple[int, ...] = field(_codes)
    retryable: tuple[int, ...] | Literal["signals"] | None = field(_retryable)


class Lifecycle(Section):
    """Times in seconds; None for a field that the file doesn't have."""

    active_deadline_seconds: int | None
    backoff_limit: int | None
    backoff_limit_per_index: int | None
    ttl_seconds_after_finished: int | None
    clean_pod_policy: CleanPodPolicy | None
    termination_grace_period_seconds: int | None
    restart_policy: str | None
    success_policy: str | None
    stop_when_done: bool = True
    exit_codes: ExitCodes | None
