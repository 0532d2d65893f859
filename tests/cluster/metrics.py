"""Metrics API with values that the tests set, behind the API server's aggregation layer.

https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/
"""

from __future__ import annotations

import json
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from tests.cluster.api import Api, Object
from tests.cluster.cluster import wait
from tests.cluster.control_plane import ControlPlane

GROUP = "metrics.k8s.io/v1beta1"
API_SERVICE = "v1beta1.metrics.k8s.io"
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
SCALED = {"minReplicas": 2, "maxReplicas": 4, "metrics": [CPU]}  # `elastic` of a job that the metrics scale
PODS = re.compile(rf"/apis/{GROUP}/namespaces/([^/]+)/pods")


class Metrics:
    """CPU usage of every running pod of a namespace, in millicores."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.cpu: dict[str, int] = {}

    def answer(self, address: str) -> Object | None:
        """Return the answer for a URL; None if it doesn't exist."""
        url = urlparse(address)
        if url.path.rstrip("/") == f"/apis/{GROUP}":
            pods = {"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics", "verbs": ["list"]}
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": GROUP, "resources": [pods]}
        if not (path := PODS.fullmatch(url.path)):
            return None
        selector = parse_qs(url.query).get("labelSelector", [""])[0]
        pods = self.api.call("GET", f"/api/v1/namespaces/{path[1]}/pods", labelSelector=selector)["items"]
        running = [pod for pod in pods if pod["status"].get("phase") == "Running"]
        items = [self._of(pod) for pod in running if path[1] in self.cpu]
        return {"kind": "PodMetricsList", "apiVersion": GROUP, "metadata": {}, "items": items}

    def _of(self, pod: Object) -> Object:
        usage = {"cpu": f"{self.cpu[pod['metadata']['namespace']]}m", "memory": "64Mi"}
        return {
            "metadata": {part: pod["metadata"][part] for part in ("name", "namespace")},
            "timestamp": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "window": "15s",
            "containers": [{"name": container["name"], "usage": usage} for container in pod["spec"]["containers"]],
        }


@contextmanager
def metrics(api: Api, plane: ControlPlane) -> Iterator[Metrics]:
    """Yield the metrics of a running server."""
    values = Metrics(api)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer = values.answer(self.path)
            data = json.dumps(answer or {}).encode()
            self.send_response(200 if answer else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the tests' output free of request logs."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(plane.certificate, plane.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        _register(api, server.server_port)
        yield values
    finally:
        api.delete("APIService", "", API_SERVICE)  # otherwise discovery and the deletion of namespaces fail
        wait("discovery without it", lambda: not _is_listed(api))
        server.shutdown()
        server.server_close()


def _is_listed(api: Api) -> bool:
    api.reset_resources()
    return any(resource.prefix == f"/apis/{GROUP}" for resource in api.resources())


def _register(api: Api, port: int) -> None:
    """Register the API through an ExternalName Service: there is no Service network."""
    metadata = {"name": "metrics", "namespace": "kube-system"}
    service = {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": port}]}
    api.apply({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": service})
    api_service = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": API_SERVICE},
        "spec": {
            "group": "metrics.k8s.io",
            "version": "v1beta1",
            "insecureSkipTLSVerify": True,
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "service": {**metadata, "port": port},
        },
    }
    api.apply(api_service)
