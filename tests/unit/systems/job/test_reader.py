"""Jobs as the field writes them become jobs with fields in place of their own addresses; others are no jobs."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.support.command import trainc
from tests.support.native_objects import (
    HEADLESS,
    NODES,
    STATIC,
    Object,
    imported,
    job,
    pod,
    run,
    stateful_set,
    template,
)


@pytest.mark.parametrize(
    "rank",
    ["$JOB_COMPLETION_INDEX", "${JOB_COMPLETION_INDEX}", "$(JOB_COMPLETION_INDEX)"],
    ids=["shell", "braces", "k8s"],
)
def test_the_index_of_a_job_is_the_rank(rank: str) -> None:
    line = f"torchrun --nnodes=2 --node_rank={rank} --master_addr=j-0.net {STATIC}"
    spec = imported(HEADLESS, job(["sh", "-c", line] if "(" not in rank else line.split()))
    assert spec["launch"] == {"torchrun": {"rendezvous": {"backend": "static", "port": 29500}}}
    assert (spec["run"], spec["workers"], "env" in spec) == ({"python": ["train.py"]}, 2, False)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"completions": None}, "an Indexed Job requires"),
        ({"completions": None, "completionMode": None}, "is a work queue"),
        ({"parallelism": 1}, "runs 1 of its 2 pods at a time"),
        ({"completionMode": None, "template": template(["torchrun", "train.py"])}, "2 pods have no numbers"),
        ({"template": template(NODES, policy="Always")}, "restartPolicy"),
    ],
)
@pytest.mark.parametrize("command", ["import", "check"])
def test_jobs_that_are_no_world_have_one_error(command: str, spec: Object, message: str) -> None:
    result = run(command, job(NODES, **spec))
    assert result.code == 1
    assert message in result.err
    assert result.err.count("error[") == 1


def test_a_job_of_one_pod_needs_no_index() -> None:
    one = {"completionMode": None, "completions": None, "parallelism": None}
    spec = imported(job(["python3", "train.py"], **one))
    assert (spec["launch"], spec["run"]) == ({"basic": {}}, {"python": ["train.py"]})


def test_an_elastic_job_has_the_bounds_of_torchrun() -> None:
    command = ["torchrun", "--nnodes=1:4", "--rdzv-backend=c10d", "--rdzv-endpoint=j-0:29400", "train.py"]
    spec = imported(job(command, completions=4, parallelism=4))
    assert (spec["workers"], spec["elastic"]) == (4, {"minReplicas": 1, "maxReplicas": 4, "metrics": []})


@pytest.mark.parametrize(
    "document",
    [
        job(["kubectl", "get", "pods"]),
        job(["python3", "manage.py", "migrate"]),
        job(["sh", "-c", "echo $JOB_COMPLETION_INDEX"]),
        stateful_set(["python3", "-m", "vllm.entrypoints.openai.api_server"]),
        pod(0, ["sleep", "infinity"]),
    ],
    ids=["kubectl", "migrate", "shell", "serve", "sleep"],
)
def test_other_programs_are_no_jobs(document: Object) -> None:
    result = run("check", document)
    assert result.code == 1
    assert result.err.count("error[") == 1
    assert "no launcher, no rank and no training script" in result.err
    training = job(["torchrun", "--nnodes=2", "--rdzv-backend=c10d", "--rdzv-endpoint=j-0:29400", "train.py"])
    beside = run("check", training, {**document, "metadata": {"name": "other"}})
    assert "TC2001" not in beside.err


def test_what_trainc_emits_next_to_a_job_is_a_part_of_it() -> None:
    file = {"kind": "TrainingJob", "apiVersion": "trainc.dev/v1alpha1", "metadata": {"name": "t"}}
    claim = {"name": "data", "mountPath": "/data", "claim": {"size": "1Gi"}}
    spec = {"image": "a:1", "launch": {"torchrun": {}}, "run": {"python": ["a.py"]}, "workers": 2, "volumes": [claim]}
    emitted = trainc("compile", "-", stdin=json.dumps({**file, "spec": spec})).out
    result = trainc("import", "-", stdin=emitted)
    assert yaml.safe_load(result.out)["spec"] == spec
