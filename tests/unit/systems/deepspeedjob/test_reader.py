"""T9k's DeepSpeedJob, field by field: expected values are from its user manuals and DeepSpeed's launcher."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.translation import translate

WORKER = "{replicas: %s, template: {spec: {containers: [{name: worker, image: i:1%s}]}}%s}"
NO_SSH = "the workers do not use ssh: each starts its own processes, which inherit its environment"


def job(config: str = "{run: {python: [x.py]}}", more: str = "", *, replicas: int = 1, container: str = "") -> str:
    worker = WORKER % (replicas, container, more.partition("|")[2])
    spec = more.partition("|")[0]
    header = "apiVersion: batch.tensorstack.dev/v1beta1\nkind: DeepSpeedJob\nmetadata: {name: j}\nspec:\n"
    return f"{header}  config: {config}\n  worker: {worker}\n{spec}"


def translate_config(config: str, replicas: int = 1) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    spec, messages = translate(job(config, replicas=replicas))
    return spec["launch"]["deepspeed"], spec["run"], [message for message in messages if NO_SSH not in message]


def test_a_single_worker_needs_launch_and_run_only() -> None:
    spec, messages = translate(job())
    assert spec == {"image": "i:1", "launch": {"deepspeed": {}}, "run": {"python": ["x.py"]}}
    assert messages == []


def test_several_workers_get_the_leader_policy_and_a_note_on_ssh() -> None:
    spec, messages = translate(job(replicas=4))
    assert (spec["workers"], spec["lifecycle"]) == (4, {"successPolicy": "Leader"})
    assert messages == [f"TC5002 5: {NO_SSH}"]
    shown = {
        backend: trainc.compile(job(replicas=4), backend=backend).diagnostics for backend in ("job", "deepspeedjob")
    }
    assert [any(each.message == NO_SSH for each in found) for found in shown.values()] == [True, False]


@pytest.mark.parametrize(
    ("config", "launch", "run"),
    [
        ("{run: {module: [pkg.train, --x]}}", {}, {"module": ["pkg.train", "--x"]}),
        ("{run: {exec: [./train]}}", {}, {"exec": ["./train"]}),
        ("{slotsPerWorker: 1, localRank: true, autotune: none, run: {python: [x]}}", {}, {"python": ["x"]}),
        (
            "{slotsPerWorker: 2, localRank: false, run: {python: [x]}}",
            {"slotsPerWorker": 2, "localRank": False},
            {"python": ["x"]},
        ),
        ("{run: {python: [x]}, otherArgs: [--master_port, '12346']}", {"port": 12346}, {"python": ["x"]}),
        ("{run: {python: [x]}, otherArgs: [--master_port=12346]}", {"port": 12346}, {"python": ["x"]}),
        ("{run: {python: [x]}, otherArgs: [--no_local_rank]}", {"localRank": False}, {"python": ["x"]}),
        ("{run: {python: [pkg]}, otherArgs: [--module]}", {}, {"module": ["pkg"]}),
        ("{run: {python: [./x]}, otherArgs: [--no_python]}", {}, {"exec": ["./x"]}),
        ("{run: {python: [x]}, otherArgs: [--num_gpus, '3']}", {"slotsPerWorker": 3}, {"python": ["x"]}),
        (
            "{run: {python: [x]}, otherArgs: [--enable_each_rank_log, /logs, --log_level=debug]}",
            {"otherArgs": ["--enable_each_rank_log", "/logs", "--log_level=debug"]},
            {"python": ["x"]},
        ),
        # Arguments that the launcher rejects go to otherArgs, for trainc's rules to report.
        ("{run: {python: [x]}, otherArgs: [--nonsense]}", {"otherArgs": ["--nonsense"]}, {"python": ["x"]}),
        ("{run: {python: [x]}, otherArgs: [stray]}", {"otherArgs": ["stray"]}, {"python": ["x"]}),
    ],
)
def test_config_becomes_launch_and_run(config: str, launch: dict[str, Any], run: dict[str, Any]) -> None:
    assert translate_config(config) == (launch, run, [])


def test_options_of_the_command_over_ssh_are_carried_over() -> None:
    args = "[--launcher, PDSH, --no_ssh_check, --save_pid, --ssh_port=2222, --launcher_args, -f 8, --force_multi]"
    fields, _, messages = translate_config(f"{{run: {{python: [x]}}, otherArgs: {args}}}", replicas=2)
    assert (f"[{', '.join(fields['otherArgs'])}]", messages) == (args, [])


def test_options_that_trainc_sets_are_left_out_with_a_note_each() -> None:
    args = "[--hostfile, /t9k/hostfile, --num_nodes=2, --ssh_port=22, --bind_cores_to_rank]"
    fields, _, messages = translate_config(f"{{autotune: run, run: {{python: [x]}}, otherArgs: {args}}}", replicas=2)
    assert fields["otherArgs"] == ["--bind_cores_to_rank"]
    assert messages[:3] == [
        "TC5002 5: `--bind_cores_to_rank` takes effect on all workers; pdsh does not pass it on",
        "TC5002 5: `--hostfile` is left out: trainc sets it itself",
        "TC5002 5: `--ssh_port` is left out: trainc sets it itself",
    ]


def test_the_autotuner_uses_the_ssh_transport() -> None:
    fields, _, messages = translate_config("{autotune: tune, run: {python: [x]}}", replicas=2)
    assert fields == {"transport": "ssh", "autotune": "tune"}
    key = "the autotuner connects to the workers by ssh and needs a key: trainc compile --generate-ssh-key FILE"
    assert messages == [f"TC5002 5: {key}"]


def test_the_default_of_slots_per_worker_is_reported_for_several_gpus() -> None:
    gpus = ", resources: {limits: {nvidia.com/gpu: 4}}"
    spec, messages = translate(job(container=gpus))
    assert spec["launch"] == {"deepspeed": {}}
    assert messages == ["TC5002 5: slotsPerWorker is not set: trainc starts one process per GPU, 4 per worker"]
    spec, messages = translate(job("{slotsPerWorker: 4, run: {python: [x]}}", container=gpus))
    assert (spec["launch"], messages) == ({"deepspeed": {}}, [])


def test_a_custom_deepspeed_command_is_parsed() -> None:
    command = "deepspeed --hostfile /t9k/hostfile --master_port 12345 --module pkg.train --x 'a b'"
    fields, run, messages = translate_config(f'{{slotsPerWorker: 2, customCommand: "{command}"}}', replicas=2)
    assert fields == {"slotsPerWorker": 2, "port": 12345}
    assert run == {"module": ["pkg.train", "--x", "a b"]}
    assert messages == ["TC5002 5: `--hostfile` is left out: trainc sets it itself"]


@pytest.mark.parametrize("command", ["pip install x && deepspeed x.py", "mpirun x", "deepspeed -H /other x.py"])
def test_any_other_custom_command_requires_a_single_worker(command: str) -> None:
    config = f'{{customCommand: "{command}"}}'
    spec, messages = translate(job(config))
    assert spec["run"] == {"exec": ["/bin/sh", "-c", command]}
    assert messages == ["TC5002 5: the command runs unchanged, without a hostfile"]
    spec, messages = translate(job(config, replicas=2))
    message = "unsupported customCommand: worker 0 has no hostfile to start the other workers with"
    assert (spec, messages) == ({}, [f"TC5011 5: {message}"])


def test_other_config_fields_have_no_effect_with_a_custom_command() -> None:
    _, run, messages = translate_config("{customCommand: deepspeed x.py, run: {python: [y.py]}, localRank: false}")
    assert run == {"python": ["x.py"]}
    assert messages == [f"TC5002 5: `{name}` has no effect with customCommand" for name in ("localRank", "run")]


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ("{}", "the job has no program"),
        ("{run: {python: []}}", "the job has no program"),
        ("{run: {python: [x], module: [y]}}", "only one of python, module, exec can be set"),
        ("{run: {python: [x]}, autotune: maybe}", "unknown autotune `maybe`"),
        ("{run: {python: {a: b}}}", "`spec.config.run.python` must be a list of strings"),
        ("{run: [x]}", "`spec.config.run` must be a mapping"),
        ("[]", "`spec.config` must be a mapping"),
    ],
)
def test_a_job_that_t9k_rejects_is_rejected(config: str, problem: str) -> None:
    spec, messages = translate(job(config))
    assert spec == {}
    assert f"TC5003 5: {problem}" in messages


def test_mistakes_are_corrected_with_a_warning_each() -> None:
    text = job("{slotPerWorker: 2, run: {python: train.py --x 'a b'}}").replace(
        "{spec: {containers", "{spec: {restartPolicy: OnFailure, containers"
    )
    spec, messages = translate(text)
    assert spec["launch"] == {"deepspeed": {"slotsPerWorker": 2}}
    assert spec["run"] == {"python": ["train.py", "--x", "a b"]}
    assert "podTemplate" not in spec
    assert messages == [
        "TC5010 5: `spec.config.run.python` must be a list of strings",
        "TC5010 5: unknown field `spec.config.slotPerWorker`",
        "TC5010 6: `spec.worker.template.spec.restartPolicy` has no effect: the controller sets it to `Never`",
    ]


def test_elastic() -> None:
    elastic = "  elastic: {enabled: true, minReplicas: 2, maxReplicas: 8, expectedReplicas: 3}\n"
    spec, messages = translate(job(more=elastic, replicas=4))
    assert spec["workers"] == 3
    assert spec["elastic"] == {"minReplicas": 2, "maxReplicas": 8, "metrics": []}
    spec, _ = translate(job(more=elastic.replace("maxReplicas: 8, expectedReplicas: 3", "maxReplicas: 2"), replicas=2))
    assert (spec["workers"], "elastic" in spec) == (2, False)
    spec, messages = translate(job(more=elastic.replace("true", "false"), replicas=4))
    assert spec["workers"] == 4
    assert "TC5002 7: `spec.elastic` has no effect: it is not enabled" in messages


@pytest.mark.parametrize(
    ("policy", "lifecycle"),
    [
        ("OnFailure", {}),
        ("Never", {"backoffLimit": 0}),
        ("ExitCode", {"exitCodes": {"retryable": [130, 137, 138, 143]}}),
    ],
)
def test_restart_policies(policy: str, lifecycle: dict[str, Any]) -> None:
    spec, messages = translate(job(more=f"|, restartPolicy: {policy}"))
    assert (spec.get("lifecycle", {}), messages) == (lifecycle, [])


def test_the_run_policy_becomes_the_lifecycle() -> None:
    policy = "  runPolicy: {activeDeadlineSeconds: 60, backoffLimit: 5, cleanUpPolicy: Unfinished}\n"
    spec, messages = translate(job(more=policy))
    assert spec["lifecycle"] == {"activeDeadlineSeconds": 60, "backoffLimit": 5, "cleanPodPolicy": "Unfinished"}
    assert messages == []
    _, messages = translate(job(more=policy.replace("Unfinished", "Running")))
    assert messages == ["TC5003 7: unknown cleanUpPolicy `Running`"]


@pytest.mark.parametrize(
    ("scheduler", "gang"),
    [
        ("{t9kScheduler: {queue: q, priority: 50}}", {"t9k": {"queue": "q", "priority": 50}}),
        ("{t9kScheduler: {queue: default, priority: 0}}", "t9k"),
        ("{t9kScheduler: {}}", "t9k"),
    ],
)
def test_the_t9k_scheduler_becomes_a_gang(scheduler: str, gang: object) -> None:
    spec, messages = translate(job(more=f"  scheduler: {scheduler}\n"))
    assert (spec["scheduling"], messages) == ({"gang": gang}, [])


def test_the_container_command_is_left_out_only_if_it_is_sshd() -> None:
    spec, messages = translate(job(container=", command: [/usr/sbin/sshd, -D]"))
    assert spec["run"] == {"python": ["x.py"]}
    assert messages == [
        "TC5002 6: `spec.worker.template.spec.containers[0].command` is left out: "
        "the container runs sshd on deepspeedjob, and the training program on other back ends"
    ]
    _, messages = translate(job(container=", args: [bash, -c, pip install x && /usr/sbin/sshd -D]"))
    assert messages == [
        "TC5001 6: `spec.worker.template.spec.containers[0].args` is not carried over: "
        "the container runs sshd on deepspeedjob, and the training program on other back ends"
    ]


def test_the_training_container_is_named_worker_or_is_the_first() -> None:
    text = job().replace("[{name: worker", "[{name: other, image: o:1}, {name: worker")
    spec, _ = translate(text)
    assert spec["image"] == "i:1"
    assert spec["podTemplate"] == {"spec": {"containers": [{"name": "other", "image": "o:1"}]}}
    assert translate(text.replace("name: worker", "name: w"))[0]["image"] == "o:1"
