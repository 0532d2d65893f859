"""Manifests of healthy jobs pass `check`, on every back end whose objects the API server judges."""

from __future__ import annotations

import pytest
import yaml

from tests.support.examples import NEIGHBOR
from tests.support.healthy_jobs import HealthyJobs, Job, launch_paths, patched_fields, spec_paths
from tests.support.healthy_values import UNPATCHED
from trainc.diagnostics.text import render
from trainc.driver import check_inputs, run
from trainc.emit.manifest import to_yaml
from trainc.frontend import read_sources
from trainc.schema.documents import JOB, PATCH, document
from trainc.span import Source
from trainc.target import Target

BACKENDS = ("job", "statefulset", "pods", "pytorchjob", "jobset", "trainjob", "mpijob")
IDLE = ("TC1010", "TC2001")  # no job in the output: a paused job of back end `pods` has only Services
LAUNCHERS = tuple(document(JOB)["definitions"]["Launch"]["properties"])


def source(job: Job) -> Source:
    return Source(NEIGHBOR, yaml.safe_dump(job, sort_keys=False))


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_manifests_of_a_healthy_job_pass_check(backend: str, seed: int) -> None:
    target = Target(backend=backend, minor=36, states_version=True)

    def errors_of(job: Job) -> list[str]:
        return [each.code.id for each in run([source(job)], target).diagnostics if each.severity == "error"]

    for number in range(10):
        job = HealthyJobs(100 * seed + number, errors_of).job()
        output = to_yaml([manifest for each in run([source(job)], target).jobs for manifest in each.manifests()])
        diagnostics = check_inputs(read_sources([Source("manifests.yaml", output)]), Target()).diagnostics
        errors = [each for each in diagnostics if each.severity == "error" and each.code.id not in IDLE]
        assert not errors, f"{source(job).text}\n{render(errors)}"


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_every_field_of_the_schema_has_healthy_values(launcher: str) -> None:
    """A new field without a value fails here: add one to healthy_values.py."""
    jobs = HealthyJobs(1, lambda job: [])
    for path in (*spec_paths(), *launch_paths(launcher)):
        for _ in range(30):
            jobs.value_at(path)


@pytest.mark.parametrize("type_", ["PodSpec", "Container"])
def test_every_field_of_the_pod_template_has_healthy_values_or_a_reason_for_none(type_: str) -> None:
    fields = set(document(PATCH)["definitions"][type_]["properties"])
    unpatched = {name for names in UNPATCHED.values() for name in names}
    assert fields - unpatched <= set(patched_fields(type_))
