"""The life of a job after the first apply, in a shell with the real kubectl and only the lines that trainc prints."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.cluster.api import Api, Object
from tests.cluster.cluster import Cluster, wait
from tests.cluster.jobs import TORCHRUN, ClusterJob
from tests.cluster.kubelet import Kubelet
from tests.support.build import job_text

NODE = {"cpu": 1, "memory": "1Gi", "gpu": 8}  # all GPUs of a node
Shell = Callable[[str], str]


@pytest.fixture
def shell(cluster: Cluster, tmp_path: Path) -> Shell:
    """Function that runs a line for a shell and returns its output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{cluster.environment['PATH']}"

    def run(line: str) -> str:
        environment = {**cluster.environment, "PATH": path}
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def tainted(api: Api, nodes: Kubelet) -> Iterator[str]:
    """Node with the usual taint of nodes with GPUs."""
    name = str(api.find("Node", "")[0]["metadata"]["name"])
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    api.patch("Node", "", name, {"spec": {"taints": [taint]}})
    yield name
    api.patch("Node", "", name, {"spec": {"taints": None}})


def shown(shell: Shell, state: str) -> Object:
    """Return the status of job.yaml once it has a state."""

    def current() -> Object | None:
        (document,) = json.loads(shell("trainc status job.yaml --format json"))
        return dict(document) if document["state"] == state else None

    return wait(f"state {state}", current)


def test_a_job_that_no_node_tolerates_runs_with_the_printed_toleration(
    api: Api, namespace: str, tainted: str, shell: Shell, tmp_path: Path
) -> None:
    job = ClusterJob(api, namespace, "job")
    fields = {"workers": 4, "launch": TORCHRUN, "resources": NODE}
    file = tmp_path / "job.yaml"
    file.write_text(job_text({"namespace": namespace}, **fields))
    shell("trainc compile job.yaml | kubectl apply -f -")
    job.wait_for("Running", 3)

    document = shown(shell, "pending")
    (waiting,) = (each["problem"] for each in document["workers"] if each["problem"])
    assert {each["nodes"] for each in waiting["refusals"]} == {1, 3}
    taint, resources = document["nextSteps"]
    assert "add nodes, or request less" in resources["message"]
    text = shell("trainc status job.yaml")
    assert "Pending" in text
    assert "Creating" not in text

    toleration = taint["yaml"]
    if "KEY" in toleration:  # of a scheduler that does not name the taint
        assert "nvidia.com/gpu" in shell(taint["command"])
        toleration = toleration.replace("KEY", "nvidia.com/gpu")
    file.write_text(job_text({"namespace": namespace}, **fields, **yaml.safe_load(toleration)["spec"]))
    commands = {each["name"]: each["command"] for each in document["commands"]}
    shell(commands["again"])
    job.wait_for("Running", 4)
    document = shown(shell, "running")
    assert tainted in {each["pod"]["node"] for each in document["workers"]}


def test_the_lines_of_kubectl_stop_and_list_the_job(api: Api, namespace: str, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(job_text({"namespace": namespace}, workers=2, launch=TORCHRUN))
    shell("trainc compile job.yaml | kubectl apply -f -")
    job = ClusterJob(api, namespace, "job")
    job.wait_for("Running", 2)

    def line(command: str) -> str:
        return shell(f"trainc {command} 2>&1; true").splitlines()[-1].strip()

    listing = re.search(r"`(kubectl get pod.*?)`", shell("trainc list --help"), re.S)
    assert listing is not None
    assert shell(f"{' '.join(listing[1].split())} -n {namespace}").count(" mnist\n") == 2
    shell(line("delete job.yaml"))
    wait("no pod", lambda: not job.pods())
