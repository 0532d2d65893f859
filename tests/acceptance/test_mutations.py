"""Examples with a field changed: a wrong type is reported at that field, and accepted jobs give valid manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trainc
from tests.acceptance.test_kubeconform import CUSTOM_KINDS
from tests.support.build import ANY_LAUNCHER_BACKENDS
from tests.support.examples import accepted
from tests.support.kubeconform import require_kubeconform, validate
from tests.support.mutants import (
    VALUES,
    example_fields,
    examples,
    field_lines,
    is_valid,
    job_json,
    mutate_example,
    with_donor_value,
    without,
)
from tests.support.trees import field_paths
from trainc.diagnostics.text import render
from trainc.systems.registry import NAMES
from trainc.target import DEFAULT


@pytest.mark.sample(20)
@pytest.mark.parametrize("field", example_fields())
def test_a_wrong_type_is_reported_once_and_at_its_field(field: str) -> None:
    example, path = example_fields()[field]
    mutants = [(value, mutate_example(example, path, value)) for value in VALUES]
    invalid = [(value, job_json(job)) for value, job in mutants if not is_valid(job)]
    assert invalid or field == "spec.env.[]"
    for value, text in invalid:
        result = trainc.compile(text)
        assert not result.manifests
        errors = [diagnostic for diagnostic in result.diagnostics if diagnostic.severity == "error"]
        details = f"{field}: {value!r}\n{render(errors)}"
        assert {error.code.id[:3] for error in errors} == {"TC2"}, details
        assert all(error.span.line in field_lines(text, path) for error in errors), details
        # A mapping may have an unknown key and lack a required one.
        assert len(errors) == 1 or isinstance(value, dict), details


@st.composite
def _mutants(draw: st.DrawFn, backend: str) -> Any:
    """Draw an example of a back end with one to three fields removed or replaced by values of other examples."""
    job = draw(st.sampled_from([job for name, job in examples() if accepted(name, backend)]))
    for _ in range(draw(st.integers(1, 3))):
        donor = draw(st.sampled_from(examples()))[1]
        paths = [path for path in field_paths(donor) if len(path) > 1 and not isinstance(path[-1], int)]
        path = draw(st.sampled_from(paths))
        job = without(job, path) if draw(st.booleans()) else with_donor_value(job, path, donor)
    return job


@pytest.mark.slow
@pytest.mark.parametrize("backend", NAMES)
def test_accepted_jobs_have_valid_manifests(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    require_kubeconform(request.config)
    texts = set()

    @settings(max_examples=400, suppress_health_check=list(HealthCheck), deadline=None)
    @given(_mutants(backend))
    def collect(job: Any) -> None:
        result = trainc.compile(job_json(job), backend=backend)
        if result.ok:
            texts.add(result.to_yaml())

    collect()
    assert len(texts) > (100 if backend in ANY_LAUNCHER_BACKENDS else 15)  # few examples use its launcher
    files = [tmp_path / f"{number}.yaml" for number in range(len(texts))]
    for file, manifests in zip(files, sorted(texts), strict=True):
        file.write_text(manifests, encoding="utf-8")
    assert validate(files, f"1.{DEFAULT}", CUSTOM_KINDS) == []
