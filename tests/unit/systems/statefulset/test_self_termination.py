"""Self-termination of a StatefulSet: the emitted script runs against a fake API server."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import Any

import pytest

import trainc
from tests.support.build import job_text
from trainc.systems.statefulset.self_termination import SCRIPT

# Fakes of the pod's files and the API server, which print each request as a line of JSON.
FAKES = """\
import builtins, io, json, ssl, urllib.request
from urllib.error import HTTPError
files, real_open = {"namespace": "research", "token": "t0ken"}, open
def fake_open(path, *arguments):
    is_fake = str(path).startswith("/var/run/secrets/")
    return io.StringIO(files[path.rpartition("/")[2]]) if is_fake else real_open(path, *arguments)
builtins.open = fake_open
ssl.create_default_context = lambda cafile: cafile
def urlopen(request, timeout, context):
    token, data = request.headers["Authorization"], (request.data or b"").decode()
    details = [request.method, request.full_url, token, data, context]
    print(json.dumps(details), flush=True)
    if request.method == "DELETE":
        raise HTTPError(request.full_url, CODE, "no", None, None)
urllib.request.urlopen = urlopen
"""
ENV = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
API = "https://[fd00::1]:443/apis/"


def start(index: int, program: str, scaler: str = "", code: int = 404) -> subprocess.Popen[str]:
    script = FAKES.replace("CODE", str(code)) + SCRIPT
    command = [sys.executable, "-c", script, "mnist", scaler, str(index), sys.executable, "-c", program]
    return subprocess.Popen(command, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines(process: subprocess.Popen[str], count: int) -> list[Any]:
    assert process.stdout
    return [json.loads(process.stdout.readline()) for _ in range(count)]


def wait(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, _ = process.communicate(timeout=120)
    return process.returncode, out


@pytest.mark.parametrize(("program", "code"), [("exit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)])
def test_the_exit_code_of_a_failed_program_is_returned(program: str, code: int) -> None:
    assert wait(start(0, program)) == (code, "")


def test_worker_0_deletes_the_autoscaler_and_then_scales_to_zero() -> None:
    process = start(0, "pass", scaler="mnist")
    delete, patch = lines(process, 2)
    ca = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"
    path = "autoscaling/v2/namespaces/research/horizontalpodautoscalers/mnist"
    assert delete == ["DELETE", API + path, "Bearer t0ken", "", ca]
    assert patch[:2] == ["PATCH", API + "apps/v1/namespaces/research/statefulsets/mnist/scale"]
    assert json.loads(patch[3]) == {"spec": {"replicas": 0}}
    assert process.poll() is None, "it must wait for its deletion, or it would be restarted"
    process.send_signal(signal.SIGTERM)
    assert wait(process) == (0, "")


def test_other_workers_wait_without_requests() -> None:
    process = start(1, "pass", scaler="mnist")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.send_signal(signal.SIGTERM)
    assert wait(process) == (0, "")


def test_forbidden_request_is_logged_and_retried() -> None:
    process = start(0, "pass", scaler="mnist", code=403)
    assert lines(process, 1)[0][0] == "DELETE"
    assert process.stderr
    assert "can't be scaled down" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert wait(process) == (0, "")


def test_signal_is_forwarded_and_the_exit_code_returned() -> None:
    program = (
        "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(3)); print(0, flush=True); time.sleep(60)"
    )
    process = start(0, program)
    assert lines(process, 1) == [0]
    process.send_signal(signal.SIGTERM)
    assert wait(process) == (3, "")


def test_role_covers_two_objects_and_is_bound_to_the_pods_account() -> None:
    job = job_text(launch={"torchrun": {}}, elastic={"minReplicas": 1, "maxReplicas": 2}, resources={"cpu": 1})
    objects = {
        item["kind"]: item for item in trainc.compile(job, backend="statefulset", namespace="research").objects()
    }
    rules = objects["Role"]["rules"]
    assert [(rule["resources"], rule["resourceNames"], rule["verbs"]) for rule in rules] == [
        (["statefulsets/scale"], ["mnist"], ["patch"]),
        (["horizontalpodautoscalers"], ["mnist"], ["delete"]),
    ]
    assert (
        objects["StatefulSet"]["metadata"]["name"] == objects["HorizontalPodAutoscaler"]["metadata"]["name"] == "mnist"
    )
    subject = {"kind": "ServiceAccount", "name": "mnist", "namespace": "research"}
    assert objects["RoleBinding"]["subjects"] == [subject]
    assert objects["ServiceAccount"]["metadata"]["name"] == "mnist"
    assert objects["StatefulSet"]["spec"]["template"]["spec"]["serviceAccountName"] == "mnist"
    job = job_text(podTemplate={"spec": {"serviceAccountName": "trainer"}})
    objects = {
        item["kind"]: item for item in trainc.compile(job, backend="statefulset", namespace="research").objects()
    }
    assert objects["RoleBinding"]["subjects"][0]["name"] == "trainer"
    assert "ServiceAccount" not in objects


def test_self_termination_is_optional_and_requires_a_namespace() -> None:
    disabled = job_text(lifecycle={"stopWhenDone": False})
    for job, namespace in ((disabled, "research"), (job_text(), None)):
        result = trainc.compile(job, backend="statefulset", namespace=namespace)
        assert "Role" not in {resource["kind"] for resource in result.objects()}
        assert [diagnostic.code.id for diagnostic in result.diagnostics] == ["TC4002"]
