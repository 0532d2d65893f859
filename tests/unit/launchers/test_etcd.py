"""Managed etcd: the Service, the server and the workers use the same name, and workers wait for the server.

Observed with torch 2.15, python-etcd and etcd 3.4: without the server torchrun ends after five seconds with
RendezvousConnectionError, with it both etcd backends train.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

import trainc
from tests.support.build import job_env, job_text, lower_torchrun_job

MANAGED = {"rendezvous": {"backend": "etcd-v2", "managed": True}}


def objects_by_name(backend: str = "job", **spec: Any) -> dict[str, Any]:
    result = trainc.compile(job_text(launch={"torchrun": MANAGED}, **{"workers": 2, **spec}), backend=backend)
    assert result.ok, result.diagnostics
    return {f"{resource['kind']}/{resource['metadata']['name']}": resource for resource in result.objects()}


@pytest.mark.parametrize("backend", ["pods", "job", "statefulset", "pytorchjob", "elasticjob"])
def test_the_endpoint_is_the_service_that_selects_the_server(backend: str) -> None:
    objects = objects_by_name(backend)
    server = objects["Deployment/mnist-etcd"]["spec"]["template"]
    service = objects["Service/mnist-etcd"]["spec"]
    assert service["selector"].items() <= server["metadata"]["labels"].items()
    assert service["ports"] == [{"name": "client", "port": 2379}]
    (container,) = server["spec"]["containers"]
    assert container["ports"] == [{"name": "client", "containerPort": 2379}]
    assert "--listen-client-urls=http://0.0.0.0:2379" in container["command"]
    assert job_env(lower_torchrun_job(MANAGED, workers=2))["PET_RDZV_ENDPOINT"] == "mnist-etcd:2379"


def test_the_v2_api_is_enabled() -> None:
    """https://etcd.io/docs/v3.5/op-guide/configuration/: off by default since 3.4"""
    container = objects_by_name()["Deployment/mnist-etcd"]["spec"]["template"]["spec"]["containers"][0]
    assert "--enable-v2" in container["command"]
    assert container["image"].rpartition(":")[2].startswith("v3.5.")


def test_services_of_workers_do_not_select_the_server() -> None:
    objects = objects_by_name()
    labels = objects["Deployment/mnist-etcd"]["spec"]["template"]["metadata"]["labels"]
    for name in ("Service/mnist", "Service/mnist-0"):
        assert not objects[name]["spec"]["selector"].items() <= labels.items()


def test_a_paused_job_has_no_server() -> None:
    assert objects_by_name(mode="paused")["Deployment/mnist-etcd"]["spec"]["replicas"] == 0


def test_the_image_can_be_set() -> None:
    managed = {"rendezvous": {"backend": "etcd", "managed": {"image": "mirror/etcd:3.4"}}}
    result = trainc.compile(job_text(launch={"torchrun": managed}))
    assert "image: mirror/etcd:3.4" in result.to_yaml()


class Health(BaseHTTPRequestHandler):
    """Health endpoint that fails the first request."""

    requests = 0

    def do_GET(self) -> None:
        type(self).requests += 1
        self.send_response(503 if self.requests < 2 else 200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Suppress the request log."""


def test_the_init_container_waits_until_the_server_is_healthy() -> None:
    template = objects_by_name()["Job/mnist"]["spec"]["template"]["spec"]
    (container,) = template["initContainers"]
    assert container["image"] == template["containers"][0]["image"]
    assert container["command"][:3] == ["python3", "-I", "-c"]
    assert container["command"][4:] == ["http://mnist-etcd:2379/health"]
    server = HTTPServer(("127.0.0.1", 0), Health)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/health"
    subprocess.run([sys.executable, "-I", "-c", container["command"][3], url], timeout=120, check=True)
    server.shutdown()
    assert Health.requests == 2
