"""Golden manifests: output for every example, byte for byte, and equality in other YAML parsers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML

from tests.support.examples import (
    CASES,
    ROOT,
    accepted,
    canonical_json,
    compiled,
    example_path,
    golden,
)
from tests.support.forks import run_forks
from tests.support.yaml_readers import kubectl, libyaml_documents, needs_kubectl

# Environments that the output must not depend on, as different as possible on one machine.
MACHINES = {
    "minimal": {"PYTHONHASHSEED": "0", "TZ": "UTC", "LANG": "C", "LC_ALL": "C"},
    "turkish": {
        "PYTHONHASHSEED": "4242",
        "TZ": "Asia/Kathmandu",
        "LANG": "tr_TR.UTF-8",
        "COLUMNS": "40",
        "NO_COLOR": "1",
    },
}
PARTS = 11  # of the goldens, for the test that is slow; prime to the number of back ends
GOLDEN = ROOT / "golden"
UPDATE = "run `pytest tests/acceptance/test_golden.py --update-golden`, read the difference and commit it"


def read_1_1(text: str) -> list[Any]:
    return list(yaml.safe_load_all(text))


def read_1_2(text: str) -> list[Any]:
    loader = YAML(typ="safe", pure=True)
    loader.version = (1, 2)
    return list(loader.load_all(text))


def unused_goldens(folder: Path = GOLDEN) -> list[Path]:
    """Return files without an example, or of a back end that rejects the example."""
    used = {folder / example / f"{backend}.yaml" for example, backend in CASES if accepted(example, backend)}
    return sorted(file for file in folder.rglob("*") if file.is_file() and file not in used)


@pytest.mark.parametrize(("example", "backend"), CASES)
def test_output_equals_the_golden(example: str, backend: str, update_golden: bool) -> None:
    if not accepted(example, backend):
        return  # test_every_golden_is_of_an_accepted_example covers it
    file, text = golden(example, backend), compiled(example, backend).to_yaml().encode()
    if update_golden:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    assert file.exists(), f"{file.relative_to(ROOT)} is missing: {UPDATE}"
    assert file.read_bytes().decode() == text.decode(), f"{file.relative_to(ROOT)} differs: {UPDATE}"


def test_every_golden_is_of_an_accepted_example(update_golden: bool) -> None:
    if update_golden:
        for file in unused_goldens():
            file.unlink()
    assert [str(file.relative_to(ROOT)) for file in unused_goldens()] == []


def test_files_without_an_example_are_unused_goldens(tmp_path: Path) -> None:
    for name in ("gone/job.yaml", "basic/slurm.yaml", "basic/job.yaml.orig"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert len(unused_goldens(tmp_path)) == 3


@pytest.mark.sample(25)
@pytest.mark.parametrize(("example", "backend"), CASES)
def test_a_golden_is_the_same_in_yaml_1_1_and_1_2(example: str, backend: str) -> None:
    file = golden(example, backend)
    if not file.exists():
        return  # rejected, or missing, which fails above
    text = file.read_text("utf-8")
    assert canonical_json(read_1_1(text)) == canonical_json(read_1_2(text))


@pytest.mark.sample(100)
@pytest.mark.parametrize(("example", "backend"), CASES)
def test_parsed_output_equals_the_objects(example: str, backend: str) -> None:
    result = compiled(example, backend)
    assert canonical_json(libyaml_documents(result.to_yaml())) == canonical_json(result.objects())


@pytest.mark.slow
@needs_kubectl
def test_kubectl_parses_all_goldens_like_libyaml(tmp_path: Path) -> None:
    files = sorted(GOLDEN.rglob("*.yaml"))
    texts = [file.read_text("utf-8") for file in files]
    parsed = [document for text in texts for document in libyaml_documents(text)]
    by_kubectl = kubectl("---\n".join(texts))
    for document in by_kubectl:
        assert document["metadata"]["labels"].pop("read") == "back"
        document["metadata"] = {name: value for name, value in document["metadata"].items() if value != {}}
    for document, other in zip(parsed, by_kubectl, strict=True):
        assert canonical_json(document) == canonical_json(other), f"{document['kind']}/{document['metadata']['name']}"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("machine", MACHINES)
def test_output_is_the_same_on_every_machine(machine: str, part: int, tmp_path: Path) -> None:
    environment = {**MACHINES[machine], "HOME": str(tmp_path)}
    cases = [(example, backend) for example, backend in CASES[part::PARTS] if accepted(example, backend)]
    outputs = [tmp_path / f"{example}.{backend}.yaml" for example, backend in cases]
    commands = []
    for (example, backend), output in zip(cases, outputs, strict=True):
        file = example_path(example)
        file_argument = str(file) if machine == "minimal" else os.path.relpath(file, tmp_path)
        commands.append((["compile", "--backend", backend, file_argument], output))
    assert run_forks(commands, environment, tmp_path) == [0] * len(commands)
    for (example, backend), output in zip(cases, outputs, strict=True):
        assert output.read_bytes() == compiled(example, backend).to_yaml().encode(), f"{example}/{backend}"


def test_update_golden_is_refused_where_ci_is_set() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--update-golden", __file__]
    run = subprocess.run(
        [*command, "--collect-only"], cwd=ROOT, env={**os.environ, "CI": "true"}, capture_output=True, check=False
    )
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert b"--update-golden is refused where CI is set" in run.stderr
