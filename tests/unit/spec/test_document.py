"""Documents that are not TrainingJobs."""

from __future__ import annotations

import pytest

from trainc.source.load import load
from trainc.span import Source
from trainc.spec.document import read


@pytest.mark.parametrize(("kind", "listed"), [("MPIJob", True), ("RayJob", True), ("CronJob", False), ("Pod", False)])
def test_the_help_for_an_unsupported_job_lists_the_supported_kinds(kind: str, listed: bool) -> None:
    [document], _ = load(Source("job.yaml", f"apiVersion: x/v1\nkind: {kind}\n"))
    diagnostics = read(document)
    assert isinstance(diagnostics, list)
    assert ("PyTorchJob" in (diagnostics[0].help or "")) is listed
