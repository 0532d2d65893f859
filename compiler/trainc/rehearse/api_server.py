"""As much of the API server as a pod may need that ends its own StatefulSet: two calls, and Roles that allow them.

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

from trainc.plan.fields import Object, items, listed, mapping, number, text

ADDRESS = "10.96.0.1"  # of kubeadm's clusters, as the Service `kubernetes`
TOKEN = "placeholder for a token"  # noqa: S105
MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
_PATH = re.compile(
    r"/apis/(?P<group>[^/]+)/v\d\w*/namespaces/(?P<space>[^/]+)/(?P<kind>\w+)/(?P<name>[^/]+)(?P<sub>/\w+)?"
)
_VERBS = {"PATCH": "patch", "DELETE": "delete", "GET": "get"}

# Kind, name and number of pods.
Scale = Callable[[str, str, int], bool]


def certificate(folder: Path) -> bool:
    """Make one that only this rehearsal knows; whether that can be done here."""
    if not shutil.which("openssl"):
        return False
    folder.mkdir()
    words = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN={ADDRESS}"
    names = f"subjectAltName=IP:{ADDRESS},DNS:kubernetes.default.svc"
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "ca.crt"), "-addext", names]
    return subprocess.run([*words.split(), *files], capture_output=True, check=False).returncode == 0


def serve(folder: Path, objects: list[Object], scale: Scale) -> None:
    """Answer for as long as the process lives."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_PATCH(self) -> None:
            self._answer()

        def do_DELETE(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            given = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            code = self._done(given) if self.headers.get("Authorization") == f"Bearer {TOKEN}" else 401
            told = json.dumps({"kind": "Status", "apiVersion": "v1", "code": code}).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def _done(self, given: bytes) -> int:
            found = _PATH.fullmatch(self.path)
            if found is None or not allowed(objects, _VERBS[self.command], **found.groupdict()):
                return 403
            if self.command == "DELETE":
                return 200 if found["kind"] == "horizontalpodautoscalers" else 404
            wanted = number(_read(given), "spec", "replicas")
            if wanted is None or found["sub"] != "/scale":
                return 400
            return 200 if scale(found["kind"], found["name"], wanted) else 404

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = http.server.ThreadingHTTPServer((ADDRESS, 443), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.crt", folder / "key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def allowed(objects: list[Object], verb: str, group: str, space: str, kind: str, name: str, sub: str | None) -> bool:
    """Whether a Role that is bound to anybody in the namespace allows a call."""
    bound = {
        text(one, "roleRef", "name")
        for one in objects
        if text(one, "kind") == "RoleBinding" and text(one, "metadata", "namespace") == space
    }
    for one in objects:
        if text(one, "kind") != "Role" or text(one, "metadata", "name") not in bound:
            continue
        for rule in items(one, "rules"):
            named = listed(rule, "resourceNames")
            if (
                group in listed(rule, "apiGroups")
                and kind + (sub or "") in listed(rule, "resources")
                and verb in listed(rule, "verbs")
                and (not named or name in named)
            ):
                return True
    return False


def variables() -> dict[str, str]:
    """What the kubelet tells every container of the Service `kubernetes`."""
    tcp = f"tcp://{ADDRESS}:443"
    return {
        "KUBERNETES_SERVICE_HOST": ADDRESS,
        "KUBERNETES_SERVICE_PORT": "443",
        "KUBERNETES_SERVICE_PORT_HTTPS": "443",
        "KUBERNETES_PORT": tcp,
        "KUBERNETES_PORT_443_TCP": tcp,
        "KUBERNETES_PORT_443_TCP_PROTO": "tcp",
        "KUBERNETES_PORT_443_TCP_PORT": "443",
        "KUBERNETES_PORT_443_TCP_ADDR": ADDRESS,
    }


def account(folder: Path, namespace: str) -> dict[str, str]:
    """The files of a service account, as every container finds them at its path."""
    files = {"namespace": namespace, "token": TOKEN, "ca.crt": (folder / "ca.crt").read_text()}
    return {f"{MOUNTED}/{name}": content for name, content in files.items()}


def _read(given: bytes) -> Object:
    try:
        return mapping(json.loads(given))
    except ValueError:
        return {}
