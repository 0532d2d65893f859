"""`trainc check --fix` and `--diff`: what is edited, what stays, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.command import fail, trainc
from trainc.span import Source

HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: mnist}\nspec:\n"
BODY = "  image: train:1\n  launch: {torchrun: {}}\n  run: {python: [train.py]}\n"

# name: (text below `spec`, the same after --fix)
SAFE = {
    "a name of another tool": (BODY + "  nnodes: 2  # two\n", BODY + "  workers: 2  # two\n"),
    "a value with a section of its own": (
        BODY + "  priority: high\n",
        BODY + "  scheduling: {priorityClassName: high}\n",
    ),
    "a section that exists": (
        BODY + "  priority: high\n  scheduling:\n    # the team's\n    queue: a\n",
        BODY + "  scheduling:\n    # the team's\n    queue: a\n    priorityClassName: high\n",
    ),
    "a section that exists in flow style": (
        BODY + "  scheduling: {queue: a}\n  priority: high\n",
        BODY + "  scheduling: {queue: a, priorityClassName: high}\n",
    ),
    "the first field of an item": (
        BODY + "  volumes:\n  - path: /d   # mount\n    name: d\n    emptyDir: {}\n",
        BODY + "  volumes:\n  - mountPath: /d   # mount\n    name: d\n    emptyDir: {}\n",
    ),
    "a duration with a unit": (
        BODY + "  lifecycle: {activeDeadlineSeconds: 24h}\n",
        BODY + "  lifecycle: {activeDeadlineSeconds: 86400}\n",
    ),
    "a list of variables": (
        BODY + "  env: [{A: b}]\n",
        BODY + "  env: [{name: A, value: b}]\n",
    ),
    "variables of a shell": (
        BODY.replace("[train.py]", '[train.py, --data=$D, "${D}/a"]') + "  env: {D: /d}\n",
        BODY.replace("[train.py]", '[train.py, --data=$(D), "$(D)/a"]') + "  env: {D: /d}\n",
    ),
    "a block of arguments": (
        BODY.replace("{python: [train.py]}", "\n    python:\n    - train.py\n    args:\n    - --lr\n    - '1'"),
        BODY.replace("{python: [train.py]}", '\n    python: [train.py, --lr, "1"]'),
    ),
}


def job(tmp_path: Path, body: str, head: str = HEAD) -> Path:
    file = tmp_path / "job.yaml"
    file.write_bytes((head + body).encode())
    return file


@pytest.mark.parametrize("case", SAFE)
def test_a_safe_fix_changes_only_the_mistake(case: str, tmp_path: Path) -> None:
    before, after = SAFE[case]
    file = job(tmp_path, before)
    done = trainc("check", "--fix", file, "-q")
    assert (done.code, file.read_text()) == (0, HEAD + after), done.err
    assert "fixed 1 problem\n" in done.err


def test_line_breaks_the_byte_order_mark_and_other_documents_stay(tmp_path: Path) -> None:
    text = "\ufeff" + (HEAD + BODY + "  nnodes: 2\n---\n# ConfigMap\n" + HEAD + BODY).replace("\n", "\r\n")
    text = text.replace("mnist}", "other}", 1)
    file = tmp_path / "job.yaml"
    file.write_bytes(text.encode())
    assert trainc("check", "--fix", file, "-q").code == 0
    assert file.read_bytes().decode() == text.replace("nnodes", "workers")


def test_a_guess_needs_unsafe_fixes(tmp_path: Path) -> None:
    file = job(tmp_path, BODY + "  wrkers: 2\n")
    assert fail("check", "--fix", file).endswith("1 error\n1 fixable by `trainc check --fix --unsafe-fixes`\n")
    assert "wrkers" in file.read_text()
    assert trainc("check", "--fix", "--unsafe-fixes", file).code == 0
    assert file.read_text() == HEAD + BODY + "  workers: 2\n"


@pytest.mark.parametrize(
    ("volumes", "is_safe"),
    [("[data:/data]", False), ("{data: /data}", False), ("data:/data", False), ("[/mnt/a:/data]", True)],
)
def test_it_is_a_guess_that_a_claim_exists(volumes: str, is_safe: bool, tmp_path: Path) -> None:
    done = trainc("check", job(tmp_path, f"{BODY}  volumes: {volumes}\n"))
    assert done.err.endswith(f"\n1 fixable by `trainc check --fix{'' if is_safe else ' --unsafe-fixes'}`\n")


def test_a_wrong_version_is_fixed_with_the_other_faults(tmp_path: Path) -> None:
    file = job(tmp_path, BODY + "  wrkers: 2\n")
    file.write_text(file.read_text().replace("v1alpha1", "v1"))
    assert trainc("check", file).err.endswith("2 errors\n2 fixable by `trainc check --fix --unsafe-fixes`\n")
    assert trainc("check", "--fix", "--unsafe-fixes", file).code == 0
    assert file.read_text() == HEAD + BODY + "  workers: 2\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "  priority: high # p\n  scheduling:\n    queue: a\n",
            "  scheduling:\n    queue: a\n    priorityClassName: high\n",
        ),
        ("  volumes:\n  - # why\n    name: d\n    pvc: a\n    path: /d\n    size: 1\n", None),
        ("  workers: 1\n  # why two\n  nnodes: 2\n", None),
    ],
)
def test_a_fix_that_deletes_a_comment_is_not_safe(before: str, after: str | None, tmp_path: Path) -> None:
    file = job(tmp_path, BODY + before)
    trainc("check", "--fix", file)
    assert all(line in file.read_text() for line in before.splitlines() if "#" in line)
    if after:
        assert file.read_text() == HEAD + BODY + before
        assert trainc("check", "--fix", "--unsafe-fixes", file).code == 0
        assert file.read_text() == HEAD + BODY + after


def test_the_spelling_of_the_kind_is_a_fix(tmp_path: Path) -> None:
    file = job(tmp_path, BODY, HEAD.replace("TrainingJob", "Trainingjob"))
    assert trainc("check", "--fix", file).code == 0
    assert file.read_text() == HEAD + BODY


def test_another_object_in_the_file_changes_no_cure_and_no_fix(tmp_path: Path) -> None:
    other = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    alone, beside = job(tmp_path, BODY + "  nnodes: 2\n  gpus: 1\n"), tmp_path / "several.yaml"
    beside.write_text(alone.read_text() + other)
    helps = [re.findall("help: (.*)", trainc("check", file).err) for file in (alone, beside)]
    assert helps[0] == helps[1] != []
    assert trainc("check", "--fix", beside).code == 0
    assert beside.read_text() == HEAD + BODY + "  workers: 2\n  resources: {gpu: 1}\n" + other


def test_a_fix_may_uncover_the_next_fault(tmp_path: Path) -> None:
    file = job(tmp_path, BODY + "  elastic: 2:4\n  nnodes: 2\n")
    assert trainc("check", file).err.endswith("fixable by `trainc check --fix`\n")
    done = trainc("check", "--fix", file, "-q")
    spec = yaml.safe_load(file.read_text())["spec"]
    assert (done.code, spec["elastic"]) == (0, {"minReplicas": 2, "maxReplicas": 4}), done.err


def test_diff_prints_a_patch_and_writes_nothing(tmp_path: Path) -> None:
    file = job(tmp_path, BODY + "  nnodes: 2")  # without a final line break
    before = file.read_bytes()
    done = trainc("check", "--diff", file)
    assert (done.code, done.err) == (1, "--fix would fix 1 problem\n")
    assert file.read_bytes() == before
    patch = ["patch", "--quiet", str(file), "-"]
    subprocess.run(patch, input=done.out.encode(), check=True)
    assert file.read_text() == HEAD + BODY + "  workers: 2"
    assert trainc("check", "--diff", file) == trainc("check", file)
    file.write_text(before.decode())
    assert trainc("check", "--diff", "--unsafe-fixes", file).err == "--fix --unsafe-fixes would fix 1 problem\n"


def test_help_for_a_secret_variable_has_a_reference_in_place_of_the_value(tmp_path: Path) -> None:
    done = trainc("check", job(tmp_path, BODY + "  env: [{WANDB_API_KEY: abcd1234}]\n"))
    assert "help: write `{name: WANDB_API_KEY, valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}`" in done.err
    assert "abcd1234" not in done.err


def test_diff_of_standard_input_and_no_fix_of_it() -> None:
    text = HEAD + BODY + "  nnodes: 2\n"
    assert "+  workers: 2\n" in trainc("check", "--diff", "-", stdin=text).out
    assert "use --diff" in fail("check", "--fix", "-", stdin=text, code=2)


@pytest.mark.parametrize("options", [("--unsafe-fixes",), ("--diff", "--message-format", "json")])
def test_options_that_conflict(options: tuple[str, ...]) -> None:
    assert trainc("check", *options, "-", stdin=HEAD + BODY).code == 2


@pytest.mark.parametrize(
    "text",
    [
        HEAD + BODY + "  nnodes: 2\n# {{ .Values.image }}\n",
        HEAD + BODY + "  nnodes: 2\n# {% if a %}\n",
        HEAD.replace("spec:", "spec: &s") + BODY + "  nnodes: 2\n---\n" + HEAD.replace("spec:", "spec: *s"),
        HEAD + BODY + "  env: [{A: b}, {C: d}] \n  env: {}\n",
    ],
)
def test_templates_and_broken_files_are_not_edited(text: str, tmp_path: Path) -> None:
    file = job(tmp_path, text, "")
    assert trainc("check", "--fix", "--unsafe-fixes", file).code == 1
    assert file.read_text() == text


def test_an_alias_is_not_edited(tmp_path: Path) -> None:
    text = BODY + "  resources:\n    requests: &r {cpus: 4}\n    limits: *r\n"
    file = job(tmp_path, text)
    trainc("check", "--fix", "--unsafe-fixes", file)
    assert yaml.safe_load(file.read_text())["spec"]["resources"]["limits"] == {"cpus": 4}
    assert file.read_text() == HEAD + text


def test_a_value_of_an_option_is_not_edited(tmp_path: Path) -> None:
    file = job(tmp_path, BODY)
    assert trainc("check", "--fix", file, "--set", "spec.nnodes=2").code == 1
    assert file.read_text() == HEAD + BODY


def test_no_secret_is_printed(tmp_path: Path) -> None:
    secret = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567"
    file = job(tmp_path, BODY + f"  envs: [{{HF_TOKEN: {secret}}}]\n")
    for options in (["--diff"], ["--message-format", "json"], ["--message-format", "sarif"]):
        done = trainc("check", *options, file)
        assert secret not in done.out + done.err, options


def test_json_and_sarif_have_the_edits(tmp_path: Path) -> None:
    file = job(tmp_path, BODY + "  nnodes: 2\n")
    (diagnostic,) = json.loads(trainc("check", file, "--message-format", "json").out)
    edit = {"location": {"row": 8, "column": 3}, "end_location": {"row": 8, "column": 9}, "content": "workers"}
    assert diagnostic["fix"] == {"applicability": "safe", "edits": [edit]}
    (result,) = json.loads(trainc("check", file, "--message-format", "sarif").out)["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    region = {"startLine": 8, "startColumn": 3, "endLine": 8, "endColumn": 9}
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "workers"}}]
    assert change["artifactLocation"] == result["locations"][0]["physicalLocation"]["artifactLocation"]


def test_a_job_of_another_system_is_edited(tmp_path: Path) -> None:
    text = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  nprocPerNode: 8  # GPUs
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {container: [{name: pytorch, image: "train:1", command: [torchrun, train.py]}]}}
"""
    file = job(tmp_path, text, "")
    done = trainc("check", "--fix", "--unsafe-fixes", file, "-q")
    assert (done.code, done.err) == (0, "fixed 2 problems\n")
    assert file.read_text() == text.replace("8  #", '"8"  #').replace("container:", "containers:")


BAD = [file for folder in ("bad", "own_system") for file in sorted((Path(__file__).parent / folder).glob("*.yaml"))]


@pytest.mark.sample(60)
@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_every_fix_keeps_comments_and_cures_its_error(file: Path, tmp_path: Path) -> None:
    text = file.read_bytes()
    copy = tmp_path / "job.yaml"
    copy.write_bytes(text)
    before = json.loads(trainc("check", copy, "--message-format", "json").out)
    trainc("check", "--fix", "--unsafe-fixes", copy)
    if copy.read_bytes() == text:
        return
    after = json.loads(trainc("check", copy, "--message-format", "json").out)
    cured = {(d["code"], d["message"]) for d in before if d["fix"]}
    assert cured.isdisjoint((d["code"], d["message"]) for d in after)
    comments = [line.partition("#")[2] for line in text.decode().splitlines() if " #" in line]
    assert [line.partition("#")[2] for line in copy.read_text().splitlines() if " #" in line] == comments
    assert Source(str(copy), copy.read_text()).text.count("\n") <= text.count(b"\n") + 1
