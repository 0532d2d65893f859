"""Simulated API server: the two calls by which a pod scales its own set to zero, and the Roles that allow them.

https://kubernetes.io/docs/reference/access-authn-authz/rbac/
"""

from __future__ import annotations

import http.server
import json
import re
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainc.plan.fields import Object, items, listed, number, text

ADDRESS = "10.96.0.1"  # of the Service `kubernetes` in kubeadm's clusters
CREDENTIAL = "placeholder"  # of the account: no other server knows it
ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_MAX_BODY = 65536  # bytes
_PATH = re.compile(
    r"/apis/(?P<group>[^/]+)/v\d\w*/namespaces/(?P<namespace>[^/]+)/(?P<kind>\w+)/(?P<name>[^/]+)(?P<sub>/\w+)?"
)

# Scales an object by kind, name and replicas; returns whether the object exists.
Scale = Callable[[str, str, int], bool]


def create_certificate(folder: Path) -> bool:
    """Create a key and certificate for this rehearsal; return False without openssl."""
    if not shutil.which("openssl"):
        return False
    folder.mkdir()
    command = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN={ADDRESS}"
    names = f"subjectAltName=IP:{ADDRESS},DNS:kubernetes.default.svc"
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "ca.crt"), "-addext", names]
    return subprocess.run([*command.split(), *files], capture_output=True, check=False).returncode == 0


def serve(folder: Path, objects: list[Object], scale: Scale) -> None:
    """Answer in a thread until the process exits."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(max(0, min(int(self.headers.get("Content-Length") or 0), _MAX_BODY)))
            code = self._handle(body) if self.headers.get("Authorization") == f"Bearer {CREDENTIAL}" else 401
            reply = json.dumps({"kind": "Status", "apiVersion": "v1", "code": code}).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        do_PATCH = do_DELETE = do_GET = _answer  # noqa: N815  # http.server requires these names

        def _handle(self, body: bytes) -> int:
            path = _PATH.fullmatch(self.path)
            if path is None or not is_allowed(objects, self.command.lower(), **path.groupdict()):
                return 403
            if self.command == "DELETE":
                return 200 if path["kind"] == "horizontalpodautoscalers" else 404
            try:
                replicas = number(json.loads(body), "spec", "replicas")
            except ValueError:
                replicas = None
            if replicas is None or path["sub"] != "/scale":
                return 400
            return 200 if scale(path["kind"], path["name"], replicas) else 404

        def log_message(self, *_: Any) -> None:
            return

    server = http.server.ThreadingHTTPServer((ADDRESS, 443), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.crt", folder / "key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def is_allowed(
    objects: list[Object], verb: str, group: str, namespace: str, kind: str, name: str, sub: str | None
) -> bool:
    """Return whether a Role with a RoleBinding in the namespace allows a call."""
    bound = {
        text(manifest, "roleRef", "name")
        for manifest in objects
        if text(manifest, "kind") == "RoleBinding" and text(manifest, "metadata", "namespace") == namespace
    }
    return any(
        group in listed(rule, "apiGroups")
        and kind + (sub or "") in listed(rule, "resources")
        and verb in listed(rule, "verbs")
        and name in (listed(rule, "resourceNames") or [name])
        for manifest in objects
        if text(manifest, "kind") == "Role" and text(manifest, "metadata", "name") in bound
        for rule in items(manifest, "rules")
    )


def service_variables() -> dict[str, str]:
    """Return the variables that the kubelet sets for the Service `kubernetes`."""
    ports = dict.fromkeys(("SERVICE_PORT", "SERVICE_PORT_HTTPS", "PORT_443_TCP_PORT"), "443")
    urls = dict.fromkeys(("PORT", "PORT_443_TCP"), f"tcp://{ADDRESS}:443")
    addresses = dict.fromkeys(("SERVICE_HOST", "PORT_443_TCP_ADDR"), ADDRESS)
    variables = {**ports, **urls, **addresses, "PORT_443_TCP_PROTO": "tcp"}
    return {f"KUBERNETES_{name}": value for name, value in variables.items()}


def account_files(folder: Path, namespace: str) -> dict[str, str]:
    """Return the service account's files by their paths in a container."""
    files = {"namespace": namespace, "token": CREDENTIAL, "ca.crt": (folder / "ca.crt").read_text()}
    return {f"{ACCOUNT_PATH}/{name}": content for name, content in files.items()}
