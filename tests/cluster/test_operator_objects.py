"""Operators create of every golden what the plan's model of its system states, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tests.cluster import deletion
from tests.cluster.api import MERGE, Api, Object
from tests.cluster.cluster import Cluster, unique_namespace, wait
from tests.cluster.created import comparable, created_objects, difference, without_gang
from tests.cluster.goldens import GOLDENS, key, objects
from tests.cluster.operators import OPERATOR_OF_SYSTEM, OPERATORS
from tests.cluster.operators.session import Operators
from tests.cluster.planned import planned_objects, suspends_its_pods
from trainc.plan.models import native_objects


def start(golden: Path) -> tuple[str, ...]:
    """Return the name of a golden's operator and its options: with a gang scheduler it groups the pods of all jobs."""
    name = OPERATOR_OF_SYSTEM[golden.stem]
    is_gang = any(each["kind"] == "PodGroup" and "createdBy" in each for each in native_objects(objects(golden, "any")))
    return (name, OPERATORS[name].gang) if is_gang and OPERATORS[name].gang else (name,)


OPERATED: list[Path] = sorted((golden for golden in GOLDENS if golden.stem in OPERATOR_OF_SYSTEM), key=start)


class AppliedGoldens:
    """Goldens of one operator, each in its own namespace, applied together."""

    def __init__(self, cluster: Cluster, operators: Operators) -> None:
        self.cluster, self.operators = cluster, operators
        self.scratch = unique_namespace("scratch")
        self.started: tuple[str, ...] = ()
        self.namespaces: dict[Path, str] = {}
        self.planned: dict[Path, dict[str, Object]] = {}
        self.created: dict[str, list[Object]] = {}  # by namespace
        cluster.create_namespaces(self.scratch)

    def apply(self, golden: Path) -> None:
        """Apply a golden with all others of its operator and wait for all that is planned, unless that is done."""
        if self.started != start(golden):
            self.delete()
            self.started = start(golden)
            self.operators.start(*self.started)
            prefix = unique_namespace("operated")
            goldens = [each for each in OPERATED if start(each) == self.started]
            self.namespaces = {each: f"{prefix}-{number}" for number, each in enumerate(goldens)}
            self.cluster.create_namespaces(*self.namespaces.values())
            for each, namespace in self.namespaces.items():
                for manifest in objects(each, namespace):
                    # a webhook that reads another object may not know it yet: Trainer's rejects a TrainJob until then
                    wait(key(each), partial(self.cluster.api.apply, manifest))
            for each, namespace in self.namespaces.items():
                self.wait_for_planned(each, namespace)
            self.created = {namespace: [] for namespace in self.namespaces.values()}
            for created in created_objects(self.cluster.api):
                self.created.setdefault(created["metadata"]["namespace"], []).append(created)

    def wait_for_planned(self, golden: Path, namespace: str) -> None:
        api, manifests = self.cluster.api, objects(golden, namespace)
        if len(self.started) > 1:
            admit_group(api, namespace)
        planned = self.planned[golden] = planned_objects(api, manifests, namespace, self.scratch)
        if not suspends_its_pods(manifests):
            with suppress(AssertionError):  # the comparison shows more
                wait("objects", lambda: are_created(api, namespace, planned))

    def delete(self) -> None:
        deletion.delete(self.cluster.api, *self.namespaces.values())
        self.cluster.delete_namespaces(*self.namespaces.values())
        self.namespaces = {}


@pytest.fixture(scope="module")
def applied(cluster: Cluster, operators: Operators) -> Iterator[AppliedGoldens]:
    goldens = AppliedGoldens(cluster, operators)
    yield goldens
    goldens.delete()
    cluster.delete_namespaces(goldens.scratch)


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


@pytest.mark.parametrize("golden", OPERATED, ids=key)
def test_an_operator_creates_the_planned_objects(applied: AppliedGoldens, golden: Path) -> None:
    applied.apply(golden)
    namespace, planned = applied.namespaces[golden], applied.planned[golden]
    actual = comparable(applied.created[namespace])
    if suspends_its_pods(objects(golden, namespace)):  # the plan shows the resumed job
        assert actual.keys() <= {name for name in planned if not name.startswith("Pod/")}
        return
    if len(start(golden)) > 1:
        planned, actual = without_gang(planned), without_gang(actual)
    if differing := difference(planned, actual):
        pytest.fail(differing, pytrace=False)
