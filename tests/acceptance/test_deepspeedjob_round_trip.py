"""Round trip: DeepSpeedJobs compile to DeepSpeedJobs with the same meaning.

What "the same" leaves out is written down in `meaning`: the operator's and the API server's defaults, and labels.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

import trainc
from tests.support.command import trainc as command
from tests.support.facts import corpus_folder

Object = dict[str, Any]
OWN = Path(__file__).parent / "round_trip" / "deepspeedjob.yaml"
# Its config has no program, and trainc leaves the rest of config out; the pods are idle.
WITHOUT_CONFIG = ("single-debug",)
FILES = sorted((corpus_folder() or Path("nowhere")).glob("deepspeedjob/*.yaml"))


def meaning(job: Object) -> Object:
    """Return a job with the defaults of T9k's operator, without trainc's labels."""
    job = copy.deepcopy(job)
    spec = job["spec"]
    labels = job["metadata"].pop("labels", {})
    kept = {name: value for name, value in labels.items() if not name.startswith(("trainc.dev/", "app.kubernetes.io/"))}
    config = spec.setdefault("config", {})
    config.setdefault("localRank", True)  # api-reference/deepspeedjob.md
    config.setdefault("autotune", "none")
    config["otherArgs"] = words(config.get("otherArgs", []))
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
        container["volumeMounts"] = sorted(container.get("volumeMounts", []), key=lambda each: each["mountPath"])
    names = {volume["name"]: f"volume at {mounts(pod, volume['name'])}" for volume in pod["volumes"]}
    pod["volumes"] = sorted(
        ({**each, "name": names[each["name"]]} for each in pod["volumes"]), key=lambda each: each["name"]
    )
    for container in pod["containers"]:
        for mount in container["volumeMounts"]:
            mount["name"] = names[mount["name"]]
    return {**job, "labels": kept}


def mounts(pod: Object, volume: str) -> str:
    every = [each for container in pod["containers"] for each in container.get("volumeMounts", [])]
    return " ".join(sorted(each["mountPath"] for each in every if each["name"] == volume))


def words(source: list[str]) -> list[str]:
    """Return the arguments with each option and its value in one word, which is the same to argparse."""
    output: list[str] = []
    for word in source:
        if output and output[-1].startswith("--") and "=" not in output[-1] and not word.startswith("-"):
            output[-1] += f"={word}"
        else:
            output.append(word)
    return output


def again(text: bytes | str) -> Object:
    result = trainc.compile(text, backend="deepspeedjob")
    assert result.ok, result.diagnostics
    (output,) = [each for each in result.objects() if each["kind"] == "DeepSpeedJob"]
    return output


def original(file: Path) -> Object:
    (output,) = [each for each in yaml.safe_load_all(file.read_text("utf-8")) if each]
    return dict(output)


def test_every_field_of_a_deepspeedjob_is_kept() -> None:
    assert meaning(again(OWN.read_bytes())) == meaning(original(OWN))


def test_an_imported_deepspeedjob_compiles_to_the_same_deepspeedjob() -> None:
    done = command("import", OWN)
    assert done.code == 0
    assert again(done.out) == again(OWN.read_bytes())


@pytest.mark.skipif(not FILES, reason="the public jobs are not beside the checkout: ../shared/corpus")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem.rpartition("__")[2])
def test_a_public_deepspeedjob_is_kept(file: Path) -> None:
    expected, output = meaning(original(file)), meaning(again(file.read_bytes()))
    if "slotsPerWorker" not in expected["spec"]["config"]:
        # trainc always sets it, to one per GPU, as T9k's documents advise.
        gpus = expected["spec"]["worker"]["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]
        assert str(output["spec"]["config"].pop("slotsPerWorker", gpus)) == gpus
    if file.stem.endswith(WITHOUT_CONFIG):
        expected["spec"]["config"], output["spec"]["config"] = {}, {}
    assert output == expected


def test_the_manuals_first_example_is_kept_with_its_mistakes_corrected() -> None:
    """Its kind, slotPerWorker, run.python and restartPolicy are mistakes, which the reader corrects:
    https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md
    """
    result = trainc.compile(MANUAL, backend="deepspeedjob")
    assert {each.code.id for each in result.diagnostics if each.severity == "warning"} == {"TC5010"}
    (output,) = result.objects()
    meant = yaml.safe_load(
        MANUAL.replace("DeepspeedJob", "DeepSpeedJob")
        .replace("slotPerWorker", "slotsPerWorker")
        .replace("python: /t9k/mnt/train.py", "python: [/t9k/mnt/train.py]")
    )
    assert meaning(output) == meaning(meant)


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
