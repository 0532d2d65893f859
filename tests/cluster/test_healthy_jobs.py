"""Random healthy jobs: what `check` accepts the cluster accepts, and controllers create what the plan states."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from itertools import groupby

import pytest
import yaml

from tests.cluster.api import Object
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import _log
from tests.cluster.goldens import with_namespace
from tests.cluster.operated import AppliedJobs, OperatedJob
from tests.cluster.operators import OPERATOR_OF_SYSTEM
from tests.cluster.operators.session import Operators
from tests.support.examples import NEIGHBOR
from tests.support.healthy_jobs import HealthyJobs, Job
from trainc.driver import check_inputs, run
from trainc.emit.manifest import Manifest, to_yaml
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.target import Target

NATIVE = ("job", "pods", "statefulset")
COUNT, SEED = (int(os.environ.get(name, default)) for name, default in (("TRAINC_JOBS", "10"), ("TRAINC_SEED", "1")))
TOGETHER = 50  # jobs that are applied at once
SECONDS = 20
MINOR = 36  # Kubernetes 1.36, as the tests' cluster
IDLE = ("TC1010", "TC2001")  # no job in the output: a paused job of back end `pods` has only Services


class Generated:
    """Healthy jobs of a back end as its manifests, by name, with the errors of `check` about these."""

    def __init__(self, backend: str) -> None:
        self.target = Target(backend=backend, minor=MINOR, states_version=True)
        self.texts: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.fields, self.left_out = 0, 0
        for seed in range(COUNT):
            jobs = HealthyJobs(1000 * SEED + seed, self._errors_of)
            name = f"{backend} {1000 * SEED + seed}"
            self.texts[name] = self._text(jobs.job())
            self.fields += sum(jobs.added.values())
            self.left_out += sum(jobs.rejected.values())
        self.jobs = [OperatedJob(name, backend, partial(self._objects, name)) for name in self.texts]
        for name in self.texts:
            documents = to_yaml(self._manifests(name))
            diagnostics = check_inputs(read_sources([Source("manifests.yaml", documents)]), self.target).diagnostics
            errors = [each for each in diagnostics if each.severity == "error" and each.code.id not in IDLE]
            if errors:
                self.errors[name] = f"check of the manifests: {[each.message for each in errors]}"

    def _errors_of(self, job: Job) -> list[str]:
        diagnostics = run([self._source(self._text(job))], self.target).diagnostics
        return [each.code.id for each in diagnostics if each.severity == "error"]

    def _objects(self, name: str, namespace: str) -> list[Object]:
        return with_namespace(list(yaml.safe_load_all(to_yaml(self._manifests(name)))), namespace)

    def _manifests(self, name: str) -> list[Manifest]:
        (job,) = run([self._source(self.texts[name])], self.target).jobs
        return job.manifests()

    def _source(self, text: str) -> Source:
        return Source(NEIGHBOR, text)

    def _text(self, job: Job) -> str:
        text: str = yaml.safe_dump(job, sort_keys=False)
        return text


@pytest.fixture(scope="module")
def applied(cluster: Cluster, operators: Operators) -> Iterator[AppliedJobs]:
    jobs = AppliedJobs(cluster, operators, SECONDS)
    yield jobs
    jobs.delete()
    cluster.delete_namespaces(jobs.scratch)


@pytest.mark.parametrize("backend", [*OPERATOR_OF_SYSTEM, *NATIVE])
def test_controllers_create_what_the_plan_states(
    applied: AppliedJobs, pytestconfig: pytest.Config, backend: str
) -> None:
    generated = Generated(backend)
    rejected: dict[str, str] = {}
    different: dict[str, str] = {}
    for operator, group in groupby(sorted(generated.jobs, key=_operator), _operator):
        several = list(group)
        for jobs in (several[first : first + TOGETHER] for first in range(0, len(several), TOGETHER)):
            applied.apply(jobs, operator)
            rejected |= applied.rejections
            different |= {job.name: text for job in jobs if (text := applied.difference(job))}
    equal = COUNT - len(different)
    share = f"{generated.fields} fields, and {generated.left_out} left out that check rejects"
    figures = f"{COUNT - len(generated.errors)} accepted by check of the manifests, {COUNT - len(rejected)} by the API"
    _log(pytestconfig, f"{backend}: {COUNT} jobs (seed {SEED}) with {share}: {figures}, {equal} equal to the plan")
    problems = {
        name: f"{generated.errors.get(name, '')}\n{different.get(name, '')}" for name in generated.errors | different
    }
    assert not problems, "\n".join(f"{name}\n{generated.texts[name]}\n{text}" for name, text in problems.items())


def _operator(job: OperatedJob) -> tuple[str, ...]:
    return job.operator
