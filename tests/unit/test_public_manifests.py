"""Tables of bench.public over a small folder, with the findings counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import public

ROOT = Path(__file__).parents[2]
# One worker, so that nothing but the image is wrong.
JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      template:
        spec:
          containers:
          - name: pytorch
            image: example.com/train:IMAGE
            command: [python, train.py]
            resources: {limits: {memory: 1Gi}}
            volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 512Mi}}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "below").mkdir()
    (tmp_path / "pinned.yaml").write_text(JOB.replace("IMAGE", "1"))
    (tmp_path / "below" / "latest.yml").write_text(JOB.replace("IMAGE", "latest"))
    (tmp_path / "below" / "template.yaml").write_text(JOB.replace("IMAGE", "$TAG").replace("mnist", "$NAME"))
    (tmp_path / "below" / "twice.yaml").write_text(JOB.replace("IMAGE", "1") + "kind: PyTorchJob\n")
    (tmp_path / "notes.txt").write_text("kind: PyTorchJob\n")
    return tmp_path


def rows(text: str) -> dict[str, list[str]]:
    """Return the columns of each line by its first column."""
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}


def test_findings_are_counted_by_code_and_severity(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert public.main([str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].startswith("4 files in ")
    assert out.splitlines()[0].endswith(": 1 without a finding, 2 with an error")
    table = rows(out)
    assert table["PyTorchJob"] == ["5", "4", "3"]
    assert table["TC1004"] == ["1", "1", "duplicate-key"]
    assert table["TC5004"] == ["1", "1", "unrendered-template"]
    assert table["TC3088"] == ["1", "1", "mutable-image-tag"]
    assert table["all"] == ["2", "0", "1", "3"]


def test_templates_are_checked_with_stand_ins(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert public.main([str(folder / "below" / "template.yaml"), "--stand-ins"]) == 0
    out = capsys.readouterr().out
    assert "1 unrendered templates have stand-ins for their shell variables\n" in out
    assert "TC5004" not in out


def test_a_sample_is_the_same_in_every_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples = []
    for _ in range(2):
        assert public.main([str(folder), "--sample", "2"]) == 0
        samples.append(capsys.readouterr().out.split("\n\n", 3)[3])
    assert samples[0] == samples[1]
    assert len(samples[0].split("\n\n")) == 2


def test_a_missing_folder_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        public.main([str(tmp_path / "missing")])
    assert f"error: no such folder: {tmp_path}/missing\n" in capsys.readouterr().err


def test_files_of_a_folder_are_checked_by_themselves(tmp_path: Path) -> None:
    for name in ("first.yaml", "second.yaml"):  # the same objects, of two clusters
        (tmp_path / name).write_text(JOB.replace("IMAGE", "1"))
    results = [public.check_file(file, tmp_path, False) for file in public.files_below(tmp_path)]
    assert [(result.file, result.findings) for result in results] == [("first.yaml", []), ("second.yaml", [])]
    assert json.dumps([result.kinds for result in results]) == '[{"PyTorchJob": 1}, {"PyTorchJob": 1}]'
