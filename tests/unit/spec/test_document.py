"""Documents that are not TrainingJobs."""

from __future__ import annotations

import pytest

from trainc.source.load import load
from trainc.span import Source
from trainc.spec.document import read


@pytest.mark.parametrize(("kind", "listed"), [("TFJob", True), ("CronJob", False), ("Pod", False)])
def test_the_help_for_an_unsupported_job_lists_the_supported_kinds(kind: str, listed: bool) -> None:
    [document], _ = load(Source("job.yaml", f"apiVersion: x/v1\nkind: {kind}\n"))
    diagnostics = read(document)
    assert isinstance(diagnostics, list)
    assert ("PyTorchJob" in (diagnostics[0].help or "")) is listed


@pytest.mark.parametrize(
    ("kind", "version", "message", "help_"),
    [
        ("RayJob", "ray.io/v1", "a Ray cluster", "launch.torchrun"),
        ("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", "never complete", "--backend job"),
        ("GenericJob", "batch.tensorstack.dev/v1beta1", "success rules", "lifecycle.successPolicy: Leader"),
        ("LpJob", "tartrl.cn/v1alpha1", "a `tlaunchrun` command", "trainc import tlaunchrun -- "),
    ],
)
def test_a_kind_without_a_reader_is_described(kind: str, version: str, message: str, help_: str) -> None:
    [document], _ = load(Source("job.yaml", f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n"))
    diagnostics = read(document)
    assert isinstance(diagnostics, list)
    assert f"`kind` is `{kind}`, which trainc does not compile: " in diagnostics[0].message
    assert message in diagnostics[0].message
    assert help_ in (diagnostics[0].help or "")
