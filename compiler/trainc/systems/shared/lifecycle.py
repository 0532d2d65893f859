"""Records by which the module `lifecycle` of a system says what follows when one of its pods fails.

The plan and the status of a job put these facts into words, the controllers of a rehearsal act by them.
"""

from __future__ import annotations

from typing import Literal

from trainc.record import Record

# What happens to the failed container or pod, to the pods of its group, or to those of the whole job.
Effect = Literal["restarted", "replaced", "stays", "worker fails", "group restarts", "job restarts", "job fails"]
Counted = Literal["failed pods", "container restarts", "restarts", "restarts of all workers", "failed attempts"]


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
