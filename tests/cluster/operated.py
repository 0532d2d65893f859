"""Jobs applied together, each in its own namespace, and what their operators create."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from tests.cluster import deletion
from tests.cluster.api import MERGE, Api, ApiError, Object
from tests.cluster.cluster import Cluster, unique_namespace, wait
from tests.cluster.created import comparable, created_objects, difference, without_gang
from tests.cluster.operators import OPERATOR_OF_SYSTEM, OPERATORS
from tests.cluster.operators.session import Operators
from tests.cluster.planned import planned_objects, suspends_its_pods
from trainc.plan.models import native_objects

SECONDS = 60  # until an operator has created all objects of a job
KNOWN_SECONDS = 5  # until its webhook knows an object that was applied before


class OperatedJob(NamedTuple):
    """Job of a system with a name of its own; `objects` are its manifests in a namespace."""

    name: str
    system: str
    objects: Callable[[str], list[Object]]

    @property
    def operator(self) -> tuple[str, ...]:
        """Name of its operator and its options: with a gang scheduler it groups the pods of all jobs."""
        name = OPERATOR_OF_SYSTEM.get(self.system)
        if name is None:
            return ()
        is_gang = any(
            each["kind"] == "PodGroup" and "createdBy" in each for each in native_objects(self.objects("any"))
        )
        return (name, OPERATORS[name].gang) if is_gang and OPERATORS[name].gang else (name,)


class AppliedJobs:
    """Jobs of one operator, each in its own namespace, applied together."""

    def __init__(self, cluster: Cluster, operators: Operators, seconds: float = SECONDS) -> None:
        self.cluster, self.operators, self.seconds = cluster, operators, seconds
        self.scratch = unique_namespace("scratch")
        self.is_gang = False
        self.namespaces: dict[str, str] = {}  # these by names of jobs
        self.rejections: dict[str, str] = {}
        self.planned: dict[str, dict[str, Object]] = {}
        self.created: dict[str, list[Object]] = {}  # by namespace
        cluster.create_namespaces(self.scratch)

    def apply(self, jobs: list[OperatedJob], operator: tuple[str, ...]) -> None:
        """Apply jobs of an operator and wait for all that is planned, in place of the jobs before."""
        self.delete()
        if operator:
            self.operators.start(*operator)
        self.is_gang = len(operator) > 1
        prefix = unique_namespace("operated")
        self.namespaces = {each.name: f"{prefix}-{number}" for number, each in enumerate(jobs)}
        self.cluster.create_namespaces(*self.namespaces.values())
        for each in jobs:
            with suppress(AssertionError):
                self._apply(each)
        for each in jobs:
            if each.name not in self.rejections:
                self._wait_for_planned(each)
        self.created = {namespace: [] for namespace in self.namespaces.values()}
        for created in created_objects(self.cluster.api):
            self.created.setdefault(created["metadata"]["namespace"], []).append(created)

    def difference(self, job: OperatedJob) -> str:
        """Return the fields in which the created objects differ from the planned ones, or why the API rejects it."""
        if job.name in self.rejections:
            return f"rejected: {self.rejections[job.name]}"
        namespace, planned = self.namespaces[job.name], self.planned[job.name]
        actual = comparable(self.created[namespace])
        if suspends_its_pods(job.objects(namespace)):  # the plan shows the resumed job
            others = {name for name in planned if not name.startswith("Pod/")}
            return "\n".join(sorted(actual.keys() - others))
        if self.is_gang:
            planned, actual = without_gang(planned), without_gang(actual)
        return difference(planned, actual)

    def delete(self) -> None:
        """Delete the jobs."""
        deletion.delete(self.cluster.api, *self.namespaces.values())
        self.cluster.delete_namespaces(*self.namespaces.values())
        self.namespaces, self.rejections, self.planned = {}, {}, {}

    def _apply(self, job: OperatedJob) -> None:
        for manifest in job.objects(self.namespaces[job.name]):
            # a webhook that reads another object may not know it yet: Trainer's rejects a TrainJob until then
            try:
                wait(job.name, partial(self.cluster.api.apply, manifest), KNOWN_SECONDS)
            except AssertionError as rejection:
                self.rejections[job.name] = str(rejection)
                raise

    def _wait_for_planned(self, job: OperatedJob) -> None:
        api, namespace = self.cluster.api, self.namespaces[job.name]
        manifests = job.objects(namespace)
        if self.is_gang and not suspends_its_pods(manifests):
            admit_group(api, namespace)
        try:
            planned = self.planned[job.name] = planned_objects(api, manifests, namespace, self.scratch)
        except ApiError as rejection:
            self.rejections[job.name] = f"planned objects: {rejection}"
            return
        if not suspends_its_pods(manifests):
            with suppress(AssertionError):  # the comparison shows more
                wait("objects", lambda: are_created(api, namespace, planned), self.seconds)


def admit_group(api: Api, namespace: str) -> None:
    """Stand in for Volcano, before which the operator creates no pods."""
    group = wait("PodGroup", lambda: next(iter(created_objects(api, namespace, {"PodGroup"})), None))
    api.call("PATCH", api.path(group), {"status": {"phase": "Inqueue"}}, MERGE)


def are_created(api: Api, namespace: str, planned: dict[str, Object]) -> bool:
    """Return whether all objects exist. If not, make the pods ready: the MPI operator's launcher waits for workers."""
    created = created_objects(api, namespace, {"Pod", *(each["kind"] for each in planned.values())})
    if comparable(created).keys() >= planned.keys():
        return True
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    for pod in created:
        if pod["kind"] == "Pod" and pod["status"].get("phase") == "Pending":
            api.patch("Pod", namespace, pod["metadata"]["name"], {"status": status}, "status")
    return False
