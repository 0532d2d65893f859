"""What `compile` emits passes `check`, whatever is in the fields that go unchanged into the pods."""

from __future__ import annotations

import pytest

from tests.support.api_verdicts import REJECTED
from tests.support.raw_jobs import RawJobs
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.text import render
from trainc.driver import check_inputs, manifests, run
from trainc.emit.manifest import to_yaml
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.target import Target

BACKENDS = ("job", "statefulset", "pods", "pytorchjob", "jobset", "trainjob", "vcjob")
JUDGED = {"TC4086", *REJECTED}
HEAD = 5  # lines of a random job above its spec


def errors_of(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return [each for each in diagnostics if each.severity == "error"]


def errors_of_output(text: str) -> list[Diagnostic]:
    return errors_of(check_inputs(read_sources([Source("manifests.yaml", text)]), Target()).diagnostics)


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(21))
def test_check_agrees_with_the_check_of_what_is_emitted(seed: int) -> None:
    """An accepted job's objects are accepted, too, and an error about a job's objects is one about its output."""
    target = Target(backend=BACKENDS[seed % len(BACKENDS)])
    for number in range(10):
        job = RawJobs(1000 * seed + number).job()
        source = Source("job.yaml", job)
        outcome = run([source], target)
        errors = errors_of(outcome.diagnostics)
        if outcome.ok:
            output = to_yaml([manifest for each in outcome.jobs for manifest in each.manifests()])
            found = errors_of_output(output)
            assert not found, f"{job}\n{render(found)}"
        elif any(each.code.id in JUDGED for each in errors):
            (spec,) = read_sources([source])[0].specs
            found = errors_of_output(to_yaml(manifests(spec, target)))
            # Errors of other rules, such as unknown fields, hide those of the pods in the output.
            others = {each.code.id for each in errors} - JUDGED
            assert any(each.code.id in JUDGED or others for each in found), f"{job}\n{render(errors)}"
            assert all(each.span.line > HEAD for each in errors), f"{job}\n{render(errors)}"
