"""`trainc plan --manifests`: manifests of other tools, of clusters, and written by hand."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import JOB, fail, succeed, trainc
from tests.support.examples import golden
from tests.support.trees import field_paths
from tests.unit.plan.outputs import markdown, text
from trainc.plan.formats.html_page import html_page
from trainc.plan.formats.json_document import to_json
from trainc.plan.formats.mermaid import mermaid
from trainc.plan.group_jobs import group_jobs
from trainc.plan.models import native_objects
from trainc.plan.plan import plan

Object = dict[str, Any]
# https://github.com/kubeflow/training-operator/blob/release-1.9/examples/pytorch/simple.yaml, shortened
SIMPLE = """\
apiVersion: "kubeflow.org/v1"
kind: PyTorchJob
metadata:
  name: pytorch-simple
  namespace: kubeflow
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          containers:
            - name: pytorch
              image: docker.io/kubeflowkatib/pytorch-mnist:v1beta1-45c5727
              command: ["python3", "/opt/pytorch-mnist/mnist.py", "--epochs=1"]
    Worker:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          containers:
            - name: pytorch
              image: docker.io/kubeflowkatib/pytorch-mnist:v1beta1-45c5727
              command: ["python3", "/opt/pytorch-mnist/mnist.py", "--epochs=1"]
"""


def plan_json(stdin: str, *options: str) -> list[Object]:
    done = succeed("plan", "--manifests", "-", "-f", "json", *options, stdin=stdin)
    document: list[Object] = json.loads(done.out)
    return document


def test_a_hand_written_pytorchjob_is_planned_with_its_operator() -> None:
    (job_plan,) = plan_json(SIMPLE)
    assert [(each["name"], each["launcher"], each["ranks"]) for each in job_plan["pods"]] == [
        ("pytorch-simple-master-0", "basic", [0, 0]),
        ("pytorch-simple-worker-0", "basic", [1, 1]),
    ]
    assert job_plan["worldSizes"][0]["worldSize"] == 2
    assert job_plan["findings"] == []
    assert job_plan["pods"][1]["rendezvous"]["host"] == "pytorch-simple-master-0"


@pytest.mark.parametrize("backend", ["pods", "job", "statefulset", "pytorchjob"])
def test_compiled_manifests_have_the_plan_of_their_job(backend: str) -> None:
    manifests = trainc("compile", "-", "-b", backend, stdin=JOB).out
    assert plan_json(manifests) == json.loads(trainc("plan", "-", "-b", backend, "-f", "json", stdin=JOB).out)


def test_objects_in_lists_and_appwrappers_are_planned() -> None:
    inner = yaml.safe_load(SIMPLE)
    object_list = {"apiVersion": "v1", "kind": "List", "items": [inner]}
    wrapper = {
        "apiVersion": "workload.codeflare.dev/v1beta2",
        "kind": "AppWrapper",
        "metadata": {"name": "wrapped"},
        "spec": {"components": [{"template": inner}]},
    }
    assert plan_json(json.dumps(object_list)) == plan_json(yaml.safe_dump(wrapper)) == plan_json(SIMPLE)


def test_objects_created_by_a_controller_are_counted_once() -> None:
    job = yaml.safe_load(SIMPLE)
    _, *created = native_objects([job])
    fields = ("apiVersion", "kind", "metadata", "spec")
    objects = [job, *({name: resource[name] for name in fields} for resource in created)]
    assert plan_json(yaml.safe_dump_all(objects)) == plan_json(SIMPLE)


def test_several_jobs_have_their_own_plans_and_services(tmp_path: Path) -> None:
    files = [
        golden("torchrun", "job"),
        golden("spot", "statefulset"),
        golden("torchrun-etcd-managed", "pytorchjob"),
    ]
    document = json.loads(trainc("plan", "--manifests", *files, "-f", "json").out)
    assert [(each["name"], len(each["pods"])) for each in document] == [("mnist", 4), ("spot", 8), ("etcd-managed", 4)]
    assert [each["findings"] for each in document] == [[], [], []]
    assert {each["name"] for each in document[0]["services"]} >= {"mnist", "mnist-0"}
    assert not {each["name"] for each in document[1]["services"]} & {"mnist", "mnist-0"}


def test_the_namespace_option_applies_to_objects_without_a_namespace() -> None:
    manifests = trainc("compile", "-", stdin=JOB).out
    (job_plan,) = plan_json(manifests, "-n", "lab")
    assert job_plan["namespace"] == "lab"
    assert plan_json(SIMPLE, "-n", "lab")[0]["namespace"] == "kubeflow"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- 1\n", "error[TC2004]: a Kubernetes object must be a mapping"),
        ("a: 1\n", "error[TC2003]: a Kubernetes object must have a `kind`"),
        ("kind: Pod\n", "error[TC2003]: `metadata.name` is missing"),
        ("kind: Pod\nmetadata: [a]\n", "error[TC2003]: `metadata.name` is missing"),
        ("", "error[TC1010]: the input contains no manifest"),
        ("kind: {\n", "error[TC1003]: "),
        (JOB, "error[TC2005]: `TrainingJob` is a job file of trainc, not a manifest"),
    ],
)
def test_a_document_that_is_not_a_manifest_is_an_error_at_its_line(text: str, message: str) -> None:
    err = fail("plan", "--manifests", "-", stdin=text)
    assert message in err
    assert "nothing was planned" in err


@pytest.mark.parametrize("option", [("-b", "pods"), ("--set", "spec.workers=2"), ("--cluster-domain", "a.b")])
def test_compile_options_are_rejected(option: tuple[str, str]) -> None:
    err = fail("plan", "--manifests", "-", *option, stdin=SIMPLE, code=2)
    assert "conflicts with --manifests" in " ".join(err.split())


def test_an_unknown_kind_is_a_finding_that_fails_a_strict_plan() -> None:
    task = {"template": {"spec": {"containers": [{"name": "a", "image": "b"}]}}}
    kind = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "a"}, "spec": {"jobTemplate": task}}
    done = trainc("plan", "--manifests", "-", "--strict", stdin=json.dumps(kind))
    assert done.code == 1
    assert "! CronJob/a: unknown kind with containers: its pods are not in the plan" in done.out


def test_a_finding_says_what_to_change() -> None:
    template = {"spec": {"containers": [{"name": "main", "image": "a:1", "command": ["torchrun", "train.py"]}]}}
    spec = {"pytorchReplicaSpecs": {"Worker": {"replicas": 2, "template": template}}}
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "mnist"}, "spec": spec}
    (job_plan,) = plan_json(json.dumps(job))
    message, cure = "rejected by the operator: Worker: no container is named `pytorch`", "name the training container"
    assert job_plan["findings"] == [{"where": "PyTorchJob/mnist", "message": message, "help": f"{cure} `pytorch`"}]
    assert f"! PyTorchJob/mnist: {message} ({cure} `pytorch`)" in " ".join(
        trainc("plan", "--manifests", "-", stdin=json.dumps(job)).out.split()
    )


def test_marks_of_operators_are_removed_from_manifests() -> None:
    pod = {"kind": "Pod", "metadata": {"name": "a"}, "createdBy": "the training operator", "onScaleUp": True}
    container = {"name": "a", "image": "b", "env": [{"name": "A", "value": "1", "createdBy": "the training operator"}]}
    (job_plan,) = plan_json(json.dumps({**pod, "spec": {"containers": [container]}}))
    assert (job_plan["pods"][0]["createdBy"], job_plan["pods"][0]["onScaleUp"]) == (None, False)
    assert job_plan["pods"][0]["env"] == [{"name": "A", "value": "1", "source": "manifest"}]


VALUES: tuple[Any, ...] = (
    None,
    True,
    -3,
    300,
    "a text: {}",
    "",
    [],
    {},
    [[]],
    [None],
    [{}],
    {"a": None},
    "‹x›",
    "1e999",
)


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(4))
def test_fuzzed_manifests_have_a_plan_in_every_format(seed: int) -> None:
    """One to three fields of a golden have unexpected values."""
    generator = random.Random(seed)
    for name in ("autoscaled/pytorchjob", "real-pytorchjob-mlbatch/pytorchjob", "gang/pytorchjob", "spot/statefulset"):
        for _ in range(6):
            objects = list(yaml.safe_load_all(golden(*name.split("/")).read_text("utf-8")))
            for path in generator.sample(list(field_paths(objects)), generator.choice((1, 1, 2, 3))):
                set_value(objects, path, generator.choice(VALUES))
            for item in group_jobs([resource for resource in objects if isinstance(resource, dict)]):
                job_plan = plan(item)
                for form in (lambda each: text(each, 80), markdown, lambda each: to_json([each])):
                    assert form(job_plan)
                assert html_page([job_plan])
                assert mermaid([job_plan])


def set_value(value: Any, path: tuple[str | int, ...], new: object) -> None:
    """Set a value at a path, unless an earlier change removed it."""
    for step in path[:-1]:
        if not isinstance(value, dict | list) or (isinstance(value, dict) and step not in value):
            return
        if isinstance(value, list) and (not isinstance(step, int) or step >= len(value)):
            return
        value = value[step]  # type: ignore[index]  # a dict or a list, to which the step fits
    if isinstance(value, dict | list) and (isinstance(value, dict) or len(value) > int(path[-1])):
        value[path[-1]] = copy.deepcopy(new)  # type: ignore[index]  # likewise


@pytest.mark.parametrize(
    ("old", "new", "command"),
    [
        ("replicas: 1", "replicas: $NODES", "envsubst '$NODES' | trainc plan - --manifests"),
        ("apiVersion:", "{{ $now := now }}\napiVersion:", "helm template CHART | trainc plan - --manifests"),
    ],
)
def test_a_template_has_one_error_with_its_command(old: str, new: str, command: str) -> None:
    done = trainc("plan", "--manifests", "-", stdin=SIMPLE.replace(old, new, 1))
    assert (done.code, done.err.count("error[")) == (1, 1)
    assert "error[TC5004]" in done.err
    assert command in done.err


def test_a_generated_name_is_planned_as_the_api_server_makes_it() -> None:
    generated = SIMPLE.replace("name: pytorch-simple", "generateName: pytorch-simple-")
    assert trainc("plan", "--manifests", "-", stdin=generated).out.startswith("pytorch-simple-xxxxx: ")


def test_the_failure_of_an_unknown_rendezvous_host_has_a_name() -> None:
    command = "torchrun --nnodes=2 --rdzv_backend=c10d --rdzv_endpoint=$(cat /head):29400 train.py"
    pod: dict[str, Any] = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "main", "image": "train:1"}]},
    }
    pod["spec"]["containers"][0]["command"] = ["sh", "-c", command]
    workers = {"serviceName": "a", "replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": pod}
    manifest = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "a"}, "spec": workers}
    done = trainc("plan", "--manifests", "-", "--format", "json", stdin=json.dumps(manifest))
    triggers = [case["trigger"] for case in json.loads(done.out)[0]["failureCases"]]
    assert "the rendezvous host fails" in triggers
    assert all(trigger == trigger.strip() for trigger in triggers)
