"""KubeRay's RayJob, field by field: expected values are from its API types and from common/pod.go of v1.7.0."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.translation import translate

JOB = """\
apiVersion: ray.io/v1
kind: RayJob
metadata: {{name: j}}
spec:
  entrypoint: {entrypoint}
  {more}
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {{dashboard-host: 0.0.0.0, num-cpus: "0"{head_params}}}
      template: {{spec: {{containers: [{{name: ray-head, image: i:1, resources: {{limits: {head}}}}}]}}}}
{groups}"""
GROUP = """\
    - groupName: {name}
      replicas: 3
      minReplicas: 1
      maxReplicas: 5
      rayStartParams: {{{params}}}
      template: {{spec: {{containers: [{{name: ray-worker, image: i:1, resources: {{limits: {worker}}}}}]}}}}
"""
GPUS = "{cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}"
CPUS = "{cpu: 8, memory: 64Gi}"


def read(
    *,
    head: str = GPUS,
    worker: str = GPUS,
    groups: tuple[str, ...] = ("w",),
    params: str = "",
    head_params: str = "",
    entrypoint: str = "python train.py",
    more: str = "",
) -> tuple[dict[str, Any], list[str]]:
    rows = "".join(GROUP.format(name=name, params=params, worker=worker) for name in groups)
    return translate(
        JOB.format(
            head=head,
            groups=f"    workerGroupSpecs:\n{rows}" if rows else "",
            head_params=head_params,
            entrypoint=entrypoint,
            more=more,
        )
    )


def test_a_head_with_gpus_is_one_worker_more() -> None:
    spec, messages = read()
    assert (spec["workers"], spec["launch"], spec["run"]) == (4, {"ray": {}}, {"exec": ["python", "train.py"]})
    assert spec["resources"] == {"cpu": 8, "memory": "64Gi", "gpu": 8}
    assert any("the head is the first of 4 workers" in each for each in messages)


def test_a_head_without_gpus_moves_to_worker_0() -> None:
    spec, messages = read(head=CPUS)
    assert (spec["workers"], spec["resources"]["gpu"]) == (3, 8)
    assert any("the head moves to worker 0" in each for each in messages)


def test_a_head_alone_is_one_worker() -> None:
    spec, _ = read(groups=())
    assert "workers" not in spec
    assert spec["launch"] == {"ray": {}}


def test_parameters_are_options() -> None:
    spec, _ = read(params='num-cpus: "4", labels: "a=b"', head_params=', port: "6400", no-monitor: "true"')
    options = {"port": 6400, "numCpus": 4, "headArgs": ["--no-monitor"], "workerArgs": ["--labels=a=b"]}
    assert spec["launch"] == {"ray": options}


def test_policies_are_carried_over() -> None:
    more = "backoffLimit: 2\n  activeDeadlineSeconds: 60\n  ttlSecondsAfterFinished: 10\n  suspend: true"
    spec, _ = read(more=more)
    assert spec["lifecycle"] == {"backoffLimit": 2, "activeDeadlineSeconds": 60, "ttlSecondsAfterFinished": 10}
    assert spec["mode"] == "paused"


@pytest.mark.parametrize(
    ("entrypoint", "run"),
    [
        ("python3 -m a.b --lr 1", {"module": ["a.b", "--lr", "1"]}),
        ("cd /app && python3 a.py", {"exec": ["bash", "-c", "cd /app && python3 a.py"]}),
    ],
)
def test_an_entrypoint_is_a_line_of_a_shell(entrypoint: str, run: dict[str, list[str]]) -> None:
    assert read(entrypoint=entrypoint)[0]["run"] == run


@pytest.mark.parametrize(
    "field", ["runtimeEnvYAML: 'pip: [a]'", "entrypointNumCpus: 1", "jobId: a", "clusterSelector: {ray.io/cluster: c}"]
)
def test_other_fields_are_reported(field: str) -> None:
    _, messages = read(more=field)
    assert any(f"`spec.{field.partition(':')[0]}` is not carried over" in each for each in messages)
