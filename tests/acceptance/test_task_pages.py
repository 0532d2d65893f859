"""docs/start.md and docs/guides: jobs without findings, conversions and messages as trainc prints them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.support.command import trainc
from tests.support.files import write

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "start.md", *sorted((DOCS / "guides").glob("*.md"))]
JOBS = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, text in enumerate(re.findall(r"^```yaml\n(apiVersion:.*?)^```$", page.read_text("utf-8"), re.M | re.S))
]
COMMANDS = [
    pytest.param(line, id=f"{page.stem}-{line}")
    for page in PAGES
    for block in re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    for line in block.splitlines()
    if line.startswith("trainc ") and line != "trainc --version"
]


@pytest.mark.parametrize("job", JOBS)
def test_a_job_of_a_page_has_no_findings(job: str, tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", job)
    assert trainc("check", file) == (0, "", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_of_a_command_exist(command: str) -> None:
    words = command.partition("|")[0].split()
    known = trainc(words[1], "--help").out
    assert all(re.search(rf"(?<!\S){re.escape(word)}\b", known) for word in words if word.startswith("--")), known


def test_the_first_job_and_its_error_are_those_of_the_page(here: Path) -> None:
    text = (DOCS / "start.md").read_text("utf-8")
    job, shown = (re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)[0] for language in ("yaml", "text"))
    written = trainc("init", "mnist").out
    fields = "".join(line for line in written.splitlines(keepends=True) if not line.lstrip().startswith("#"))
    assert fields == job
    Path("job.yaml").write_text(written.replace("torchrun: {}", "torchrun: {nprocPerNode: 2}"))
    assert trainc("check", "job.yaml").err.startswith(shown)


def test_a_batch_script_becomes_the_job_of_the_page(tmp_path: Path) -> None:
    text = (DOCS / "guides" / "slurm.md").read_text("utf-8")
    script, job = (re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)[0] for language in ("sh", "yaml"))
    (tmp_path / "train.sbatch").write_text(script)
    (command,) = re.findall(r"^trainc import train.sbatch (.*) -o job.yaml$", text, re.M)
    imported = trainc("import", tmp_path / "train.sbatch", *command.split())
    assert yaml.safe_load(imported.out) == yaml.safe_load(job)


def test_master_and_workers_become_workers(tmp_path: Path) -> None:
    template = {"spec": {"containers": [{"name": "pytorch", "image": "train:1", "command": ["torchrun", "train.py"]}]}}
    roles = {"Master": {"replicas": 1, "template": template}, "Worker": {"replicas": 3, "template": template}}
    file = tmp_path / "pytorchjob.yaml"
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "mnist"}}
    file.write_text(yaml.safe_dump({**job, "spec": {"pytorchReplicaSpecs": roles}}))
    assert yaml.safe_load(trainc("import", file).out)["spec"]["workers"] == 4
    assert trainc("compile", file, "--backend", "jobset", "--verify").code == 0
