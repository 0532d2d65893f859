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


@pytest.mark.parametrize(
    ("kind", "version", "has_help"),
    [
        ("RayCluster", "ray.io/v1", True),
        ("RayService", "ray.io/v1alpha1", True),
        ("RayCluster", "example.com/v1", False),
    ],
)
def test_kinds_of_a_group_without_a_reader_have_its_help(kind: str, version: str, has_help: bool) -> None:
    [document], _ = load(Source("job.yaml", f"apiVersion: {version}\nkind: {kind}\n"))
    diagnostics = read(document)
    assert isinstance(diagnostics, list)
    assert ("launch.ray" in (diagnostics[0].help or "")) is has_help


# First fields of files, from the documentation of their tools.
FORMATS = {
    "SkyPilot": "resources: {accelerators: A100:8}\nsetup: pip install torch\nrun: |\n  torchrun a.py\n",
    "Docker Compose": "services: {train: {image: a}}\n",
    "Ray": "cluster_name: a\nprovider: {type: aws}\n",
    "GitHub": "name: CI\non: [push]\njobs: {test: {runs-on: ubuntu-latest}}\n",
    "GitLab": "stages: [test]\ntest: {script: [make]}\n",
    "Helm": "apiVersion: v2\nname: a\nversion: 0.1.0\n",
    "values": "replicaCount: 1\nimage: {repository: a}\n",
    "Kubeflow": "pipelineInfo: {name: a}\nroot: {dag: {}}\nschemaVersion: 2.1.0\n",
    "dstack": "type: task\ncommands: [python a.py]\n",
    "Azure": "command: python a.py\ncompute: azureml:gpus\n",
    "Determined": "entrypoint: python a.py\nsearcher: {name: single}\n",
    "accelerate": "compute_environment: LOCAL_MACHINE\nnum_machines: 2\n",
    "DeepSpeed": '{"train_batch_size": 8, "zero_optimization": {"stage": 3}}',
    "kustomization": "resources: [a.yaml]\nnamePrefix: a-\n",
}


def test_fields_of_a_job_without_its_envelope_are_recognized() -> None:
    [document], _ = load(Source("job.yaml", "image: a:1\nlaunch: {torchrun: {}}\nrun: {python: [a.py]}\n"))
    [diagnostic] = diagnostics if isinstance(diagnostics := read(document), list) else []
    assert diagnostic.help == (
        "write these fields in `spec`, below `apiVersion: trainc.dev/v1alpha1`, `kind: TrainingJob` and `metadata`"
    )


@pytest.mark.parametrize("tool", FORMATS)
def test_the_file_of_another_tool_is_described(tool: str) -> None:
    [document], _ = load(Source("job.yaml", FORMATS[tool]))
    diagnostics = read(document)
    assert isinstance(diagnostics, list)
    [diagnostic] = diagnostics
    assert tool in diagnostic.message
    assert diagnostic.help
    assert diagnostic.expected == "kind: TrainingJob"  # so that it is skipped in directories


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n",
        "image: a:1\nlaunch: {torchrun: {}}\nrun: {python: [a.py]}\nresources: {gpu: 1}\n",
        "kind: Chart\napiVersion: v2\nname: a\nversion: 0.1.0\n",
        "spec: {}\nservices: {}\n",
    ],
)
def test_no_other_file_is_described(text: str) -> None:
    [document], _ = load(Source("job.yaml", text))
    diagnostics = read(document)
    assert isinstance(diagnostics, list)
    assert not any("the file is" in each.message for each in diagnostics)
