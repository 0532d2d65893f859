"""`trainc import` and `trainc compile` of ElasticJobs: a lab's job with its etcd, public jobs and invalid ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import trainc as compiler
from tests.support.command import succeed, trainc
from tests.support.facts import is_subsequence
from tests.support.requirements import public_jobs
from tests.support.trees import field_paths, with_value
from trainc.diagnostics.text import render
from trainc.systems.registry import NAMES as BACKENDS

# After the job of https://github.com/lenisha/TorchElastic_Lab, kube/imagenet.yaml, and kube/etcd.yaml.
LAB = """\
apiVersion: elastic.pytorch.org/v1alpha1
kind: ElasticJob
metadata: {name: imagenet, namespace: elastic-job}
spec:
  rdzvEndpoint: "etcd-service:2379"
  minReplicas: 1
  maxReplicas: 3
  replicaSpecs:
    Worker:
      replicas: 3
      restartPolicy: ExitCode
      template:
        apiVersion: v1
        kind: Pod
        spec:
          nodeSelector: {kubernetes.azure.com/scalesetpriority: spot}
          tolerations:
          - {key: kubernetes.azure.com/scalesetpriority, operator: Equal, value: spot, effect: NoSchedule}
          volumes:
          - name: trainingdata
            persistentVolumeClaim: {claimName: pvc-blob}
          containers:
          - name: elasticjob-worker
            image: torchelastic/examples:0.2.0
            imagePullPolicy: Always
            args: [--nproc_per_node=1, /workspace/main.py, --workers=0, --checkpoint-file=/mnt/blob/data/c.tar]
            resources:
              limits: {nvidia.com/gpu: 1}
            volumeMounts:
            - {name: trainingdata, mountPath: /mnt/blob/data}
"""
ETCD = """\
---
apiVersion: v1
kind: Service
metadata: {name: etcd-service, namespace: elastic-job}
spec:
  ports: [{name: etcd-client-port, port: 2379}]
  selector: {app: etcd}
---
apiVersion: v1
kind: Pod
metadata: {name: etcd, namespace: elastic-job, labels: {app: etcd}}
spec:
  containers: [{name: etcd, image: "quay.io/coreos/etcd:latest", command: [etcd, --enable-v2]}]
"""


def compile_to_job(text: str) -> dict[str, Any]:
    result = compiler.compile(text)
    assert result.ok, render(result.diagnostics)
    [job] = [manifest for manifest in result.objects() if manifest["kind"] == "Job"]
    return job


def test_the_lab_is_imported_as_the_expected_job_file() -> None:
    done = succeed("import", "-", stdin=LAB + ETCD)
    lines = [line for line in done.out.splitlines() if not line.strip().startswith("#")]
    assert lines == [
        "apiVersion: trainc.dev/v1alpha1",
        "kind: TrainingJob",
        "metadata:",
        "  name: imagenet",
        "  namespace: elastic-job",
        "spec:",
        "  image: torchelastic/examples:0.2.0",
        "  imagePullPolicy: Always",
        "  launch:",
        "    torchrun:",
        "      wrap: false",
        "      module: torchelastic.distributed.launch",
        "      rendezvous:",
        "        backend: etcd",
        "        managed: true",
        "  run:",
        "    entrypoint:",
        "    - --rdzv_backend=$(PET_RDZV_BACKEND)",
        "    - --rdzv_endpoint=$(PET_RDZV_ENDPOINT)",
        "    - --rdzv_id=$(PET_RDZV_ID)",
        "    - --nnodes=$(PET_NNODES)",
        "    - --nproc_per_node=1",
        "    - /workspace/main.py",
        "    - --workers=0",
        "    - --checkpoint-file=/mnt/blob/data/c.tar",
        "  workers: 3",
        "  elastic:",
        "    minReplicas: 1",
        "    maxReplicas: 3",
        "    metrics: []",
        "  resources: {gpu: 1}",
        "  sharedMemory: false",
        "  volumes:",
        "  - {name: trainingdata, mountPath: /mnt/blob/data, persistentVolumeClaim: {claimName: pvc-blob}}",
        "  lifecycle:",
        "    exitCodes: {retryable: [130, 137, 138, 143]}",
        "  scheduling: {spot: aks}",
    ]
    assert "\nnot carried over: nothing\n" in done.err


def test_the_compiled_pods_have_the_arguments_of_the_operator() -> None:
    """controllers/pod.go inserts four arguments before those of the container, and no variable."""
    job = compile_to_job(LAB)
    assert (job["spec"]["completions"], job["metadata"]["namespace"]) == (3, "elastic-job")
    pod = job["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert "command" not in container
    values = {variable["name"]: variable["value"] for variable in container["env"] if "value" in variable}
    arguments = [re.sub(r"\$\((\w+)\)", lambda m: values.get(m[1], m[0]), argument) for argument in container["args"]]
    assert arguments == [
        "--rdzv_backend=etcd",
        "--rdzv_endpoint=etcd-service:2379",
        "--rdzv_id=$(PET_RDZV_ID)",
        "--nnodes=1:3",
        "--nproc_per_node=1",
        "/workspace/main.py",
        "--workers=0",
        "--checkpoint-file=/mnt/blob/data/c.tar",
    ]
    original = yaml.safe_load(LAB)["spec"]["replicaSpecs"]["Worker"]["template"]["spec"]
    assert pod["nodeSelector"] == original["nodeSelector"]
    assert pod["tolerations"] == original["tolerations"]
    assert pod["volumes"] == original["volumes"]
    assert container["volumeMounts"] == original["containers"][0]["volumeMounts"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": "1"}


@pytest.mark.parametrize("command", ["", "command: [python, -m, torchelastic.distributed.launch]"])
def test_torchelastic_0_2_0_has_its_own_defaults_and_reads_no_variables(command: str) -> None:
    """Its parser has 3 restarts: https://github.com/pytorch/elastic/blob/v0.2.0/torchelastic/distributed/launch.py"""
    env = "env: [{name: PET_MAX_RESTARTS, value: '7'}]"
    for addition in (command, f"{command}\n            {env}"):
        lab = LAB.replace("imagePullPolicy: Always", addition)
        assert (
            "torchelastic, 1–3 nodes, 1 process per pod, 3 restarts"
            in trainc("plan", "--manifests", "-", stdin=lab).out
        )
    assert "TC3153" not in trainc("check", "-", stdin=LAB.replace("imagePullPolicy: Always", command)).out
    [container] = compile_to_job(LAB.replace("imagePullPolicy: Always", command))["spec"]["template"]["spec"][
        "containers"
    ]
    referenced = {f"$({variable['name']})" for variable in container["env"]}
    assert all(any(name in argument for argument in container["args"]) for name in referenced)


def test_an_imported_job_compiles_to_what_the_original_compiles_to() -> None:
    text = trainc("import", "-", stdin=LAB + ETCD).out
    for backend in BACKENDS:
        imported, original = (compiler.compile(source, backend=backend) for source in (text, LAB + ETCD))
        assert imported.objects() == original.objects()
        assert {d.code.id for d in original.diagnostics} - {d.code.id for d in imported.diagnostics} == {"TC5002"}


def test_diagnostics_have_positions_in_the_original() -> None:
    result = compiler.compile(LAB.replace("minReplicas: 1", "minReplicas: 4"))
    errors = [diagnostic for diagnostic in result.diagnostics if diagnostic.severity == "error"]
    assert [(error.code.id, error.span.line) for error in errors] == [("TC3003", 6)]


def test_jobs_keep_the_order_of_their_file() -> None:
    job = "---\napiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: %s}\n"
    job += "spec: {image: 'a:1', launch: {basic: {}}, run: {exec: [a]}}\n"
    done = trainc("import", "-", stdin=job % "first" + "---\n" + LAB + job % "last")
    assert [document["metadata"]["name"] for document in yaml.safe_load_all(done.out)] == ["first", "imagenet", "last"]


UNEXPECTED_VALUES: tuple[Any, ...] = (
    *(None, 7, -1, 1.5, True, "", "x", [], [None], {}, {"a": 1}, [[{"a": None}]]),
    *("99999999999999999999", "\0", "$(A)"),
)


@pytest.mark.sample(4)
@pytest.mark.parametrize("path", list(field_paths(yaml.safe_load(LAB))), ids=str)
def test_unexpected_values_of_any_field_give_diagnostics_with_positions(path: tuple[str | int, ...]) -> None:
    for value in UNEXPECTED_VALUES:
        job = json.dumps(with_value(yaml.safe_load(LAB), path, value))
        for diagnostic in compiler.compile(f"{job}\n{ETCD}").diagnostics:
            assert diagnostic.code.id != "TC9001"
            assert diagnostic.span.source.line(diagnostic.span.line) or diagnostic.span.column == 1


@pytest.mark.parametrize(
    "value", ["null", "[]", "{}", "x", "[{}]", "{selector: 1}", "{selector: [a]}", "{template: 1}"]
)
@pytest.mark.parametrize("field", ["spec", "metadata"])
def test_invalid_objects_next_to_a_job_are_no_errors(field: str, value: str) -> None:
    etcd = yaml.safe_load(ETCD.split("---\n")[1])
    for kind in ("Service", "Pod", "Deployment"):
        text = yaml.safe_dump({**etcd, "kind": kind, field: yaml.safe_load(value)})
        assert compiler.compile(f"{LAB}---\n{text}{ETCD}").ok


AWS = "aws-samples__aws-do-eks__Container-Root__eks__deployment__distributed-training__pytorch__elasticjob__samples__"
DLROVER = "intelligent-machine-learning__dlrover__"
# Public ElasticJobs, and the expected error of those that are not translated.
PUBLIC = {
    f"{AWS}imagenet-fsx.yaml": None,
    f"{AWS}imagenet.yaml": None,
    f"{DLROVER}dlrover__python__tests__data__elasticjob_sample.yaml": "TC5015",
    f"{DLROVER}examples__pytorch__llama2__elastic_job.yaml": "TC5015",
    f"{DLROVER}go__elasticjob__config__samples__elastic_v1alpha1_elasticjob.yaml": "TC5015",
    "pytorch__elastic__kubernetes__config__samples__imagenet.yaml": "TC5004",
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_elasticjob_is_translated_or_has_the_expected_error(name: str) -> None:
    file = public_jobs() / "elasticjob" / name
    if not file.exists():
        pytest.skip(f"the folder of public jobs lacks {name}")
    done = trainc("import", file)
    if PUBLIC[name]:
        assert (done.code, done.out, done.err.count("error[")) == (1, "", 1)
        assert f"error[{PUBLIC[name]}]" in done.err
        return
    assert done.code == 0
    assert "\nnot carried over: nothing\n" in done.err
    original = yaml.safe_load(file.read_text("utf-8"))["spec"]
    original_pod = original["replicaSpecs"]["Worker"]["template"]["spec"]
    original_container = original_pod["containers"][0]
    pod = compile_to_job(done.out)["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert container["image"] == original_container["image"]
    gpus = original_container["resources"]["limits"]["nvidia.com/gpu"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": str(gpus)}
    assert pod.get("nodeSelector") == original_pod.get("nodeSelector")
    processes, *arguments = original_container["args"]
    command = original_container.get("command", [processes])
    assert is_subsequence([*command, *arguments], [*container.get("command", []), *container["args"]])
    env = {variable["name"]: variable.get("value") for variable in container["env"]}
    if container["image"].endswith("torchelastic/examples:0.2.0"):  # which reads no variables
        assert processes in container["args"]
    else:
        assert processes == f"--nproc_per_node={env['PET_NPROC_PER_NODE']}"
    assert env["PET_NNODES"] == f"{original['minReplicas']}:{original['maxReplicas']}"
    assert env["PET_RDZV_ENDPOINT"] == original["rdzvEndpoint"]


def test_an_etcd_in_another_input_file_is_replaced(tmp_path: Path) -> None:
    single = trainc("import", "-", stdin=LAB + ETCD).out
    job = single[single.index("apiVersion") :]  # the comments above it are about the etcd in the same file
    files = [tmp_path / "job.yaml", tmp_path / "etcd.yaml"]
    for file, text in zip(files, (LAB, ETCD), strict=True):
        file.write_text(text)
    for order in (files, files[::-1]):
        done = trainc("import", *order)
        assert (done.code, done.out) == (0, job)
        assert "not carried over: nothing" in done.err
        assert trainc("compile", *order).out == trainc("compile", "-", stdin=LAB + ETCD).out
    assert trainc("check", files[1]).code == 1  # the etcd alone is not a job
