"""`trainc status` from the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import JOB, fail, silent, trainc
from tests.support.trees import field_paths, with_value

RECORDED = Path(__file__).parents[1] / "unit" / "status" / "recorded"
FAILED = (RECORDED / "backoff.json").read_text("utf-8")


def test_standard_input_is_the_default() -> None:
    out = silent("status", "--now", "newest", stdin=FAILED)
    assert out.startswith("mnist: degraded, 1 of 2 workers run")
    assert out == trainc("status", RECORDED / "backoff.json", "--now", "newest").out


def test_now_is_an_input() -> None:
    document = json.loads(trainc("status", "-f", "json", "--now", "2026-11-22T12:00:00Z", stdin=FAILED).out)
    assert document[0]["time"] == "2026-11-22T12:00:00Z"
    assert "not a time" in fail("status", "--now", "noon", stdin=FAILED, code=2)


def test_several_files_are_read_together() -> None:
    lines = FAILED.splitlines(keepends=True)
    assert (
        trainc("status", "-", RECORDED / "rule.json", "--now", "newest", stdin="".join(lines)).out.count("next ") == 2
    )


def test_the_output_can_be_a_file(tmp_path: Path) -> None:
    assert trainc("status", "-f", "json", "-o", tmp_path / "status.json", stdin=FAILED).code == 0
    assert json.loads((tmp_path / "status.json").read_text("utf-8"))[0]["name"] == "mnist"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "error[TC1010]: the input contains no Kubernetes object"),
        ("{", "error[TC1003]: the input is not JSON"),
        ('{"kind": "Service", "metadata": {"name": "a"}}', "error[TC1010]: the input has no job"),
        (JOB, "error[TC1010]: the input has no job"),
        ("error: the server doesn't have a resource type", "error[TC1010]: the input contains no Kubernetes object"),
    ],
)
def test_input_without_a_job_is_an_error(text: str, message: str) -> None:
    assert message in fail("status", stdin=text)


VALUES: tuple[Any, ...] = (None, True, -3, 10**30, "a", "", [], {}, [[]], [None], [{}], {"a": None}, "\x1b[2J", "1e999")


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["backoff", "image", "preempted", "etcd", "statefulset-evicted", "crash-loop"])
def test_no_value_breaks_a_status(name: str) -> None:
    """Each field of the objects is replaced by other values."""
    objects = [json.loads(line) for line in (RECORDED / f"{name}.json").read_text("utf-8").splitlines()]
    choose = random.Random(name)
    for index, each in enumerate(objects):
        paths = list(field_paths(each))
        for path in choose.sample(paths, min(4, len(paths))):
            changed = [*objects[:index], with_value(each, path, choose.choice(VALUES)), *objects[index + 1 :]]
            text = "\n".join(map(json.dumps, changed))
            done = trainc("status", "-f", choose.choice(("text", "json")), stdin=text)
            assert done.code in (0, 1), (path, done.err)
            assert "\x1b" not in done.out


# https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md#副本的状态
TASKS = """\
apiVersion: batch.tensorstack.dev/v1beta1
kind: DeepSpeedJob
metadata: {name: deepspeed-example}
spec:
  config: {slotsPerWorker: 1, run: {python: [/t9k/mnt/train.py]}}
  worker:
    replicas: 2
    template: {spec: {containers: [{name: worker, image: "deepspeed:1"}]}}
status:
  phase: Running
  tasks:
  - type: worker
    restartCount: 0
    status:
    - {phase: Running, name: deepspeed-example-worker-0, uid: e3ec2ee3-6645-4e21-993f-1e472b94e0ae, containers: []}
    - {phase: Running, name: deepspeed-example-worker-1, uid: 908a93f0-7b8b-491e-85d5-3da0abcb4ca4, containers: []}
"""


def test_pods_that_only_the_status_of_the_job_lists_have_its_phases() -> None:
    [status] = json.loads(trainc("status", "-f", "json", stdin=TASKS).out)
    assert status["summary"] == "2 of 2 workers run, world size 2"
    assert [each["uid"][:8] for each in status["tasks"][0]["status"]] == ["e3ec2ee3", "908a93f0"]
    assert (
        "the input has no pods: their phases are those in the status of DeepSpeedJob deepspeed-example"
        in (status["notes"])
    )


def test_a_failed_pod_of_a_jobs_own_status_is_reported() -> None:
    text = TASKS.replace("phase: Running, name", "phase: Failed, name", 1).replace("restartCount: 0", "restartCount: 3")
    [status] = json.loads(trainc("status", "-f", "json", stdin=text).out)
    assert (status["state"], [each["phase"] for each in status["workers"]]) == ("degraded", ["Failed", "Running"])
    assert "DeepSpeedJob deepspeed-example counts 3 restarts of all its pods together" in status["notes"]


@pytest.mark.parametrize(
    ("command", "render"),
    [
        (("status", "job.yaml"), "helm template CHART | trainc status -"),
        (("diff", "job.yaml", "job.yaml"), "helm template CHART > FILE"),
    ],
)
def test_a_template_must_be_rendered(command: tuple[str, ...], render: str, here: Path) -> None:
    Path("job.yaml").write_text("kind: Job\nmetadata:\n  name: {{ .Values.name }}\n")
    done = trainc(*command)
    assert "error[TC5004]: unrendered template: `{{ .Values.name }}` is for Helm" in done.err
    assert f"= help: render it first: {render}\n" in done.err
