"""The work of `trainc import` grows with the number of jobs in a file, not with its square."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.calls import calls
from trainc.cli.commands.import_.import_report import by_job
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Source
from trainc.systems.shared.reader.tree import Account, count_values

JOB = "kind: A\nspec: {a: 1, b: [2, 3], c: {d: 4}}\n"


def jobs_with_diagnostics(count: int) -> tuple[list[Any], list[Diagnostic]]:
    documents, problems = load(Source("jobs.yaml", "---\n".join([JOB] * count)))
    assert not problems
    jobs = [document for document in documents if isinstance(document, Mapping)]
    dropped = [job.entries["spec"].value for job in jobs]
    return jobs, [
        warning(codes.IMPORT_DROPPED_FIELD, "dropped", spec.entries["c"].key.span)
        for spec in dropped
        if isinstance(spec, Mapping)
    ]


def count(jobs: list[Any], diagnostics: list[Diagnostic]) -> Account:
    return count_values(jobs, jobs, diagnostics)


@pytest.mark.parametrize("function", [by_job, count])
def test_four_times_the_jobs_take_four_times_the_calls(function: Callable[..., Any]) -> None:
    few, many = (calls(function, *jobs_with_diagnostics(count)) for count in (50, 200))
    assert 3 * few < many < 6 * few


def test_values_below_a_dropped_field_are_not_carried_over() -> None:
    assert count(*jobs_with_diagnostics(3)) == (12, 0, 3)


def test_diagnostics_belong_to_their_job() -> None:
    jobs, diagnostics = jobs_with_diagnostics(3)
    assert by_job(jobs, diagnostics) == {job: [diagnostic] for job, diagnostic in zip(jobs, diagnostics, strict=True)}
