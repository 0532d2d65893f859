"""Translation of TrainJobs with their runtimes, as Kubeflow Trainer 2.3 and JobSet 0.12 run them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.training_runtime import training_runtime
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.spec.document import read
from trainc.systems.shared.reader.documents import translate_documents

RUNTIME = training_runtime(
    "{name: node, image: base:1, env: [{name: A, value: '0'}, {name: B, value: '1'}],"
    " resources: {limits: {nvidia.com/gpu: 8, memory: 64Gi}}}"
).replace("      replicatedJobs:", "      ttlSecondsAfterFinished: 60\n      replicatedJobs:")
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: mnist, namespace: lab}
spec:
  runtimeRef: {name: team}
  activeDeadlineSeconds: 3600
  trainer:
    image: train:1
    command: [torchrun, train.py]
    args: [--lr, "1"]
    numNodes: 4
    numProcPerNode: 8
    env: [{name: A, value: "2"}]
  runtimePatches:
  - manager: example.com/team
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template: {spec: {template: {spec: {nodeSelector: {disk: ssd}}}}}
"""


def translate(*texts: str) -> tuple[dict[str, Any], list[str]]:
    """Return the spec, {} if there is none, and the messages of all files."""
    files = [load(Source(f"{number}.yaml", text))[0] for number, text in enumerate(texts)]
    results = translate_documents(files)
    messages = [diagnostic.message for result in results for diagnostic in result.diagnostics]
    jobs = [job for result in results for job in result.jobs]
    if not jobs:
        return {}, messages
    (job,) = jobs
    assert isinstance(job, Mapping)
    result = read(job)
    assert not isinstance(result, list), result
    return dict(plain(job)["spec"]), messages


def edited(text: str, path: str, value: Any) -> str:
    """Return a document with another value at a path; numbers are positions in lists."""
    document = yaml.safe_load(text)
    *steps, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    inner = document
    for step in steps:
        inner = inner[step]
    inner[last] = value
    return yaml.safe_dump(document, sort_keys=False)


@pytest.mark.parametrize("texts", [(RUNTIME, JOB), (JOB, RUNTIME), (f"{RUNTIME}---\n{JOB}",)])
def test_a_runtime_may_be_anywhere_in_the_input(texts: tuple[str, ...]) -> None:
    spec, messages = translate(*texts)
    assert messages == []
    assert spec == {
        "image": "train:1",
        "launch": {"torchrun": {"rendezvous": {"backend": "static"}}},
        "run": {"python": ["train.py", "--lr", "1"]},
        "workers": 4,
        "resources": {"gpu": 8, "memory": "64Gi"},
        "sharedMemory": False,
        "env": {"A": "2", "B": "1"},
        "lifecycle": {"backoffLimit": 3, "activeDeadlineSeconds": 3600, "ttlSecondsAfterFinished": 60},
        "scheduling": {"nodeSelector": {"disk": "ssd"}},
    }


def test_a_runtime_that_trainer_ships() -> None:
    """Its containers restart in place, up to the limit of a Job: JobSet's webhook sets OnFailure."""
    spec, _ = translate(edited(JOB, "spec.runtimeRef.name", "torch-distributed"))
    assert spec["lifecycle"] == {"backoffLimit": 6, "restartPolicy": "OnFailure", "activeDeadlineSeconds": 3600}
    assert spec["launch"] == {"torchrun": {"nprocPerNode": 8, "rendezvous": {"backend": "static"}}}


def test_overrides_of_trainer_21() -> None:
    override = {"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"disk": "hdd"}}}
    spec, messages = translate(RUNTIME, edited(JOB, "spec.podTemplateOverrides", [override]))
    assert spec["scheduling"] == {"nodeSelector": {"disk": "hdd"}}
    assert messages == []


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("spec.runtimeRef.name", "none", "the ClusterTrainingRuntime `none`, which has the pods of this TrainJob, is"),
        ("spec.runtimeRef.kind", "TrainingRuntime", "the TrainingRuntime `team`, which has the pods of this TrainJob,"),
        ("spec.runtimeRef.name", "xgboost-distributed", "the runtime sets the variables of XGBoost's tracker: trainc"),
        (
            "spec.trainer.command",
            ["tune", "run"],
            "the runtime runs torchtune, whose files",
        ),
        ("spec.runtimeRef", {}, "the job has no `spec.runtimeRef.name`"),
    ],
)
def test_runtimes_that_are_missing_or_for_other_programs(path: str, value: Any, message: str) -> None:
    spec, messages = translate(RUNTIME, edited(JOB, path, value))
    assert spec == {}
    notes = ("is not a training job, and is not carried over", "which ships it")
    own = [each for each in messages if not each.endswith(notes)]
    assert [each.startswith(message) for each in own] == [True], messages


def test_a_runtime_of_flux() -> None:
    _, (message,) = translate(edited(RUNTIME, "spec.mlPolicy", {"numNodes": 2, "flux": {}}), JOB)
    assert message.startswith("the runtime starts a Flux instance, which schedules the processes: trainc does not")


def test_other_steps_are_reported() -> None:
    initializer = {"name": "dataset-initializer", "template": {"spec": {"template": {"spec": {"containers": []}}}}}
    jobs = yaml.safe_load(RUNTIME)["spec"]["template"]["spec"]["replicatedJobs"]
    text = edited(RUNTIME, "spec.template.spec.replicatedJobs", [initializer, *jobs])
    _, messages = translate(text, edited(JOB, "spec.initializer", {"dataset": {"storageUri": "s3://a"}}))
    assert any("dataset-initializer" in message for message in messages)
    assert any("spec.initializer" in message for message in messages)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec", []),
        ("spec.template", None),
        ("spec.template.spec", 1),
        ("spec.template.spec.replicatedJobs", {}),
        ("spec.template.spec.replicatedJobs", ["a"]),
        ("spec.template.spec.replicatedJobs.0.template", "a"),
        ("spec.template.spec.replicatedJobs.0.template.spec.template", 1),
        ("spec.template.spec.network", []),
        ("spec.mlPolicy", "torch"),
        ("spec.mlPolicy.numNodes", "two"),
    ],
)
def test_a_runtime_of_another_form_is_an_error(path: str, value: Any) -> None:
    spec, messages = translate(edited(RUNTIME, path, value), JOB)
    assert spec == {} or path.endswith("network")
    assert messages


@pytest.mark.parametrize("launches", [{"torch": {}}, {}])
@pytest.mark.parametrize(
    ("policy", "annotations", "gang"),
    [
        ({"volcano": {}}, {}, "volcano"),
        ({"volcano": {}}, {"scheduling.volcano.sh/queue-name": "team"}, {"volcano": {"queue": "team"}}),
        ({"coscheduling": {"scheduleTimeoutSeconds": 60}}, {}, "coscheduling"),
    ],
)
def test_the_group_of_a_runtime(policy: Any, annotations: Any, gang: Any, launches: Any) -> None:
    text = edited(edited(RUNTIME, "spec.podGroupPolicy", policy), "spec.mlPolicy", launches)
    text = edited(text, "spec.template.spec.replicatedJobs.0.template.spec.template.spec.schedulerName", "volcano")
    spec, _ = translate(edited(text, "spec.template.metadata", {"annotations": annotations}), JOB)
    scheduler = {} if "volcano" in policy else {"schedulerName": "volcano"}
    assert spec["scheduling"] == {"gang": gang, **scheduler, "nodeSelector": {"disk": "ssd"}}


MPI_TRAINER = {
    "numNodes": 4,
    "command": ["mpirun", "--hostfile", "/etc/mpi/hostfile", "-x", "HF_HOME", "python3", "t5.py", "--epochs", "3"],
    "env": [{"name": "HF_HOME", "value": "/cache"}],
    "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8, "memory": "200Gi"}},
}


def mpi_job(**trainer: Any) -> str:
    job = yaml.safe_load(JOB)
    reference = {"name": "deepspeed-distributed"}
    return yaml.safe_dump({**job, "spec": {"runtimeRef": reference, "trainer": {**MPI_TRAINER, **trainer}}})


def test_a_shipped_runtime_with_mpirun() -> None:
    """The policy of v2.3.0's manifests/base/runtimes/deepspeed_distributed.yaml: the launcher is the fourth node."""
    spec, messages = translate(mpi_job())
    assert (spec["launch"], spec["workers"]) == ({"mpirun": {"slotsPerWorker": 8, "forwardEnv": []}}, 4)
    assert (spec["run"], spec["env"]) == ({"python": ["t5.py", "--epochs", "3"]}, {"HF_HOME": "/cache"})
    assert (spec["image"], spec["resources"]) == (
        "ghcr.io/kubeflow/trainer/deepspeed-runtime",
        {"gpu": 8, "memory": "200Gi"},
    )
    sshd = ["/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config"]
    assert spec["launcherPod"] == {"sshAuthMountPath": "/home/mpiuser/.ssh", "workerCommand": sshd}
    assert "mpirun needs a launcher pod, which trainc emits for the MPI operator" in messages
    assert not any("not carried over" in message for message in messages)


@pytest.mark.parametrize(
    ("trainer", "workers", "slots"),
    [
        ({"numNodes": 1}, 2, 8),  # EnforceMLPolicy keeps one pod besides the launcher
        ({"numNodes": 2}, 2, 8),
        ({"numNodes": 3, "numProcPerNode": 2}, 3, 2),
        ({"resourcesPerNode": {"limits": {"cpu": 4}}}, 4, None),
        ({"resourcesPerNode": {"requests": {"example.com/gpu": "2"}}}, 4, 2),
    ],
)
def test_the_hosts_and_slots_of_a_runtime_with_mpirun(trainer: Any, workers: int, slots: int | None) -> None:
    spec, _ = translate(mpi_job(**trainer))
    assert (spec["workers"], spec["launch"]["mpirun"].get("slotsPerWorker")) == (workers, slots)


def mpi_runtime(*jobs: str, policy: Any = None, **of_policy: Any) -> str:
    container = {"name": "node", "image": "mpi:1", "command": ["/usr/sbin/sshd", "-De"]}
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    replicated = [
        {
            "name": name,
            "template": {
                "metadata": {"labels": labels if name == "launcher" else {}},
                "spec": {"template": {"spec": {"containers": [container]}}},
            },
        }
        for name in jobs
    ]
    runtime = edited(RUNTIME, "spec.mlPolicy", {"mpi": policy or {}, **of_policy})
    return edited(runtime, "spec.template.spec", {"replicatedJobs": replicated})


def test_a_launcher_that_is_no_node() -> None:
    """Resources are those of the launcher, and numNodes that of the nodes."""
    job = edited(JOB, "spec.trainer", MPI_TRAINER | {"resourcesPerNode": {"limits": {"cpu": 2}}})
    job = edited(job, "spec.activeDeadlineSeconds", 60)
    spec, _ = translate(mpi_runtime("node", "launcher"), edited(job, "spec.runtimePatches", []))
    assert (spec["workers"], spec["launcherPod"], spec.get("resources")) == (4, {"resources": {"cpu": 2}}, None)
    assert spec["lifecycle"]["activeDeadlineSeconds"] == 60


@pytest.mark.parametrize(
    ("runtime", "message"),
    [
        (mpi_runtime("launcher"), "the runtime's policy `mpi` needs replicated jobs named `launcher` and `node`"),
        (
            mpi_runtime("node", "launcher", numNodes=3),
            "`mlPolicy.numNodes` of the runtime creates 3 launchers, each with the whole job",
        ),
        (mpi_runtime("node", "launcher", policy="x"), "the runtime's policy `mpi` must be a mapping"),
    ],
)
def test_a_runtime_with_mpirun_that_can_not_run(runtime: str, message: str) -> None:
    spec, messages = translate(runtime, JOB)
    assert (spec, message in messages) == ({}, True), messages


def test_the_image_of_the_launcher_only() -> None:
    _, messages = translate(mpi_job(image="t5:1"))
    nodes = "ghcr.io/kubeflow/trainer/deepspeed-runtime"
    assert f"`trainer.image` applies to the launcher only: the nodes have `{nodes}`" in messages


JAX_JOB = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: mnist}
spec:
  runtimeRef: {name: jax-distributed}
  trainer:
    numNodes: 2
    command: [python3, train.py]
    env: [{name: JAX_NUM_PROCESSES, value: "5"}]
    resourcesPerNode: {limits: {nvidia.com/gpu: 4}}
"""


def test_a_runtime_of_jax() -> None:
    """The policy's variables replace those of the TrainJob, and a node is a process: plugins/jax/jax.go."""
    spec, _ = translate(JAX_JOB)
    assert (spec["launch"], spec["run"], spec["workers"]) == ({"jax": {}}, {"python": ["train.py"]}, 2)
    assert "env" not in spec
