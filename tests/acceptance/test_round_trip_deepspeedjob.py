"""Round trip: DeepSpeedJobs compile to DeepSpeedJobs that are equal after `normalize`."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

import trainc
from tests.support.command import succeed
from tests.support.facts import corpus_folder

Object = dict[str, Any]
OWN = Path(__file__).parent / "round_trip" / "deepspeedjob.yaml"
# A debug job without a program: trainc emits no `config` for idle pods.
IDLE_JOB = "single-debug"
FILES = sorted((corpus_folder() or Path("nowhere")).glob("deepspeedjob/*.yaml"))


def normalize(job: Object) -> Object:
    """Return a job with the operator's and the API server's defaults, without trainc's labels."""
    job = copy.deepcopy(job)
    spec = job["spec"]
    labels = job["metadata"].pop("labels", {})
    labels = {
        name: value for name, value in labels.items() if not name.startswith(("trainc.dev/", "app.kubernetes.io/"))
    }
    config = spec.setdefault("config", {})
    config.setdefault("localRank", True)  # api-reference/deepspeedjob.md
    config.setdefault("autotune", "none")
    config["otherArgs"] = join_options(config.get("otherArgs", []))
    spec["worker"].setdefault("restartPolicy", "OnFailure")
    policy = spec.setdefault("runPolicy", {})
    if spec["worker"]["replicas"] > 1 and "debug" not in spec.get("runMode", {}):
        # trainc adds this policy: sshd in the other pods never ends and would hold the GPUs.
        policy.setdefault("cleanUpPolicy", "Unfinished")
    template = spec["worker"]["template"]
    template.pop("metadata", None)
    pod = template["spec"]
    if pod.get("restartPolicy") is not None:
        del pod["restartPolicy"]  # the operator sets it to Never
    for container in pod["containers"]:
        limits = {name: str(value) for name, value in container["resources"]["limits"].items()}
        requests = {name: str(value) for name, value in container["resources"].get("requests", {}).items()}
        # https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/: a limit is a request, too
        container["resources"] = {"limits": limits, "requests": {**limits, **requests}}
        container["volumeMounts"] = sorted(container.get("volumeMounts", []), key=lambda mount: mount["mountPath"])
    names = {volume["name"]: f"volume at {mount_paths(pod, volume['name'])}" for volume in pod["volumes"]}
    pod["volumes"] = sorted(
        ({**volume, "name": names[volume["name"]]} for volume in pod["volumes"]), key=lambda volume: volume["name"]
    )
    for container in pod["containers"]:
        for mount in container["volumeMounts"]:
            mount["name"] = names[mount["name"]]
    return {**job, "labels": labels}


def mount_paths(pod: Object, volume: str) -> str:
    mounts = [mount for container in pod["containers"] for mount in container.get("volumeMounts", [])]
    return " ".join(sorted(mount["mountPath"] for mount in mounts if mount["name"] == volume))


def join_options(arguments: list[str]) -> list[str]:
    """Return the arguments with each option and its value as one argument, which argparse parses equally."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1].startswith("--") and "=" not in joined[-1] and not argument.startswith("-"):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def compile_to_deepspeedjob(text: bytes | str) -> Object:
    result = trainc.compile(text, backend="deepspeedjob")
    assert result.ok, result.diagnostics
    (job,) = [manifest for manifest in result.objects() if manifest["kind"] == "DeepSpeedJob"]
    return job


def read_job(file: Path) -> Object:
    (job,) = [document for document in yaml.safe_load_all(file.read_text("utf-8")) if document]
    return dict(job)


def test_every_field_of_a_deepspeedjob_is_preserved() -> None:
    assert normalize(compile_to_deepspeedjob(OWN.read_bytes())) == normalize(read_job(OWN))


# Modes of the manual's examples, and a command with arguments.
MODES = [
    "debug: {enabled: true}",
    "debug: {enabled: true, replicaSpecs: [{type: worker, skipInitContainer: true, command: [sleep, inf]}]}",
    "pause: {enabled: true}",
    "pause: {enabled: true, resumeSpecs: [{type: worker, skipInitContainer: true, command: [/usr/bin/sshd]}]}",
    "pause: {enabled: true, resumeSpecs: [{type: worker, command: [/usr/sbin/sshd, -D, -p, '2222']}]}",
]


@pytest.mark.parametrize("mode", MODES)
def test_a_run_mode_is_preserved(mode: str) -> None:
    """https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md#暂停模式"""
    text = OWN.read_text("utf-8").replace("spec:\n", f"spec:\n  runMode: {{{mode}}}\n", 1)
    expected = yaml.safe_load(text)["spec"]["runMode"]
    assert compile_to_deepspeedjob(text)["spec"]["runMode"] == expected
    assert compile_to_deepspeedjob(succeed("import", "-", stdin=text).out)["spec"]["runMode"] == expected


def test_an_imported_deepspeedjob_compiles_to_the_same_deepspeedjob() -> None:
    assert compile_to_deepspeedjob(succeed("import", OWN).out) == compile_to_deepspeedjob(OWN.read_bytes())


@pytest.mark.skipif(not FILES, reason="no public jobs: no ../shared/corpus, and TRAINC_CORPUS names no folder")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem.rpartition("__")[2])
def test_a_public_deepspeedjob_is_preserved(file: Path) -> None:
    expected, output = normalize(read_job(file)), normalize(compile_to_deepspeedjob(file.read_bytes()))
    if "slotsPerWorker" not in expected["spec"]["config"]:
        # trainc always sets it, to one per GPU, as T9k's documentation recommends.
        gpus = expected["spec"]["worker"]["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]
        assert str(output["spec"]["config"].pop("slotsPerWorker", gpus)) == gpus
    if file.stem.endswith(IDLE_JOB):
        expected["spec"]["config"], output["spec"]["config"] = {}, {}
    assert output == expected


def test_the_first_example_of_the_manual_is_preserved_with_its_mistakes_corrected() -> None:
    """Its kind, slotPerWorker, run.python and restartPolicy are mistakes, which the reader corrects:
    https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md
    """
    result = trainc.compile(MANUAL, backend="deepspeedjob")
    assert {each.code.id for each in result.diagnostics if each.severity == "warning"} == {"TC5010"}
    (job,) = result.objects()
    corrected = yaml.safe_load(
        MANUAL.replace("DeepspeedJob", "DeepSpeedJob")
        .replace("slotPerWorker", "slotsPerWorker")
        .replace("python: /t9k/mnt/train.py", "python: [/t9k/mnt/train.py]")
    )
    assert normalize(job) == normalize(corrected)


MANUAL = """
apiVersion: batch.tensorstack.dev/v1beta1
kind: DeepspeedJob
metadata:
  name: deepspeed-example
spec:
  config:
    slotPerWorker: 1
    run:
      python: /t9k/mnt/train.py
  worker:
    replicas: 4
    template:
      spec:
        restartPolicy: OnFailure
        containers:
        - image: deepspeed/deepspeed:v072_torch112_cu117
          imagePullPolicy: IfNotPresent
          name: worker
          resources:
            limits:
              cpu: 4
              memory: 4Gi
            requests:
              cpu: 2
              memory: 2Gi
          volumeMounts:
          - mountPath: /t9k/mnt
            name: code
        volumes:
        - name: code
          persistentVolumeClaim:
            claimName: deepspeed
"""
