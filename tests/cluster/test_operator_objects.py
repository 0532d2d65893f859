"""Operators create of every golden what the plan's model of its system states, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.goldens import GOLDENS, key, objects
from tests.cluster.operated import AppliedJobs, OperatedJob
from tests.cluster.operators import OPERATOR_OF_SYSTEM
from tests.cluster.operators.session import Operators

# JobSet's webhook admits the other pods of an exclusive job when worker 0 has a node, which no pod has here:
# test_jobset.py has a scheduler.
EXCLUSIVE = ("jax-multislice/jobset",)
UNKNOWN_KIND = "nvlink-domain"  # example with a ComputeDomain, whose definition no registry of Go modules serves
OPERATED: dict[str, OperatedJob] = {
    key(golden): OperatedJob(key(golden), golden.stem, partial(objects, golden))
    for golden in GOLDENS
    if golden.stem in OPERATOR_OF_SYSTEM and key(golden) not in EXCLUSIVE and golden.parent.name != UNKNOWN_KIND
}
GROUPS = {name: job.operator for name, job in OPERATED.items()}
BY_GROUP = [name for _, name in sorted((group, name) for name, group in GROUPS.items())]


@pytest.fixture(scope="module")
def applied(cluster: Cluster, operators: Operators) -> Iterator[AppliedJobs]:
    jobs = AppliedJobs(cluster, operators)
    yield jobs
    jobs.delete()
    cluster.delete_namespaces(jobs.scratch)


@pytest.mark.parametrize("name", BY_GROUP)
def test_an_operator_creates_the_planned_objects(applied: AppliedJobs, name: str) -> None:
    if name not in applied.namespaces:  # applied with all others of its operator
        applied.apply([job for each, job in OPERATED.items() if GROUPS[each] == GROUPS[name]], GROUPS[name])
    if differing := applied.difference(OPERATED[name]):
        pytest.fail(differing, pytrace=False)
