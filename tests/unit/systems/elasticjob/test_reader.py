"""Translation of ElasticJobs as the operator runs them: https://github.com/pytorch/elastic/tree/master/kubernetes"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from trainc.diagnostics.diagnostic import Diagnostic, in_order
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.spec.document import read
from trainc.systems.shared.reader.documents import translate_documents

JOB = """\
apiVersion: elastic.pytorch.org/v1alpha1
kind: ElasticJob
metadata: {name: mnist, namespace: lab}
spec:
  rdzvEndpoint: etcd-service:2379
  minReplicas: 1
  maxReplicas: 3
  backoffLimit: 4
  replicaSpecs:
    Worker:
      replicas: 3
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: elasticjob-worker
            image: train:1
            args: [--max_restarts=1, train.py, --lr, "1"]
"""
ETCD = """\
---
apiVersion: v1
kind: Service
metadata: {name: etcd-service, namespace: lab}
spec: {selector: {app: etcd}, ports: [{port: 2379}]}
---
apiVersion: v1
kind: Pod
metadata: {name: etcd, labels: {app: etcd, tier: back}}
spec:
  containers: [{name: etcd, image: "quay.io/coreos/etcd:latest"}]
"""
INJECTED = [
    "--rdzv_backend=$(PET_RDZV_BACKEND)",
    "--rdzv_endpoint=$(PET_RDZV_ENDPOINT)",
    "--rdzv_id=$(PET_RDZV_ID)",
    "--nnodes=$(PET_NNODES)",
]


def translate_job(text: str) -> tuple[dict[str, Any] | None, list[Diagnostic]]:
    """Return the first job and the diagnostics."""
    documents, diagnostics = load(Source("job.yaml", text))
    assert diagnostics == []
    [(jobs, notes, *_)] = translate_documents([documents])
    for job in jobs:
        result = read(job)
        notes += result if isinstance(result, list) else []
    return (plain(jobs[0]) if jobs and isinstance(jobs[0], Mapping) else None), in_order(notes)


def spec(text: str) -> dict[str, Any]:
    job, diagnostics = translate_job(text)
    assert job is not None, diagnostics
    result: dict[str, Any] = job["spec"]
    return result


def with_spec(**changes: Any) -> str:
    """Return the job with other fields in its spec; None removes a field."""
    job = yaml.safe_load(JOB)
    job["spec"] = {key: value for key, value in {**job["spec"], **changes}.items() if value is not None}
    return yaml.safe_dump(job, sort_keys=False)


def with_worker(**changes: Any) -> str:
    """Return the job with other fields in its worker."""
    original = yaml.safe_load(JOB)["spec"]["replicaSpecs"]["Worker"]
    original = {key: value for key, value in {**original, **changes}.items() if value is not None}
    return with_spec(replicaSpecs={"Worker": original})


def with_container(**changes: Any) -> str:
    """Return the job with other fields in its container."""
    original = {"name": "elasticjob-worker", "image": "train:1", **changes}
    return with_worker(template={"spec": {"containers": [{k: v for k, v in original.items() if v is not None}]}})


def error_messages(text: str) -> list[str]:
    return [diagnostic.message for diagnostic in translate_job(text)[1] if diagnostic.severity == "error"]


def note_messages(text: str) -> list[str]:
    return [diagnostic.message for diagnostic in translate_job(text)[1] if diagnostic.severity == "note"]


def test_a_complete_job() -> None:
    job, diagnostics = translate_job(JOB)
    assert job == {
        "apiVersion": "trainc.dev/v1alpha1",
        "kind": "TrainingJob",
        "metadata": {"name": "mnist", "namespace": "lab"},
        "spec": {
            "image": "train:1",
            "launch": {
                "torchrun": {"rendezvous": {"backend": "etcd", "endpoint": "etcd-service:2379"}, "wrap": False},
            },
            "run": {"entrypoint": [*INJECTED, "--max_restarts=1", "train.py", "--lr", "1"]},
            "workers": 3,
            "elastic": {"minReplicas": 1, "maxReplicas": 3, "metrics": []},
            "lifecycle": {"backoffLimit": 4, "restartPolicy": "OnFailure"},
        },
    }
    assert {diagnostic.code.id for diagnostic in diagnostics} == {"TC5002"}


@pytest.mark.parametrize(
    ("low", "high", "replicas", "workers", "bounds"),
    [
        (None, None, 3, 3, None),
        (None, None, 1, None, None),
        (2, 2, 2, 2, None),
        (1, None, 3, 3, (1, 3)),
        (None, 4, 2, 2, (2, 4)),
        (2, 2, 3, 3, (2, 2)),
    ],
)
def test_replicas_are_the_default_of_both_bounds(low: Any, high: Any, replicas: int, workers: Any, bounds: Any) -> None:
    """controllers/pod.go: min and max are the replicas if they are nil."""
    text = with_worker(replicas=replicas).replace("minReplicas: 1\n", f"minReplicas: {low or 'null'}\n")
    result = spec(text.replace("maxReplicas: 3\n", f"maxReplicas: {high or 'null'}\n"))
    assert result.get("workers") == workers
    elastic = result.get("elastic")
    assert (elastic and (elastic["minReplicas"], elastic["maxReplicas"])) == bounds


def test_a_maximum_that_only_the_user_reaches_is_reported() -> None:
    message = "nothing scales the job: it has 3 workers, as before, until you scale it"
    assert message in note_messages(with_spec(maxReplicas=128))
    assert message not in note_messages(JOB)


@pytest.mark.parametrize(
    ("nnodes", "workers", "bounds"), [("3", 3, None), ("2:3", 3, (2, 3)), ("1:128", 3, (1, 128)), ("$N", 3, (1, 128))]
)
def test_the_launchers_own_number_of_nodes_overrides_the_operators(
    nnodes: str, workers: int, bounds: tuple[int, int] | None
) -> None:
    """The operator places its arguments before the container's, and argparse takes the last of an option."""
    text = with_spec(minReplicas=1, maxReplicas=128).replace("--max_restarts=1", f"--nnodes={nnodes}")
    result = spec(text)
    elastic = result.get("elastic")
    assert result["workers"] == workers
    assert (elastic and (elastic["minReplicas"], elastic["maxReplicas"])) == bounds


@pytest.mark.parametrize(
    ("policy", "lifecycle"),
    [
        ("ExitCode", {"backoffLimit": 4, "exitCodes": {"retryable": [130, 137, 138, 143]}}),
        ("Never", {"backoffLimit": 0, "restartPolicy": "Never"}),
        ("OnFailure", {"backoffLimit": 4, "restartPolicy": "OnFailure"}),
        ("Always", {"backoffLimit": 4, "restartPolicy": "OnFailure"}),
        # An empty one is the pod's default: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
        (None, {"backoffLimit": 4, "restartPolicy": "OnFailure"}),
    ],
)
def test_restart_policies(policy: Any, lifecycle: dict[str, Any]) -> None:
    assert spec(with_worker(restartPolicy=policy))["lifecycle"] == lifecycle


@pytest.mark.parametrize(
    ("original", "lifecycle"),
    [
        ({"activeDeadlineSeconds": 9}, {"activeDeadlineSeconds": 9}),
        ({"ttlSecondsAfterFinished": 9}, {"ttlSecondsAfterFinished": 9}),
        ({"cleanPodPolicy": "All"}, {"cleanPodPolicy": "All"}),
        ({"cleanPodPolicy": "None"}, {}),
    ],
)
def test_run_policy_fields_in_the_spec_are_read(original: dict[str, Any], lifecycle: dict[str, Any]) -> None:
    assert spec(with_spec(**original))["lifecycle"] == {"backoffLimit": 4, "restartPolicy": "OnFailure", **lifecycle}


def test_the_scheduling_policy_is_not_carried_over() -> None:
    """controllers/elasticjob_controller.go: EnableGangScheduling is false."""
    _, diagnostics = translate_job(with_spec(schedulingPolicy={"minAvailable": 2}))
    [result] = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "warning"]
    assert result.message == "`spec.schedulingPolicy` is not carried over: the operator does not schedule gangs"


@pytest.mark.parametrize(
    ("command", "args", "run"),
    [
        (["torchrun"], ["--max_restarts=1", "train.py"], {"python": ["train.py"]}),
        (["python", "-m", "torch.distributed.run"], ["-m", "pkg.train"], {"module": ["pkg.train"]}),
        (["./start"], ["a"], {"exec": ["./start", *INJECTED, "a"]}),
        (["bash", "-c", 'exec torchrun "$@"', "x"], ["train.py"], None),
        (None, None, {"entrypoint": INJECTED}),
    ],
)
def test_a_torchrun_command_becomes_fields_and_any_other_gets_the_operators_arguments(
    command: Any, args: Any, run: Any
) -> None:
    result = spec(with_container(command=command, args=args))
    run = run or {"exec": [*command, *INJECTED, *args]}
    assert result["run"] == run
    assert result["launch"]["torchrun"].get("wrap", True) == (next(iter(run)) in ("python", "module"))


def test_the_users_arguments_override_the_operators() -> None:
    result = spec(with_container(command=["torchrun"], args=["--rdzv_endpoint=other:1", "train.py"]) + ETCD)
    assert result["launch"]["torchrun"]["rendezvous"] == {"backend": "etcd", "endpoint": "other:1"}


@pytest.mark.parametrize(
    ("args", "gpus", "processes"),
    [
        (["--nproc_per_node=1"], 1, None),
        (["--nproc_per_node=2"], 2, None),
        (["--nproc_per_node", "2"], 4, 2),
        ([], 4, 1),
    ],
)
def test_the_default_number_of_processes_is_one(args: list[str], gpus: int, processes: Any) -> None:
    resources = {"limits": {"nvidia.com/gpu": gpus}}
    result = spec(with_container(args=[*args, "train.py"], resources=resources))
    assert result["launch"]["torchrun"].get("nprocPerNode") == processes
    assert result["sharedMemory"] is False


def test_a_count_beyond_64_bits_is_rejected() -> None:
    text = with_container(args=["train.py"], resources={"limits": {"nvidia.com/gpu": 10**30}})
    assert [diagnostic.code.id for diagnostic in translate_job(text)[1] if diagnostic.severity == "error"] == ["TC2004"]


def test_a_command_other_than_torchrun_is_rejected() -> None:
    text = with_container(command=["deepspeed"], args=["train.py"])
    text = text.replace("replicas: 3", "replicas: 1").replace("maxReplicas: 3", "maxReplicas: 1")
    assert error_messages(text) == ["the container must run torchrun: the operator adds torchrun's arguments"]


def test_a_sidecar_without_the_launchers_arguments_is_reported() -> None:
    text = JOB.replace(
        "          containers:\n", "          containers:\n          - {name: log, image: 'log:1', args: [a]}\n"
    )
    result = spec(text)
    assert result["image"] == "train:1"
    assert result["podTemplate"]["spec"]["containers"] == [{"name": "log", "image": "log:1", "args": ["a"]}]
    assert (
        "this container does not get the launcher's arguments; the operator adds them to all containers"
        in note_messages(text)
    )


@pytest.mark.parametrize(
    ("endpoint", "service"),
    [("etcd-service:2379", ""), ("etcd-service.lab:2379", ""), ("etcd-service.lab.svc.cluster.local:2379", "")],
)
def test_an_etcd_in_the_input_becomes_a_managed_one(endpoint: str, service: str) -> None:
    text = JOB.replace("etcd-service:2379", endpoint) + ETCD
    job, diagnostics = translate_job(text)
    assert job is not None
    assert job["spec"]["launch"]["torchrun"]["rendezvous"] == {"backend": "etcd", "managed": True}
    assert not any(diagnostic.severity == "warning" for diagnostic in diagnostics)
    assert {
        "`Service/etcd-service` is no longer needed",
        "`Pod/etcd` is no longer needed",
    } <= {diagnostic.message for diagnostic in diagnostics}


@pytest.mark.parametrize(
    ("original", "replacement"),
    [
        ("etcd-service:2379", "etcd-service.other:2379"),
        ("etcd-service:2379", "etcd:2379"),
        ("selector: {app: etcd}", "selector: {app: db}"),
        ("selector: {app: etcd}", "selector: {}"),
        ("quay.io/coreos/etcd:latest", "redis:7"),
    ],
)
def test_an_etcd_that_the_job_does_not_use_is_reported(original: str, replacement: str) -> None:
    text = (JOB + ETCD).replace(original, replacement, 1)
    job, diagnostics = translate_job(text)
    assert job is not None
    assert "endpoint" in job["spec"]["launch"]["torchrun"]["rendezvous"]
    assert [diagnostic.help for diagnostic in diagnostics if diagnostic.severity == "warning"] == [
        "apply it separately"
    ] * 2


@pytest.mark.parametrize(
    ("image", "managed"),
    [
        ("quay.io/coreos/etcd:v3.5.9", True),
        ("mirror.example.com:5000/etcd:3.4.27", {"image": "mirror.example.com:5000/etcd:3.4.27"}),
        ("mirror.example.com/etcd:v3.6.1", True),
        ("mirror.example.com:5000/etcd", True),
    ],
)
def test_an_etcd_image_with_the_v2_api_is_kept(image: str, managed: Any) -> None:
    result = spec(JOB + ETCD.replace("quay.io/coreos/etcd:latest", image))
    assert result["launch"]["torchrun"]["rendezvous"]["managed"] == managed


def test_an_etcd_deployment_with_two_services_is_replaced() -> None:
    deployment = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: e}\nspec: {template: {metadata: {labels: {app: etcd}}"
    )
    text = JOB + ETCD[: ETCD.index("---\napiVersion: v1\nkind: Pod")]
    text += "---\napiVersion: v1\nkind: Service\nmetadata: {name: peers}\nspec: {selector: {app: etcd}}\n---\n"
    text += deployment + ", spec: {containers: [{image: 'etcd:3.5'}]}}}\n"
    assert spec(text)["launch"]["torchrun"]["rendezvous"]["managed"] == {"image": "etcd:3.5"}
    assert not any(diagnostic.severity == "warning" for diagnostic in translate_job(text)[1])


def test_the_pod_templates_restart_policy_is_left_out() -> None:
    containers = [{"name": "elasticjob-worker", "image": "train:1", "args": ["train.py"]}]
    text = with_worker(template={"spec": {"containers": containers, "restartPolicy": "Always"}})
    assert "podTemplate" not in spec(text)
    assert (
        "`spec.replicaSpecs.Worker.template.spec.restartPolicy` is left out: the operator overwrites it"
        in note_messages(text)
    )


SPOT = {"kubernetes.azure.com/scalesetpriority": "spot"}
TOLERATION = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("pod", "scheduling"),
    [
        ({"nodeSelector": SPOT, "tolerations": [{**TOLERATION, "operator": "Equal"}]}, {"spot": "aks"}),
        ({"nodeSelector": SPOT, "tolerations": [TOLERATION]}, {"spot": "aks"}),
        (
            {"nodeSelector": {**SPOT, "a": "b"}, "tolerations": [TOLERATION, {"key": "x"}]},
            {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "x"}], "spot": "aks"},
        ),
        # trainc's spot would add the toleration or another label.
        ({"nodeSelector": SPOT}, {"nodeSelector": SPOT}),
        ({"tolerations": [TOLERATION]}, {"tolerations": [TOLERATION]}),
        (
            {"nodeSelector": SPOT, "tolerations": [{**TOLERATION, "effect": "NoExecute"}]},
            {"nodeSelector": SPOT, "tolerations": [{**TOLERATION, "effect": "NoExecute"}]},
        ),
        ({"nodeSelector": {"karpenter.sh/capacity-type": "spot"}}, {"spot": "karpenter"}),
        ({"nodeSelector": {"eks.amazonaws.com/capacityType": "ON_DEMAND"}},) * 2,
    ],
)
def test_spot_selectors_and_tolerations_become_spot_only_if_they_are_equal_to_it(
    pod: dict[str, Any], scheduling: dict[str, Any]
) -> None:
    containers = [{"name": "elasticjob-worker", "image": "train:1", "args": ["train.py"]}]
    assert spec(with_worker(template={"spec": {"containers": containers, **pod}}))["scheduling"] == scheduling


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (with_spec(rdzvEndpoint=None), ["`spec.rdzvEndpoint` is missing"]),
        (with_spec(rdzvEndpoint="<a>:<b>"), ["unrendered template: `<a>:<b>` in place of a value"]),
        (with_spec(rdzvEndpoint=[7]), ["`spec.rdzvEndpoint` must be a string"]),
        (with_worker(replicas=None), ["`spec.replicaSpecs.Worker.replicas` is missing"]),
        (with_worker(replicas="two"), ["`spec.replicaSpecs.Worker.replicas` must be a whole number"]),
        (with_worker(restartPolicy="Sometimes"), ["unknown restartPolicy `Sometimes`"]),
        (with_spec(cleanPodPolicy="Some"), ["unknown cleanPodPolicy `Some`"]),
        (JOB.replace("Worker:", "worker:"), ["the operator ignores `spec.replicaSpecs.worker`"]),
        (with_spec(replicaSpecs={}), ["the job has no `spec.replicaSpecs.Worker.template`"]),
        (with_worker(template={"spec": {"containers": []}}), ["`spec.replicaSpecs.Worker.template` has no container"]),
    ],
)
def test_a_job_that_the_operator_cannot_run_is_an_error(text: str, messages: list[str]) -> None:
    assert error_messages(text) == messages


def test_an_unknown_field_is_reported_at_its_position() -> None:
    _, diagnostics = translate_job(JOB.replace("  backoffLimit: 4\n", "  backoffLimits: 4\n"))
    [result] = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "warning"]
    assert result.message == "`spec.backoffLimits` is not carried over"
    assert (result.span.line, result.span.column) == (8, 3)
