"""TrainJobs that trainc emitted for a runtime of the cluster are imported with that runtime."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.support.build import job_text
from tests.support.command import trainc

FILES = {"name": "code", "mountPath": "/code", "files": ["main.py"]}
DATA = {"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": "data"}}


@pytest.mark.parametrize("volumes", [[], [DATA], [FILES], [DATA, FILES]])
def test_a_runtime_of_the_cluster_is_kept(volumes: list[dict[str, object]], tmp_path: Path) -> None:
    """A ConfigMap of local files stays an object of its own, which is applied separately."""
    (tmp_path / "main.py").write_text("print(1)\n", "utf-8")
    file = tmp_path / "job.yaml"
    scheduling = {"runtime": "torch-distributed", "nodeSelector": {"disk": "ssd"}}
    file.write_text(job_text(workers=2, launch={"torchrun": {}}, scheduling=scheduling, volumes=volumes), "utf-8")
    emitted = trainc("compile", file, "--backend", "trainjob")
    assert emitted.code == 0, emitted.err
    imported = trainc("import", "-", stdin=emitted.out)
    assert yaml.safe_load(imported.out)["spec"]["scheduling"]["runtime"]["name"] == "torch-distributed"
    again = trainc("compile", "-", "--backend", "trainjob", stdin=imported.out)
    before = [each for each in yaml.safe_load_all(emitted.out) if each["kind"] != "ConfigMap"]
    assert list(yaml.safe_load_all(again.out)) == before
