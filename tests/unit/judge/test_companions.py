"""Services, autoscalers and claims beside a job are judged as by the API server."""

from __future__ import annotations

import pytest
import yaml

from tests.support.api_verdicts import BASES, Object, steps_of
from tests.support.api_verdicts import SERVICE as PEERS
from tests.support.companion_verdicts import ROWS
from tests.unit.judge.test_emitted import JOB
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import check_inputs, run
from trainc.frontend import read_sources
from trainc.judge.position import span_at
from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Source
from trainc.target import Target


def _assert_error_at(source: Source, diagnostics: list[Diagnostic], field: str) -> None:
    """Require one error in the last document of a source, at a field; none if it is empty."""
    document = load(source)[0][-1]
    assert isinstance(document, Mapping)
    errors = [(each.span.line, each.message) for each in diagnostics if each.severity == "error"]
    assert [line for line, _ in errors] == ([span_at(document, steps_of(field)).line] if field else []), errors


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]['kind']}-{row[1]}")
def test_an_object_in_a_job_file_is_judged(row: tuple[Object, str]) -> None:
    manifest, field = row
    source = Source("job.yaml", yaml.safe_dump_all([JOB, manifest], sort_keys=False))
    _assert_error_at(source, run([source], Target()).diagnostics, field)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]['kind']}-{row[1]}")
def test_an_object_beside_another_systems_job_is_judged(row: tuple[Object, str]) -> None:
    manifest, field = row
    source = Source("job.yaml", yaml.safe_dump_all([BASES["Job"], PEERS, manifest], sort_keys=False))
    _assert_error_at(source, check_inputs(read_sources([source]), Target()).diagnostics, field)
