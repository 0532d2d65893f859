"""Requests of a job against the quota of its queue and of its namespace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from trainc.cluster.entry import Entry
from trainc.compiled import Compiled
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.placement.demand import Demand
from trainc.placement.node import Amounts, read_amounts
from trainc.plan.fields import Object, items, mapping, text
from trainc.plan.quantity import format_bytes, format_count
from trainc.span import Span
from trainc.well_known import QUEUE_LABEL

_BYTES = ("memory", "ephemeral-storage", "storage")


def quota_problems(job: Compiled, objects: list[Object], wanted: list[Demand], entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error for a job beyond a quota, a warning if only what runs already leaves too little."""
    total = _total(wanted)
    namespaces = {text(each, "metadata", "namespace") for each in objects}
    for each in items(entry.spec, "namespaces"):
        if text(each, "name") in namespaces:
            limits = {_request(name): value for name, value in mapping(each, "quota").items()}
            used = {_request(name): value for name, value in mapping(each, "used").items()}
            what = f"the quota of namespace `{text(each, 'name')}`"
            yield from _compare(what, total, limits, used, wanted, job.job.origin)
    queue = _queue_name(objects)
    if queue and entry.states("queues"):
        yield from _queue_problems(job, queue, namespaces, total, wanted, entry)


def _queue_problems(
    job: Compiled, queue: str, namespaces: set[str], total: Amounts, wanted: list[Demand], entry: Entry
) -> Iterator[Diagnostic]:
    where = job.spec.scheduling.where("queue") if job.spec.scheduling.has("queue") else job.job.origin
    of_name = [each for each in items(entry.spec, "queues") if text(each, "name") == queue]
    queues = [each for each in of_name if text(each, "namespace") in ("", *namespaces)]
    if not queues:
        known = ", ".join(sorted({text(each, "name") for each in items(entry.spec, "queues")})) or "none"
        other = " in the job's namespace" if of_name else ""
        message = f"cluster `{entry.name}` has no queue `{queue}`{other}"
        help_ = f"set `namespace: {text(of_name[0], 'namespace')}`" if of_name else f"use one of its queues: {known}"
        yield error(codes.UNKNOWN_IN_CLUSTER, message, where, help=help_)
        return
    limits, used = mapping(queues[0], "quota"), mapping(queues[0], "used")
    yield from _compare(f"the quota of queue `{queue}`", total, limits, used, wanted, where)


def _total(wanted: list[Demand]) -> Amounts:
    total: Counter[str] = Counter()
    for demand in wanted:
        total["pods"] += demand.count
        for name, amount in demand.requests.items():
            total[name] += amount * demand.count
    return dict(total)


def _request(name: str) -> str:
    """Return the resource that a key of a ResourceQuota limits; limits and other objects aren't counted.

    https://kubernetes.io/docs/concepts/policy/resource-quotas/
    """
    return name.removeprefix("requests.")


def _compare(
    what: str, total: Amounts, limits: dict[str, str], used: dict[str, str], wanted: list[Demand], where: Span
) -> Iterator[Diagnostic]:
    allowed, taken = read_amounts(limits), read_amounts(used)
    for name in (each for each in allowed if each in total):
        if total[name] <= allowed[name] - taken.get(name, 0):
            continue
        asked = f"the job requests {_shown(name, total[name])}{_sum(name, wanted)}"
        if total[name] > allowed[name]:
            message = f"{what} is {_shown(name, allowed[name])}, but {asked}"
            yield error(codes.QUOTA_EXCEEDED, message, where, help="request less, or use another queue or namespace")
        else:
            free = _shown(name, allowed[name] - taken[name])
            message = (
                f"{what} has {free} left of {_shown(name, allowed[name])}, but {asked}: it waits until other jobs end"
            )
            yield warning(codes.QUOTA_EXCEEDED, message, where, help="wait, or request less")


def _sum(name: str, wanted: list[Demand]) -> str:
    """Return the arithmetic, such as ` (4 pods × 8)`."""
    if name == "pods":
        return ""
    parts = [(each.count, each.requests[name]) for each in wanted if each.requests.get(name)]
    terms = [f"{count} {'pod' if count == 1 else 'pods'} × {_number(name, amount)}" for count, amount in parts]
    return f" ({' + '.join(terms)})"


def _number(name: str, amount: int) -> str:
    if name == "cpu":
        return format_count(Fraction(amount, 1000))
    return format_bytes(Fraction(amount)) if name in _BYTES and amount else str(amount)


def _shown(name: str, amount: int) -> str:
    return f"{_number(name, amount)} {'CPUs' if name == 'cpu' else name}"


def _queue_name(objects: list[Object]) -> str:
    names = (text(each, "metadata", "labels", QUEUE_LABEL) for each in objects)
    return next(filter(None, names), "")
