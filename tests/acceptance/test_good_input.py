"""Every file of good/ is another spelling of good/plain.yaml and compiles to the same manifests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.build import ANY_LAUNCHER_BACKENDS
from tests.support.corpus import GOOD
from trainc import compile
from trainc.diagnostics.text import render

PLAIN = next(file for file in GOOD if file.stem == "plain")


@pytest.mark.sample(60)
@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.stem)
def test_another_spelling_of_a_job_compiles_to_the_same_bytes(file: Path, backend: str) -> None:
    result = compile(file.read_bytes(), backend=backend)
    assert result.ok, render(result.diagnostics)
    assert result.to_yaml() == compile(PLAIN.read_bytes(), backend=backend).to_yaml()


def test_the_plain_job_compiles_to_the_expected_values() -> None:
    *_, job = compile(PLAIN.read_bytes()).objects()
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert job["metadata"]["annotations"] == {"note": "a: b # c"}
    assert container["image"] == "train:1"
    assert container["args"] == ["train.py", "--epochs", "3", "--resume", "no"]
    assert container["resources"] == {side: {"cpu": "4", "memory": "8Gi"} for side in ("requests", "limits")}
    env = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert (env["NCCL_DEBUG"], env["RATE"]) == ("INFO", "1e-3")


@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.stem)
def test_an_invalid_name_is_reported_at_its_position_in_every_spelling(file: Path) -> None:
    text = file.read_bytes().decode("utf-8-sig").replace("mnist", "MNIST")
    (diagnostic,) = compile(text).diagnostics
    line = diagnostic.span.source.line(diagnostic.span.line)
    assert line[diagnostic.span.column - 1 :].lstrip("!ystr \"'").startswith("MNIST")


def test_both_jobs_of_a_file_are_compiled() -> None:
    text = PLAIN.read_text("utf-8")
    result = compile(f"{text}---\n{text.replace('mnist', 'cifar')}")
    assert [manifest.name for manifest in result.manifests if manifest.kind == "Job"] == ["mnist", "cifar"]


@pytest.mark.parametrize("spelling", ["16", "0x10", "0o20", "16.0", "+16", "1.6e1", "016", '"16"'])
def test_a_number_is_the_same_quantity_in_every_spelling_of_yaml(spelling: str) -> None:
    """Kubernetes rejects 0x10, +16 and 016, so trainc emits the number."""
    text = PLAIN.read_text("utf-8").replace("cpu: 4", f"cpu: {spelling}, example.com/thing: {spelling}")
    result = compile(text)
    assert result.ok, render(result.diagnostics)
    *_, job = result.objects()
    limits = job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert (float(limits["cpu"]), float(limits["example.com/thing"])) == (16, 16)


@pytest.mark.parametrize("spelling", ["8", "8.0", "0x8"])
@pytest.mark.parametrize("field", ["gpu", "nvidia.com/gpu", "amd.com/gpu"])
def test_gpus_are_counted_in_every_spelling_of_yaml(field: str, spelling: str) -> None:
    result = compile(PLAIN.read_text("utf-8").replace("  resources:\n", f"  resources:\n    {field}: {spelling}\n"))
    assert result.ok, render(result.diagnostics)
    *_, job = result.objects()
    (container,) = job["spec"]["template"]["spec"]["containers"]
    env = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert env["PET_NPROC_PER_NODE"] == "8"
