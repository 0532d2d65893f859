"""A company adopts trainc and lives with it, command by command. tests/support/company.py describes its repository."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from tests.support import company
from tests.support.command import clean_environment, command_line, fail, succeed, trainc
from tests.support.git import commit

pytestmark = pytest.mark.slow
CONCISE = ("--message-format", "concise")
SWEEP = [f"sweep-0-{number}" for number in (1, 2, 3, 4, 5)]


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the company's repository, which is the working directory."""
    folder = tmp_path / "company"
    folder.mkdir()
    company.found(folder)
    monkeypatch.chdir(folder)
    return folder


def edit(path: str, old: str, new: str) -> None:
    text = Path(path).read_text()
    assert old in text
    Path(path).write_text(text.replace(old, new))


def findings(text: str) -> dict[str, list[str]]:
    """Return the codes by file of concise messages."""
    codes: dict[str, list[str]] = {}
    for file, code in re.findall(r"^([^:\s]+):\d+:\d+: (TC\d+) ", text, re.MULTILINE):
        codes.setdefault(file, []).append(code)
    return codes


def test_the_repository_has_300_files_and_304_jobs() -> None:
    assert sum(each.is_file() for each in Path("jobs").rglob("*")) == 300
    assert findings(trainc("check", *CONCISE).err) == {"jobs/lab/sweep.yaml": ["TC6036"]}
    # In each of east and north 25 jobs of 1, 2, 3 and 4 workers with 8 GPUs: 25 * 10 * 8 = 2,000. In the laboratory
    # 50 jobs of 1 worker and 49 of 2, with 4 GPUs: 592, and 5 of the sweep: 20.
    assert "304 jobs, 4,612 GPUs" in succeed("list").out
    rows = json.loads(trainc("list", "-f", "json").out)
    assert {(each["cluster"], each["system"]) for each in rows} == {
        ("east", "jobset"), ("north", "jobset"), ("lab", "job"),
    }  # fmt: skip


def test_adoption_with_a_baseline() -> None:
    # Two old jobs have the tag `latest`.
    old = ["jobs/vision/v-7.yaml", "jobs/speech/s-50.yaml"]
    for file in old:
        edit(file, "train:1.4", "train:latest")
    found = findings(trainc("check", *CONCISE).err)
    assert found == {**{file: ["TC3088"] for file in old}, "jobs/lab/sweep.yaml": ["TC6036"]}
    assert trainc("check", "--write-baseline", "baseline.json").err == "wrote 3 findings to baseline.json\n"
    assert trainc("check", "--baseline", "baseline.json") == (0, "", "")
    edit(old[0], "workers: 4", "workers: 3")  # not the line of the finding
    assert trainc("check", "--baseline", "baseline.json") == (0, "", "")
    edit(old[0], "vision/train:latest", "vision/other:latest")
    assert findings(trainc("check", "--baseline", "baseline.json", *CONCISE).err) == {old[0]: ["TC3088"]}


def test_a_new_cluster() -> None:
    # Two nodes with 8 GPUs and RDMA devices, one without devices.
    def node(name: str, **devices: str) -> dict[str, object]:
        allocatable = {"cpu": "96", "memory": "1000Gi", "pods": "110", "nvidia.com/gpu": "8", **devices}
        return {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {},
            "status": {"allocatable": allocatable},
        }  # fmt: skip

    nodes = [node("n1", **{company.INFINIBAND: "8"}), node("n2", **{company.INFINIBAND: "8"}), node("n3")]
    Path("nodes.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}))
    assert trainc("cluster", "read", "nodes.json", "--name", "west", "-o", "clusters/west.yaml") == (0, "", "")
    edit("trainc.yaml", "defaults:", "  west: {file: clusters/west.yaml, jobs: [jobs/new/]}\ndefaults:")
    Path("jobs/new").mkdir()
    for number in (0, 1, 2):  # 1, 2 and 3 workers, each of which needs a node with the devices
        Path(f"jobs/speech/s-{number}.yaml").rename(f"jobs/new/s-{number}.yaml")
    done = trainc("check", "jobs/new", *CONCISE)
    assert findings(done.err) == {"jobs/new/s-2.yaml": ["TC7002"]}
    assert "2 of 3 pods get a node of cluster `west`: 3 nodes: 1 lacks 1 rdma/rdma_shared_device_a, 2 fit" in done.err
    Path("jobs/new/s-2.yaml").rename("jobs/speech/s-2.yaml")
    assert findings(trainc("check", *CONCISE).err) == {"jobs/lab/sweep.yaml": ["TC6036"]}
    assert trainc("compile", "--cluster", "west").code == 0
    assert sorted(os.listdir("manifests")) == ["west"]
    assert sorted(os.listdir("manifests/west")) == ["s-0.yaml", "s-1.yaml"]
    assert trainc("compile", "--cluster", "all").code == 0
    assert {name: len(os.listdir(f"manifests/{name}")) for name in os.listdir("manifests")} == {
        "east": 100, "north": 98, "lab": 104, "west": 2,
    }  # fmt: skip
    assert trainc("compile", "--cluster", "all", "--check", "-q").code == 0


def test_a_quota_cut() -> None:
    # 24 GPUs are three workers: the jobs with four are those whose number leaves 3 when divided by 4.
    Path("clusters/east.yaml").write_text(company.east(gpu_quota=24))
    over = {f"jobs/vision/v-{number}.yaml": ["TC7004"] for number in range(3, 100, 4)}
    assert findings(fail("check", *CONCISE)) == {**over, "jobs/lab/sweep.yaml": ["TC6036"]}
    # No job file has changed, but the cluster of these jobs has.
    assert findings(trainc("check", "--changed-since", "HEAD", *CONCISE).err) == over
    listed = json.loads(trainc("list", "--filter", "cluster=east", "--filter", "gpus>24", "-f", "json").out)
    assert {row["file"] for row in listed} == {*over}


def test_an_update_of_trainc() -> None:
    assert trainc("compile", "--cluster", "all", "-q").code == 0
    # What an older trainc might have written: 5 restarts where it is 6 today.
    for path in Path("manifests").rglob("*.yaml"):
        text = (
            path.read_text().replace("maxRestarts: 6", "maxRestarts: 5").replace("backoffLimit: 6", "backoffLimit: 5")
        )
        path.write_text(text)
    commit()
    # All 200 JobSets have restarts, and the 55 Jobs with one worker: 50 of 99 and the sweep. The 49 with two workers
    # have other limits. The API server refuses a change of a JobSet's failurePolicy, accepts one of backoffLimit.
    done = trainc("diff", "--summary", "manifests/", "jobs/")
    assert done.code == 1
    assert done.out.startswith("255 of 304 jobs change, for 2 causes\n200 jobs must be deleted and created again\n")
    assert done.out.count("default of lifecycle.backoffLimit") == 2
    assert trainc("diff", "--git", "HEAD", "--summary", "jobs/").out == "no change in 304 jobs\n"
    assert trainc("compile", "--cluster", "all", "--check", "-q").code == 1
    assert trainc("compile", "--cluster", "all", "-q").code == 0
    assert trainc("diff", "--summary", "manifests/", "jobs/") == (0, "no change in 304 jobs\n", "")


def test_a_job_moves_to_another_cluster() -> None:
    assert trainc("compile", "--cluster", "all", "-q").code == 0
    commit()
    Path("jobs/vision/v-0.yaml").rename("jobs/lab/v-0.yaml")
    edit("jobs/lab/v-0.yaml", company.EFA, company.NO_FABRIC)
    # The nodes of the laboratory have 4 GPUs, the job asks for 8.
    done = trainc("check", "jobs/lab", *CONCISE)
    assert findings(done.err) == {"jobs/lab/v-0.yaml": ["TC7002"], "jobs/lab/sweep.yaml": ["TC6036"]}
    assert "4 lack 8 nvidia.com/gpu" in done.err
    edit("jobs/lab/v-0.yaml", "gpu: 8", "gpu: 4")
    moved = trainc("diff", "--git", "HEAD", "jobs/").out
    assert moved.startswith("v-0: is left running (JobSet, namespace training, cluster east)\n")
    assert "left over  JobSet/v-0" in moved
    assert "v-0: starts (Job, namespace training, cluster lab)\n" in moved
    assert "created    Job/v-0" in moved
    err = fail("compile", "--cluster", "all", "--check")
    assert "manifests/east/v-0.yaml is left over" in err
    assert "manifests/lab/v-0.yaml is missing" in err
    assert trainc("compile", "--cluster", "all", "--prune", "-q").code == 0
    assert not Path("manifests/east/v-0.yaml").exists()
    text = Path("manifests/lab/v-0.yaml").read_text()
    assert "kind: Job\n" in text
    assert "efa" not in text
    assert trainc("compile", "--cluster", "all", "--check", "-q").code == 0


def test_the_sweep_has_five_jobs_of_which_two_run() -> None:
    assert trainc("compile", "--cluster", "lab", "-q").code == 0
    jobs = [yaml.safe_load(Path(f"manifests/lab/{name}.yaml").read_text()) for name in SWEEP]
    assert [each["spec"].get("suspend", False) for each in jobs] == [False, False, True, True, True]
    arguments = [each["spec"]["template"]["spec"]["containers"][0]["args"] for each in jobs]
    assert arguments == [["train.py", "--lr", f"0.{number}"] for number in (1, 2, 3, 4, 5)]
    assert [each["metadata"]["namespace"] for each in jobs] == ["training"] * 5  # of the defaults
    rows = json.loads(trainc("list", "--filter", "file=jobs/lab/sweep.yaml", "-f", "json").out)
    assert [(each["name"], each["cluster"], each["gpus"]) for each in rows] == [(name, "lab", 4) for name in SWEEP]


def test_the_policy_judges_each_job_of_the_sweep() -> None:
    edit("jobs/lab/sweep.yaml", "team: speech", "team: nobody")
    assert set(findings(fail("check", "jobs/lab/sweep.yaml", *CONCISE))["jobs/lab/sweep.yaml"]) == {"TC6036", "TC6050"}


def test_the_policy_and_its_excuse(monkeypatch: pytest.MonkeyPatch) -> None:
    file = "jobs/speech/s-9.yaml"
    patch = """\
  podTemplate:
    spec:
      initContainers:
      - {name: fetch, image: "registry.example.com.evil.io/fetch:1", command: [fetch]}
"""
    Path(file).write_text(Path(file).read_text() + patch)
    assert findings(trainc("check", "jobs/speech", *CONCISE).err) == {file: ["TC6051"]}
    assert trainc("compile", "--cluster", "all", "-q").code == 1
    assert not Path("manifests").exists()
    excuse = f"ignores:\n- {{codes: [TC6051], paths: [{file}], owner: team-speech, until: 2026-12-31}}\n"
    Path("trainc.yaml").write_text(Path("trainc.yaml").read_text() + excuse)
    for day, code in ((31, 0), (32, 1)):  # the last day of the excuse, and the next
        seconds = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp()) + (day - 1) * 86_400
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(seconds))
        done = trainc("check", "jobs/speech")
        assert done.code == code
        assert ("the ignore of team-speech ended on 2026-12-31" in done.err) == bool(code)


def test_the_bytes_depend_neither_on_the_directory_nor_on_the_network(repository: Path) -> None:
    def compiled(output: str, *prefix: str, cwd: Path = repository) -> dict[str, bytes]:
        folder = repository.parent / output
        command = [*prefix, *command_line("compile", "--cluster", "all", "-q", "-o", f"{folder}/")]
        subprocess.run(command, cwd=cwd, env=clean_environment(), check=True, timeout=120)
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.yaml")}

    expected = compiled("here")
    assert len(expected) == 304
    assert compiled("below", cwd=repository / "jobs" / "lab") == expected
    if not has_namespaces():
        pytest.skip("unshare -rn is not allowed here: the run without network was not compared")
    assert compiled("alone", "unshare", "-rn") == expected


def has_namespaces() -> bool:
    """Return whether a process may have a network of its own, which is empty."""
    program = shutil.which("unshare")
    return (
        program is not None
        and not subprocess.run([program, "-rn", "true"], capture_output=True, check=False).returncode
    )


def test_a_job_without_a_project_file_pays_nothing(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(company.job("alone", "vision", 1))
    script = (
        "import sys; from trainc.cli.guard import guarded; guarded(['compile', 'job.yaml']);"
        "print([name for name in sys.modules if name.startswith(('trainc.project', 'trainc.cluster', 'trainc.policy',"
        "'trainc.sweep', 'trainc.placement', 'trainc.fleet'))], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=clean_environment(),
    )
    assert "kind: Job" in done.stdout
    assert done.stderr.splitlines()[-1] == "[]"
