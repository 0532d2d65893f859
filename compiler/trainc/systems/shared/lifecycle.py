"""What follows when a pod fails: records of the module `lifecycle` of a system, and failure cases that systems share.

The plan and the status of a job put these facts into words, the controllers of a rehearsal act by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from trainc.plan.failures import FailureCase, duration
from trainc.plan.fields import Object, number, text
from trainc.record import Record

# What happens to the failed container or pod, to the pods of its group, or to those of the whole job.
Effect = Literal["restarted", "replaced", "stays", "worker fails", "group restarts", "job restarts", "job fails"]
Counted = Literal["failed pods", "container restarts", "restarts", "restarts of all workers", "failed attempts"]
CONTINUE = "running pods continue"
CLEAN_UP = {"Running": "running pods are deleted", "All": "all pods are deleted, with their logs"}


class PodFailure(Record):
    """Failure of a pod: exit codes of terminated containers by name, and conditions as pairs of type and status."""

    exits: tuple[tuple[str, int], ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()

    def code(self, container: str) -> int | None:
        """Return the exit code of a container; None if it didn't terminate."""
        return dict(self.exits).get(container)


class Reaction(Record):
    """Effect of a failure; `counts` is whether the failure counts against the limit of retries."""

    effect: Effect
    counts: bool = True


class Retries(Record):
    """Limit of retries, and how many are used. With `per_worker` both are per worker, `used` of the worst one.

    At `fatal` of what is `counted` the job fails.
    """

    limit: int
    used: int = 0
    fatal: int
    counted: Counted
    per_worker: bool = False

    def left(self, used: int | None = None) -> int:
        """Return how many more failures the job survives; `used` are those of one worker, by default of all workers."""
        return max(0, self.fatal - 1 - (self.used if used is None else used))


def restart_effect(limit: Retries | None, failure: str) -> str:
    """Describe restarts of containers up to a limit, which counts those of all running pods together."""
    backoff = "with a backoff of up to 5 min"
    if limit is None:
        return f"its container is restarted without limit, {backoff}"
    if limit.fatal == 1:
        return f"its container is restarted, and {failure}"
    return (
        f"its container is restarted, {backoff}; after {limit.fatal} restarts of all running pods together, {failure}"
    )


def managed_case(policy: Object, own: str, operator: str) -> Iterator[FailureCase]:
    """Yield what follows if a policy leaves an object to another controller than its operator, whose name is `own`."""
    manager = text(policy, "managedBy")
    if manager not in ("", own):
        yield FailureCase("the job is applied", f"{operator} ignores it: it is managed by {manager}")


def end_cases(kind: str, policy: Object, overdue: str) -> Iterator[FailureCase]:
    """Yield what follows the deadline, with the effect `overdue`, and the end of an object of this kind."""
    deadline, ttl = number(policy, "activeDeadlineSeconds"), number(policy, "ttlSecondsAfterFinished")
    if deadline is not None:
        yield FailureCase(f"the job has run for {duration(deadline)}", overdue)
    if ttl is None:
        yield FailureCase("the job has finished", f"the {kind} and its finished pods remain until they are deleted")
    else:
        trigger = "the job has finished" if ttl == 0 else f"{duration(ttl)} after the job has finished"
        yield FailureCase(trigger, f"the {kind}, its pods and their logs are deleted")
