"""T9k's PyTorchTrainingJob, field by field: expected values are from its user manuals."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.translation import translate

ROLE = "  - {type: %s, replicas: %d%s, template: {spec: {containers: [{name: pytorch, image: i:1, %s}]}}}\n"
COMMAND = "command: [python3, x.py]"
ARGS = "args: [x.py, --a]"
HEAD = "apiVersion: batch.tensorstack.dev/v1beta1\nkind: PyTorchTrainingJob\nmetadata: {name: j}\nspec:\n"
BASIC: dict[str, Any] = {"basic": {}}


def job(container: str = COMMAND, more: str = "", *, replicas: int = 1, role: str = "", type_: str = "worker") -> str:
    return f"{HEAD}  replicaSpecs:\n{ROLE % (type_, replicas, role, container)}{more}"


def torchrun(config: str, container: str = ARGS, more: str = "", replicas: int = 1) -> tuple[dict[str, Any], list[str]]:
    return translate(job(container, f"  torchrunConfig: {{enabled: true{config}}}\n{more}", replicas=replicas))


def test_a_program_without_torchrun_gets_plain_variables() -> None:
    spec, messages = translate(job(replicas=4))
    assert spec["launch"] == BASIC
    assert spec["run"] == {"python": ["x.py"]}
    assert spec["workers"] == 4
    # Three restarts of all pods together; rank 0 decides the result.
    assert spec["lifecycle"] == {"backoffLimit": 3, "successPolicy": "Leader"}
    assert messages == []


def test_without_a_command_the_entrypoint_runs() -> None:
    assert translate(job("args: [python, x.py]"))[0]["run"] == {"entrypoint": ["python", "x.py"]}


def test_equal_roles_become_one_list() -> None:
    text = job(replicas=3).replace("replicaSpecs:\n", "replicaSpecs:\n" + ROLE % ("master", 1, "", COMMAND))
    spec, messages = translate(text)
    assert (spec["workers"], spec["run"], messages) == (4, {"python": ["x.py"]}, [])


def test_roles_with_different_programs_are_rejected() -> None:
    text = job(replicas=3).replace(
        "replicaSpecs:\n", "replicaSpecs:\n" + ROLE % ("ps", 1, "", "command: [python, ps.py]")
    )
    spec, messages = translate(text)
    assert spec == {}
    message = (
        "the ps and the worker differ in `spec.containers.pytorch.command`, but all workers of a job run one program"
    )
    assert messages == [f"TC5005 6: {message}"]


@pytest.mark.parametrize(
    ("config", "launch"),
    [
        ("", {}),  # torchrun's own default is one process
        (', procPerNode: "2", maxRestarts: 3', {"nprocPerNode": 2, "maxRestarts": 3}),
        (", procPerNode: gpu", {"nprocPerNode": "gpu"}),
        (", extraOptions: [--log_dir=/logs, --tee, '3']", {"logDir": "/logs", "tee": 3}),
    ],
)
def test_torchrun_config_becomes_fields(config: str, launch: dict[str, Any]) -> None:
    spec, messages = torchrun(config)
    assert spec["launch"] == {"torchrun": launch}
    assert spec["run"] == {"python": ["x.py", "--a"]}
    assert messages == []


def test_rendezvous_backend_of_several_workers() -> None:
    assert torchrun(", rdzvBackend: c10d", replicas=2)[0]["launch"] == {"torchrun": {}}
    options = ", rdzvBackend: etcd-v2, extraOptions: [--rdzv_endpoint, 'etcd:2379']"
    expected = {"rendezvous": {"backend": "etcd-v2", "endpoint": "etcd:2379"}}
    assert torchrun(options, replicas=2)[0]["launch"] == {"torchrun": expected}


def test_container_args_are_torchruns_arguments() -> None:
    assert torchrun("", "args: [-m, pkg.train, -x]")[0]["run"] == {"module": ["pkg.train", "-x"]}


def test_the_container_command_has_no_effect_with_torchrun() -> None:
    assert torchrun("", f"command: [python], {ARGS}")[1] == []
    reason = "torchrun replaces it, as in T9k"
    path = "spec.replicaSpecs[0].template.spec.containers[0].command"
    assert torchrun("", f"command: [bash, x.sh], {ARGS}")[1] == [f"TC5001 6: `{path}` is not carried over: {reason}"]
    spec, messages = torchrun("", COMMAND)
    assert spec == {}
    assert "TC5003 7: torchrun runs the container's args, but there are none" in messages


def test_a_bare_number_of_processes_is_corrected() -> None:
    spec, messages = torchrun(", procPerNode: 2")
    assert spec["launch"] == {"torchrun": {"nprocPerNode": 2}}
    assert messages == ["TC5010 7: `spec.torchrunConfig.procPerNode` must be a string"]
    for invalid in ("Many", "{a: b}"):
        assert torchrun(f", procPerNode: {invalid}")[0] == {}


def test_disabled_sections_have_no_effect() -> None:
    text = job(more="  torchrunConfig: {enabled: false, maxRestarts: 3}\n  elastic: {enabled: true, minReplicas: 1}\n")
    spec, messages = translate(text)
    assert spec["launch"] == BASIC
    assert messages == [
        "TC5002 7: `torchrunConfig` has no effect: it is not enabled",
        "TC5002 8: `spec.elastic` has no effect: it requires torchrunConfig",
    ]


def test_an_elastic_job_has_no_autoscaler() -> None:
    elastic = "  elastic: {enabled: true, minReplicas: 4, maxReplicas: 10, expectedReplicas: 7}\n"
    spec, messages = torchrun("", more=elastic)
    assert (spec["workers"], spec["elastic"]) == (7, {"minReplicas": 4, "maxReplicas": 10, "metrics": []})
    message = "TC5002 8: nothing scales the job: it has 7 workers, as before, until you scale it"
    assert (spec["lifecycle"], messages) == ({"backoffLimit": 3}, [message])
    spec, _ = torchrun("", more=elastic.replace("maxReplicas: 10", "maxReplicas: 4"))
    assert spec["workers"] == 4
    assert "elastic" not in spec


@pytest.mark.parametrize(
    ("role", "lifecycle"),
    [
        (", restartPolicy: OnFailure", {"backoffLimit": 3}),
        (", restartPolicy: Never", {"backoffLimit": 0}),
        (
            ", restartPolicy: ExitCode",
            {"backoffLimit": 3, "exitCodes": {"retryable": [130, 137, 138, 143]}},
        ),
    ],
)
def test_restarts(role: str, lifecycle: dict[str, Any]) -> None:
    assert translate(job(role=role)) == (
        {"image": "i:1", "launch": BASIC, "run": {"python": ["x.py"]}, "lifecycle": lifecycle},
        [],
    )


def test_a_backoff_limit_without_restarts_is_reported() -> None:
    spec, messages = translate(job(role=", restartPolicy: Never", more="  runPolicy: {backoffLimit: 5}\n"))
    assert spec["lifecycle"] == {"backoffLimit": 0}
    assert messages == ["TC5002 7: `backoffLimit` has no effect with restartPolicy `Never`"]


def test_a_scaling_weight_is_lost_only_with_several_roles() -> None:
    weight = ", scalingWeight: 2"
    assert translate(job(role=weight))[1] == ["TC5002 6: `scalingWeight` has no effect on a single role"]
    text = job(role=weight).replace("replicaSpecs:\n", "replicaSpecs:\n" + ROLE % ("master", 1, "", COMMAND))
    assert translate(text)[1] == ["TC5001 7: `spec.replicaSpecs[1].scalingWeight` is not carried over"]


def test_a_tensorboard_is_not_carried_over() -> None:
    _, messages = translate(job(more="  tensorboardSpec: {image: tb:1, trainingLogFilesets: [x]}\n"))
    assert messages == ["TC5001 7: `spec.tensorboardSpec` is not carried over: trainc does not deploy TensorBoard"]


def test_the_training_container_is_named_python_or_is_the_first() -> None:
    text = job().replace("[{name: pytorch", "[{name: other, image: o:1}, {name: python")
    assert translate(text)[0]["image"] == "i:1"
    assert translate(text.replace("name: python", "name: p"))[0]["image"] == "o:1"


def test_a_users_torchrun_gets_trainc_s_rendezvous() -> None:
    options = "--nnodes, '2', --rdzv_backend, c10d, --rdzv_endpoint, '$(MASTER_ADDR):$(MASTER_PORT)', --role, node"
    spec, messages = translate(job(f"command: [torchrun, {options}, x.py]", replicas=2))
    assert (spec["launch"], messages) == ({"torchrun": {"role": "node"}}, [])
    assert spec["run"] == {"python": ["x.py"]}


@pytest.mark.parametrize("specs", ["[]", "{}", "[{type: worker}]", "[x]", "null"])
def test_a_job_without_roles_is_rejected(specs: str) -> None:
    spec, messages = translate(f"{HEAD}  replicaSpecs: {specs}\n")
    assert spec == {}
    assert any(line.startswith("TC5003") for line in messages)


def test_a_torchrun_without_rendezvous_options_gets_them() -> None:
    spec, messages = translate(job("command: [torchrun, x.py]", replicas=2))
    assert (spec["launch"], spec["workers"]) == ({"torchrun": {}}, 2)
    assert messages == [
        "TC5002 6: the rendezvous is at worker 0; the original's torchrun has no endpoint: each node waits alone",
        "TC5002 6: the workers train together; the original's torchrun has no --nnodes: each worker trains alone",
    ]
    assert translate(job("command: [torchrun, x.py]"))[1] == []
