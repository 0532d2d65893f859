"""Workers of a job: those of its plan, each with its live pod and the pods that it had before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainc.plan.expand import is_resolved
from trainc.plan.fields import mapping
from trainc.plan.plan import Plan
from trainc.plan.world import Worker
from trainc.record import Record
from trainc.status.pod_problems import LOST, Problem
from trainc.status.pod_state import Phase, PodState
from trainc.systems.shared.status import WorkerRecord


class WorkerStatus(Record):
    """Worker: its part of the plan, its current pod, and the earlier ones, the oldest first.

    `former` are the ends of pods that no longer exist. `is_expected` is whether the job should have it now: it is not
    one that only a scale-up creates. `ranks` are the first and the last of its processes, None if the objects don't
    tell. `record` is what the job's controller notes about it.
    """

    name: str
    planned: Worker | None
    pod: PodState | None
    earlier: tuple[PodState, ...] = ()
    former: tuple[Problem, ...] = ()
    is_expected: bool = True
    ranks: tuple[int, int] | None = None
    problem: Problem | None = None
    record: WorkerRecord = WorkerRecord()

    @property
    def pods(self) -> tuple[PodState, ...]:
        """Its pods, the current one last."""
        return (*self.earlier, *([self.pod] if self.pod else []))

    @property
    def runs(self) -> bool:
        """Return whether its programs run, are not being terminated, and their node reports."""
        is_lost = self.problem is not None and self.problem.code == LOST
        return self.pod is not None and self.pod.runs and self.pod.deleting is None and not is_lost

    @property
    def has_run(self) -> bool:
        """Return whether its programs have run before, as far as the objects tell."""
        has_ended = any(each.restarts or each.has_ended or each.runs for each in self.pods)
        return has_ended or bool(self.former) or self.record.was_replaced

    @property
    def phase(self) -> Phase:
        """Phase of its pod; without one `Deleted` after the end of the job or in a pause, else `Creating`."""
        gone = self.problem is not None and self.problem.code in ("deleted", "paused")
        return self.pod.phase if self.pod else "Deleted" if gone else "Creating"

    @property
    def last_failure(self) -> PodState | None:
        """The last of its pods that failed."""
        return next((each for each in reversed(self.pods) if each.phase == "Failed"), None)


def match_workers(plan: Plan, pods: Iterable[PodState]) -> list[WorkerStatus]:
    """Return the workers of the plan in its order, then the pods that it doesn't have.

    A pod belongs to the worker with its name or its hostname. Pods without an identity, those of a Job that isn't
    indexed or of a RayCluster, are assigned in the order of their creation, to workers with the same labels if there
    are any.
    """
    left = _by_identity(pods)
    workers = []
    for planned in plan.workers:
        own = left.pop(planned.pod.hostname, None) or left.pop(planned.pod.name, None) or []
        workers.append(_worker(planned.pod.hostname, own, planned))
    rest = sorted((group[-1] for group in left.values()), key=_order)
    anonymous = [place for place, each in enumerate(workers) if each.pod is None and not is_resolved(each.name)]
    for places, own in _by_labels(workers, anonymous, rest):
        for place, group in zip(places, _shares(own, len(places)), strict=True):
            workers[place] = _worker(group[-1].name if group else workers[place].name, group, workers[place].planned)
    if anonymous:
        return workers
    return [*workers, *(_worker(identity, group, None) for identity, group in left.items())]


def match_launcher(plan: Plan, pods: Sequence[PodState], workers: Sequence[WorkerStatus]) -> list[WorkerStatus]:
    """Return the launcher pod, of which the newest is current. It may be created only when all workers run."""
    planned = [each.pod.hostname for each in plan.servers if each.pod.is_launcher]
    if pods or planned:
        name = pods[-1].name if pods else planned[0]
        is_expected = bool(pods) or all(each.runs for each in workers)
        launcher = _worker(name, pods, None).replace(is_expected=is_expected, record=WorkerRecord(role="launcher"))
        return [launcher]
    return []


def _by_identity(pods: Iterable[PodState]) -> dict[str, list[PodState]]:
    """Group the pods that have the same hostname, the current one last."""
    groups: dict[str, list[PodState]] = {}
    for pod in sorted(pods, key=_order):
        groups.setdefault(pod.hostname, []).append(pod)
    return groups


def _by_labels(
    workers: Sequence[WorkerStatus], places: Sequence[int], pods: Sequence[PodState]
) -> Iterator[tuple[list[int], list[PodState]]]:
    """Yield the places of workers with the same labels, and the pods with these; the first get the pods of no place."""
    groups: dict[frozenset[tuple[str, str]], list[int]] = {}
    for place in places:
        planned = workers[place].planned
        labels = planned.pod.labels.items() if planned else ()
        groups.setdefault(frozenset(label for label in labels if is_resolved(label[1])), []).append(place)
    left, shares = list(pods), []
    for required, members in groups.items():
        shares.append(
            (members, [pod for pod in left if required <= mapping(pod.manifest, "metadata", "labels").items()])
        )
        left = [pod for pod in left if pod not in shares[-1][1]]
    for number, (members, own) in enumerate(shares):
        yield members, own if number else [*left, *own]


def _order(pod: PodState) -> tuple[bool, bool, float, str]:
    """Order pods: failed ones first, then by age."""
    created = pod.created.timestamp() if pod.created else 0.0
    return pod.phase != "Failed", pod.deleting is None, created, pod.name


def _shares(pods: list[PodState], count: int) -> list[list[PodState]]:
    """Share pods among workers: the last ones are current, earlier ones belong to the first worker."""
    if not count:
        return []
    surplus, current = pods[: max(0, len(pods) - count)], pods[max(0, len(pods) - count) :]
    shares = [[each] for each in current] + [[] for _ in range(count - len(current))]
    shares[0] = [*surplus, *shares[0]]
    return shares


def _worker(name: str, pods: Sequence[PodState], planned: Worker | None) -> WorkerStatus:
    pod = pods[-1] if pods else None
    return WorkerStatus(
        name=name,
        planned=planned,
        pod=pod,
        earlier=tuple(pods[:-1]),
        is_expected=planned is None or not planned.pod.on_scale_up,
        ranks=planned.ranks if planned else None,
        problem=pod.problem if pod else None,
    )
