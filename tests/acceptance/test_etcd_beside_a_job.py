"""An etcd server beside a job: a server of the rendezvous, in files and directories, and no worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import succeed, trainc

FIXTURE = Path(__file__).parent / "own_system" / "elasticjob-with-its-etcd.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Directory with a file for the job and one for its server."""
    job, service, pod = FIXTURE.read_text("utf-8").split("---\n")
    (tmp_path / "etcd.yaml").write_text(f"{service}---\n{pod}")
    (tmp_path / "job.yaml").write_text(job)
    return tmp_path


def test_the_plan_shows_where_the_rendezvous_resolves(folder: Path) -> None:
    done = succeed("plan", "--manifests", folder / "etcd.yaml", folder / "job.yaml")
    assert "etcd at etcd-service:2379; Service/etcd-service resolves to Pod/etcd" in done.out
    assert done.out.startswith("mnist: torchrun, 2 pods")


def test_a_server_in_another_file_outlives_the_job(folder: Path) -> None:
    apart = trainc("check", folder).err
    assert ("TC4009" in apart, "TC3092" in apart) == (True, True)
    assert "TC4009" not in trainc("check", FIXTURE).err


def test_the_import_compares_workers_only(folder: Path) -> None:
    done = succeed("import", folder)
    for value in ("the initial number of pods", "instead of `Always`", "instead of `etcd-service`", "port `client`"):
        assert value not in done.err
    assert "managed: true" in done.out


def test_a_directory_has_the_status_of_its_job(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))  # without kubectl the query is printed
    done = trainc("status", folder)
    assert "kubectl get elasticjob.elastic.pytorch.org mnist -o json" in done.err
    assert "etcd" not in done.out + done.err
