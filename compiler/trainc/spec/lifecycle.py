"""`elastic`, `lifecycle` and `mode`: number of workers, limits and state of a run."""

from __future__ import annotations

from trainc.source.node import Entry, Mapping
from trainc.spec.section import Section, field, inside, mapping, numbers, only_key, text
from trainc.typenames import Any, Literal, Self

CleanPodPolicy = Literal["None", "All", "Running", "Unfinished"]
ModeName = Literal["run", "debug", "paused"]
# Modes by the key of their options.
MODES: dict[str, ModeName] = {"run": "run", "debug": "debug", "paused": "paused", "resumed": "run"}
# Fields of a spec that `mode.resumed` replaces, and those of `scheduling`.
REPLACED, PLACED = ("run", "resources"), ("nodeSelector", "affinity", "tolerations")


class Elastic(Section):
    """Bounds in workers; metrics and behavior in the form of autoscaling/v2."""

    min_replicas: int = 1
    max_replicas: int = 1
    metrics: list[dict[str, Any]] | None
    behavior: dict[str, Any] | None


def _retryable(node: Mapping, name: str) -> Any:
    return text(node, name) or (numbers(node, name) if name in node.entries else None)


class ExitCodes(Section):
    """Exit codes of the training container; `signals` stands for all codes above 128."""

    fatal: tuple[int, ...] = field(numbers)
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


class Mode(Section):
    """Mode with its options; a resumed job runs, and the options of a paused job take effect when it resumes.

    With `is_deferred` a job that runs has them for the time after a later pause.
    """

    name: ModeName = "run"
    command: tuple[str, ...]
    skip_init_containers: bool = False
    is_deferred: bool = False

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Self:
        """Read the name of a mode, or a mode with options."""
        section = mapping(node, name)
        if section is None:
            return cls.read(Mapping({}, node.span), name=text(node, name) or "run")
        key = only_key(section)
        return cls.read(inside(section, key), name=MODES[key], is_deferred=key == "run")


def has_changes(node: Mapping) -> bool:
    """Return whether a spec lists what changes when the paused job resumes."""
    return not inside(node, "mode").entries.keys().isdisjoint(("paused", "resumed"))


def resume(node: Mapping) -> Mapping | None:
    """Return a spec with the changes of its `mode.resumed`, or None for a job that isn't resumed."""
    changes = mapping(inside(node, "mode"), "resumed")
    if changes is None:
        return None
    entries = {**node.entries, **{name: changes.entries[name] for name in REPLACED if name in changes.entries}}
    placed = {name: changes.entries[name] for name in PLACED if name in changes.entries}
    if placed:
        section = inside(node, "scheduling")
        key = entries["scheduling"].key if "scheduling" in entries else next(iter(placed.values())).key
        entries["scheduling"] = Entry(key, Mapping({**section.entries, **placed}, section.span))
    return Mapping(entries, node.span)
