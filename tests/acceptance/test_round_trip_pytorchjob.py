"""Round trip: imported PyTorchJobs compile to PyTorchJobs with intended differences only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import succeed, trainc
from tests.support.facts import corpus_folder
from tests.support.round_trip import INTENDED, compile_jobs, differences, intended_difference, load_jobs
from tools import imports

FOLDER = corpus_folder()
PUBLIC = imports.listed_files(FOLDER)["pytorchjob"] if FOLDER else []
IMPORTED = Path(__file__).with_name("imported")
OWN = sorted(file for file in IMPORTED.glob("*.yaml") if not file.name.endswith(".job.yaml"))
# Operator 1.9 rejects a Master without replicas, and trainc an elastic policy that has no effect.
ACCEPTED = [file for file in OWN if imports.round_trip_reasons(file) is not None]


def unintended_differences(text: str, imported: str) -> list[str]:
    """Return the differences that are not intended."""
    jobs = {job["metadata"]["name"]: job for job in compile_jobs(imported)}
    every = [fact for original in load_jobs(text) for fact in differences(original, jobs[original["metadata"]["name"]])]
    return [fact for fact in every if intended_difference(fact) is None]


@pytest.mark.parametrize("file", ACCEPTED, ids=lambda file: file.stem)
def test_an_imported_pytorchjob_compiles_to_an_equal_pytorchjob(file: Path) -> None:
    text = file.read_text("utf-8")
    assert unintended_differences(text, succeed("import", file).out) == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("file", PUBLIC, ids=lambda file: file.name[-60:])
def test_a_public_pytorchjob_compiles_to_an_equal_pytorchjob(file: Path) -> None:
    """Jobs with errors, by trainc's checks or by the operator's, are not compared."""
    if imports.round_trip_reasons(file) is None:
        page = next(line for line in imports.PAGE.read_text("utf-8").splitlines() if imports.display_name(file) in line)
        assert "| TC" in page or "not read" in page or imports.read(file).lines
        return
    text = imports.fill(file.read_text("utf-8"))
    assert unintended_differences(text, succeed("import", "-", stdin=text).out) == []


@pytest.mark.slow
def test_every_intended_difference_occurs() -> None:
    if FOLDER is None or not imports.is_complete(FOLDER):
        pytest.skip("public jobs that docs/import.md lists are missing")
    assert {reason for file in [*PUBLIC, *ACCEPTED] for reason in imports.round_trip_reasons(file) or ()} == {
        each.name for each in INTENDED
    }


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("value", "changed"),
    [
        ("train.py", "other.py"),
        ("--epochs=90", "--epochs=9"),
        ("value: INFO", "value: WARN"),
        ("claimName: datasets", "claimName: other"),
        ("replicas: 2", "replicas: 3"),
        ("image: example.com/resnet:3", "image: example.com/resnet:4"),
        ("memory: 200Gi", "memory: 100Gi"),
        ("mountPath: /data", "mountPath: /other"),
        ("serviceAccountName: trainer", "serviceAccountName: other"),
        ("key: nvidia.com/gpu", "key: other"),
        ("--max_restarts=2", "--max_restarts=3"),
        ("--nproc_per_node=8", "--nproc_per_node=4"),
        ("backoffLimit: 12", "backoffLimit: 13"),
        ("queue: research", "queue: other"),
        ("name: uploader", "name: other"),
        ("terminationGracePeriodSeconds: 120", "terminationGracePeriodSeconds: 60"),
    ],
)
def test_a_changed_value_is_a_difference(value: str, changed: str) -> None:
    text = (IMPORTED / "master-and-worker.yaml").read_text("utf-8")
    assert value in text
    assert unintended_differences(text.replace(value, changed), trainc("import", "-", stdin=text).out) != []
