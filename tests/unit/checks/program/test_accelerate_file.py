"""Configuration files of accelerate that a job ships: their number of machines against the job's workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.build import TARGET, job_text
from trainc.driver import run
from trainc.span import Source

MISMATCH = "the configuration file has num_machines {}, but the job has 4 workers"


def messages(folder: Path, file: str, path: str = "/conf/a/fsdp.yaml", more: tuple[str, ...] = ()) -> list[str]:
    """Return the messages about the numbers of nodes of a job with four workers and a file `a/fsdp.yaml`."""
    (folder / "a").mkdir()
    (folder / "a" / "fsdp.yaml").write_text(file, "utf-8")
    command = ["accelerate", "launch", f"--config_file={path}", "--machine_rank=$(RANK)", *more, "train.py"]
    volume = {"name": "conf", "mountPath": "/conf", "files": ["a/"]}
    text = job_text(launch={"basic": {}}, run={"exec": command}, workers=4, resources={"gpu": 8}, volumes=[volume])
    (folder / "job.yaml").write_text(text, "utf-8")
    diagnostics = run([Source(str(folder / "job.yaml"), text)], TARGET).diagnostics
    return [each.message for each in diagnostics if each.code.id in ("TC3061", "TC9001")]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("distributed_type: FSDP\nnum_machines: 2\n", [MISMATCH.format(2)]),
        ("distributed_type: FSDP\n", [MISMATCH.format(1)]),  # the default of accelerate
        ("distributed_type: FSDP\nnum_machines: 4\n", []),
        ("num_machines: many\n", []),
        ("[1, 2]\n", []),
        ("a: [\n", []),
    ],
)
def test_machines_equal_the_workers(file: str, expected: list[str], tmp_path: Path) -> None:
    assert messages(tmp_path, file) == expected


def test_an_option_overrides_the_file(tmp_path: Path) -> None:
    assert messages(tmp_path, "num_machines: 2\n", more=("--num_machines=4",)) == []


@pytest.mark.parametrize("path", ["/image/fsdp.yaml", "/conf/other.yaml", "/conf"])
def test_a_file_that_the_job_does_not_ship_is_unknown(path: str, tmp_path: Path) -> None:
    assert messages(tmp_path, "num_machines: 2\n", path) == []
