"""Translation of Jobs of Volcano, as TorchX writes them and as people do."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import trainc
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.systems.shared.reader.documents import translate_documents

Object = dict[str, Any]
POLICIES = [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}]
TORCHX = "torchrun --rdzv_backend c10d --rdzv_endpoint ${%s:=localhost}:29500 --rdzv_id 'a' --nnodes 2"
TORCHX += " --nproc_per_node 4 --tee 3 --role '' train.py --lr 0.1"
SHELL = """\
HOST=$(echo $VC_WORKER_HOSTS | cut -d, -f1)
torchrun --nnodes=$VC_WORKER_NUM --nproc_per_node=2 --node_rank=$VC_TASK_INDEX --master_addr=$HOST train.py
"""


def task(name: str, replicas: int, *command: str, **pod: Any) -> Object:
    container = {"name": name, "image": "i:1", "command": list(command), **pod.pop("container", {})}
    spec = {"restartPolicy": "Never", "containers": [container], **pod}
    return {"name": name, "replicas": replicas, "template": {"spec": spec}}


def job(*tasks: Object, **spec: Any) -> str:
    document = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "mnist"},
        "spec": {"tasks": list(tasks), "policies": POLICIES, **spec},
    }
    return yaml.safe_dump(document, sort_keys=False)


def translated(text: str) -> tuple[Object, list[Diagnostic], list[Diagnostic]]:
    """Return `spec` of the translated job, the diagnostics, and the faults of the original."""
    documents, problems = load(Source("job.yaml", text))
    assert problems == []
    (result,) = translate_documents([documents])
    value: Any = plain(result.jobs[0]) if result.jobs and isinstance(result.jobs[0], Mapping) else {"spec": {}}
    return value["spec"], result.diagnostics, result.foreign[0].report.faults


def test_each_worker_is_a_task_of_torchx() -> None:
    """app_to_resource of torchx/schedulers/kubernetes_scheduler.py, and ddp of torchx/components/dist.py"""
    own = {"env": [{"name": "TORCHX_RANK0_HOST", "value": "localhost"}]}
    first = task("train-0", 1, "bash", "-c", TORCHX % "TORCHX_RANK0_HOST", container=own)
    second = task("train-1", 1, "bash", "-c", TORCHX % "VC_TRAIN_0_HOSTS")
    plugins = {"svc": ["--publish-not-ready-addresses"], "env": []}
    spec, diagnostics, _ = translated(job(first, second, queue="research", plugins=plugins))
    assert spec["launch"] == {
        "torchrun": {"rendezvous": {"id": "a", "port": 29500}, "tee": 3, "nprocPerNode": 4},
    }
    assert (spec["run"], spec["workers"]) == ({"python": ["train.py", "--lr", "0.1"]}, 2)
    assert spec["scheduling"]["gang"] == {"volcano": {"queue": "research"}}
    assert [each for each in diagnostics if each.severity == "error"] == []


def test_the_master_of_the_plugin_is_the_first_worker() -> None:
    master, worker = task("master", 1, "python3", "train.py"), task("worker", 3, "python3", "train.py")
    master["policies"] = [{"event": "TaskCompleted", "action": "CompleteJob"}]
    spec, diagnostics, _ = translated(job(master, worker, plugins={"pytorch": ["--port=2222"]}, maxRetry=5))
    assert (spec["launch"], spec["workers"]) == ({"basic": {"port": 2222}}, 4)
    assert spec["lifecycle"] == {"successPolicy": "Leader", "backoffLimit": 4}
    assert [each for each in diagnostics if each.severity != "note"] == []


def test_variables_of_the_plugins_in_a_script_are_those_of_the_launcher() -> None:
    plugins = {"svc": ["--disable-network-policy"], "env": []}
    spec, diagnostics, _ = translated(job(task("worker", 4, "bash", "-c", SHELL), plugins=plugins))
    assert spec["launch"] == {"torchrun": {"wrap": False, "rendezvous": {"backend": "static"}}}
    assert spec["env"] == {
        "VC_TASK_INDEX": "$(PET_NODE_RANK)",
        "VC_WORKER_HOSTS": "$(PET_MASTER_ADDR)",
        "VC_WORKER_NUM": "4",
    }
    assert {each.severity for each in diagnostics} == {"note"}


def test_a_list_of_hosts_of_which_not_only_the_first_is_used_is_lost() -> None:
    line = ("bash", "-c", "for host in ${VC_WORKER_HOSTS//,/ }; do echo $host; done; python3 train.py")
    _, diagnostics, _ = translated(job(task("worker", 2, *line), plugins={"svc": []}))
    assert any("`VC_WORKER_HOSTS` is not carried over" in each.message for each in diagnostics)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("networkTopology", {"mode": "soft"}),
        ("runningEstimate", "1h"),
        ("minAvailable", 1),
        ("minSuccess", 3),
        ("plugins", {"ssh": []}),
        ("policies", [*POLICIES, {"event": "Unknown", "action": "AbortJob"}]),
        ("policies", [{**POLICIES[0], "timeout": "10s"}]),
        ("volumes", [{"mountPath": "/data", "volumeClaim": {"storageClassName": "a"}}]),
    ],
)
def test_fields_without_an_equivalent_are_reported(field: str, value: Any) -> None:
    _, diagnostics, _ = translated(job(task("worker", 4, "python3", "train.py"), **{field: value}))
    assert [f"`spec.{field}" in each.message for each in diagnostics if each.severity == "warning"] == [True]


def test_claims_exit_codes_priority_and_ttl_have_fields() -> None:
    text = job(
        task("worker", 2, "python3", "train.py"),
        policies=[{"exitCode": 3, "action": "TerminateJob"}, *POLICIES],
        volumes=[{"mountPath": "/data", "volumeClaimName": "data"}],
        priorityClassName="high",
        ttlSecondsAfterFinished=60,
    )
    spec, diagnostics, _ = translated(text)
    assert spec["lifecycle"] == {"ttlSecondsAfterFinished": 60, "exitCodes": {"fatal": [3]}, "backoffLimit": 2}
    assert spec["scheduling"] == {"gang": "volcano", "priorityClassName": "high"}
    assert [volume["persistentVolumeClaim"] for volume in spec["volumes"]] == [{"claimName": "data"}]
    assert diagnostics == []


def test_an_elastic_range_of_torchrun_is_that_of_the_job() -> None:
    line = ("torchrun", "--nnodes=2:4", "--rdzv_backend=c10d", "--rdzv_endpoint=mnist-worker-0.mnist:29400", "a.py")
    text = job(task("worker", 4, *line), plugins={"svc": []}, minAvailable=2, minSuccess=1)
    spec, _, _ = translated(text)
    assert spec["elastic"] == {"minReplicas": 2, "maxReplicas": 4, "metrics": []}
    assert spec["lifecycle"]["successPolicy"] == "Leader"


@pytest.mark.parametrize(
    ("fields", "pod", "code"),
    [({}, {"restartPolicy": "Always"}, "TC4002"), ({"policies": []}, {}, "TC4068")],
)
def test_faults_of_the_original(fields: Object, pod: Object, code: str) -> None:
    _, _, faults = translated(job(task("worker", 2, "python3", "train.py", **pod), **fields))
    assert [each.code.id for each in faults] == [code]


@pytest.mark.parametrize("plugins", [{"mpi": []}])
def test_the_plugin_mpi_is_an_error(plugins: Object) -> None:
    tasks = task("master", 1, "mpirun", "a.py"), task("worker", 2, "/usr/sbin/sshd", "-D")
    _, diagnostics, _ = translated(job(*tasks, plugins=plugins))
    assert any("the plugin mpi" in each.message and each.severity == "error" for each in diagnostics)


def test_a_round_trip_keeps_the_job() -> None:
    line = ("torchrun", "--nnodes=2", "--rdzv_backend=c10d", "--rdzv_endpoint=mnist-worker-0:29400", "a.py")
    text = job(
        task("worker", 2, *line),
        plugins={"svc": ["--publish-not-ready-addresses"]},
        queue="research",
        maxRetry=5,
        minAvailable=2,
    )
    objects = yaml.safe_load_all(trainc.compile(text, backend="vcjob").to_yaml())
    spec, original = list(objects)[-1]["spec"], yaml.safe_load(text)["spec"]
    for field in ("queue", "maxRetry", "minAvailable", "policies"):
        assert spec[field] == original[field]
