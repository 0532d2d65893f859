"""The skill file and llms.txt for coding agents: all jobs and commands run, all links lead to files."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import yaml

from tests.support.command import trainc
from tests.support.files import write
from trainc.cli.commands import COMMANDS, load
from trainc.cli.parameters import parameters
from trainc.systems.registry import NAMES

ROOT = Path(__file__).resolve().parents[2]
SKILL = ROOT / "skills" / "trainc" / "SKILL.md"
TEXT = SKILL.read_text("utf-8")
INDEX = ROOT / "docs" / "llms.txt"


PYTORCHJOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: bert}
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Master: &pods
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: pytorch
            image: bert:2.0
            command: [torchrun, train.py]
            resources: {limits: {nvidia.com/gpu: 8, cpu: 32, memory: 256Gi}}
    Worker: *pods
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_the_front_matter_names_the_directory_and_its_use() -> None:
    _, front, _ = TEXT.split("---\n", 2)
    fields = yaml.safe_load(front)
    assert fields["name"] == SKILL.parent.name
    assert len(fields["description"]) <= 1024
    assert len(TEXT.splitlines()) < 150


def test_all_jobs_and_commands_of_the_skill_run(here: Path) -> None:
    (job,) = blocks("yaml")
    Path("job.yaml").write_text(job)
    write(Path("jobs/job.yaml"), job)
    Path("pytorchjob.yaml").write_text(PYTORCHJOB)
    done = trainc("check", "job.yaml")
    assert done == (0, "", ""), "not even a warning"
    commands = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]
    assert len(commands) > 10
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "trainc"
        result = trainc(*arguments)
        assert result.code == 0, (command, result.err)
    assert Path("manifests/mnist.yaml").exists()
    assert "kind: JobSet" in Path("moved.yaml").read_text("utf-8")


def test_the_skill_names_what_exists() -> None:
    words = set(re.findall(r"`([a-z]+)`", TEXT))
    assert set(NAMES) <= words
    flags = {flag for name in COMMANDS for each in parameters(load(name)).values() for flag in each.flags}
    named = set(re.findall(r"trainc [^`\n]*?(--[a-z-]+)", TEXT))
    assert named <= flags
    for command in re.findall(r"`trainc ([a-z-]+)", TEXT):
        assert command in {*COMMANDS, "check", "compile"}, command
    for code in re.findall(r"TC\d{4}", TEXT):
        assert trainc("explain", code).code == 0
    assert trainc("explain", "spec.launch.torchrun").code == 0


def test_llms_txt_has_the_form_of_llmstxt_org_and_its_links_lead_to_files() -> None:
    title, empty, summary, *rest = INDEX.read_text("utf-8").splitlines()
    assert (title, empty, summary[:2]) == ("# trainc", "", "> ")
    items = [line for line in rest if line.startswith("- ")]
    assert len(items) > 10
    for item in items:
        match = re.fullmatch(r"- \[[^]]+\]\(([^)]+)\): .+", item)
        assert match, item
        assert (INDEX.parent / match[1]).is_file(), match[1]
