"""The API server agrees with `check` about trainc's own jobs with random values in fields of pods."""

from __future__ import annotations

import pytest

from tests.cluster.api import CREATED, Api
from tests.support.api_verdicts import REJECTED
from tests.support.raw_jobs import RawJobs
from trainc.driver import manifests, run
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.target import Target

JOBS = 400  # a second or two
FORBIDDEN = 403  # by admission: the cluster has no such PriorityClass or RuntimeClass


@pytest.mark.parametrize("backend", ["job", "statefulset", "pods"])
def test_the_api_server_agrees_with_the_check_of_random_jobs(api: Api, namespace: str, backend: str) -> None:
    target = Target(backend=backend)
    wrong = {}
    counts = {True: 0, False: 0}
    for seed in range(JOBS):
        source = Source("job.yaml", RawJobs(seed).job())
        outcome = run([source], target)
        codes = {each.code.id for each in outcome.diagnostics if each.severity == "error"}
        if codes - REJECTED:
            continue  # an error of a rule
        (spec,) = read_sources([source])[0].specs
        objects = [each.data() for each in manifests(spec, target)]
        messages = list(filter(None, (api.rejection(each, namespace, (CREATED, FORBIDDEN)) for each in objects)))
        counts[outcome.ok] += 1
        if outcome.ok == bool(messages):
            wrong[seed] = [*messages, *(each.message for each in outcome.diagnostics if each.code.id in REJECTED)]
    assert not wrong, "\n".join(f"{seed}: {messages}" for seed, messages in wrong.items())
    assert min(counts.values()) > JOBS / 20
