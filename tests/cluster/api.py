"""Strict API server client: unknown fields, duplicate fields and warnings raise ApiError."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

Object = dict[str, Any]
MANAGER = "tests"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
JSON = "application/json"
CREATED = 201  # code of a created object
# https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
DISCOVERY = "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList"


class ApiError(Exception):
    """Error or warning of the server: code, reason and message."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(f"{code} {reason}: {message}")
        self.code, self.reason, self.message = code, reason, message


class Server(NamedTuple):
    """Address and credentials of a server: host and certificate, or the socket of `kubectl proxy`."""

    host: str = "localhost"
    port: int = 80
    certificate: Path | None = None
    token: str = ""
    socket: Path | None = None

    def connection(self, timeout: float | None) -> http.client.HTTPConnection:
        """Return a new connection; timeout None waits forever."""
        if self.socket:
            return _SocketConnection(str(self.socket), timeout)
        context = ssl.create_default_context(cafile=str(self.certificate))
        return http.client.HTTPSConnection(self.host, self.port, context=context, timeout=timeout)


class Resource(NamedTuple):
    """A resource of the server."""

    prefix: str
    plural: str
    kind: str
    namespaced: bool
    verbs: frozenset[str]

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """Return the path of an object, of a namespace's objects, or of all objects."""
        parts = [self.prefix]
        if self.namespaced and namespace:
            parts += ["namespaces", namespace]
        parts += [self.plural, *([quote(name)] if name else [])]
        return "/".join(parts)


class Api:
    """Calls as one user; `impersonate` names another user to act as."""

    def __init__(self, server: Server, impersonate: str | None = None) -> None:
        self.server, self.impersonate = server, impersonate
        self._threads = threading.local()
        self._resources: dict[tuple[str, str], Resource] = {}

    def call(self, method: str, path: str, body: object = None, kind: str = JSON, **query: str) -> Any:
        """Return the server's answer. Raises ApiError, also for a warning."""
        answer, code, warnings = self._send(method, path, body, kind, query)
        if code >= 400:
            raise ApiError(code, str(answer.get("reason")), str(answer.get("message")))
        if warnings:
            raise ApiError(code, "Warning", "; ".join(warnings))
        return answer

    def apply(self, manifest: Object, namespace: str | None = None, **query: str) -> Object:
        """Server-side apply: https://kubernetes.io/docs/reference/using-api/server-side-apply/"""
        query = {"fieldManager": MANAGER, "fieldValidation": "Strict", **query}
        applied: Object = self.call("PATCH", self.path(manifest, namespace), manifest, APPLY, **query)
        return applied

    def get(self, kind: str, namespace: str, name: str) -> Object:
        """Return one object. Raises ApiError."""
        manifest: Object = self.call("GET", self.of_kind(kind).path(namespace, name))
        return manifest

    def find(self, kind: str, namespace: str, **labels: str) -> list[Object]:
        """Return all objects of a namespace with these labels, by name."""
        selector = ",".join(f"{name}={value}" for name, value in labels.items())
        query = {"labelSelector": selector} if selector else {}
        resource = self.of_kind(kind)
        items: list[Object] = self.call("GET", resource.path(namespace), **query)["items"]
        return sorted(items, key=lambda item: str(item["metadata"]["name"]))

    def patch(self, kind: str, namespace: str, name: str, change: Object, part: str = "") -> Object:
        """Merge a change into an object, or into its subresource `part`."""
        path = self.of_kind(kind).path(namespace, name) + (f"/{part}" if part else "")
        patched: Object = self.call("PATCH", path, change, MERGE, fieldManager=MANAGER)
        return patched

    def create(self, manifest: Object, namespace: str | None = None) -> Object:
        """Create an object. Raises ApiError if it exists."""
        path = self.path(manifest, namespace).rpartition("/")[0]
        created: Object = self.call("POST", path, manifest, fieldManager=MANAGER, fieldValidation="Strict")
        return created

    def rejection(self, manifest: Object, namespace: str, accepted: Collection[int] = (CREATED,)) -> str:
        """Return why the server would not create an object of a mapping as metadata, or an empty text.

        Errors with an accepted code do not count: warnings have CREATED.
        """
        path = self._resource((manifest["apiVersion"], manifest["kind"])).path(namespace)
        query = {"fieldManager": MANAGER, "fieldValidation": "Strict", "dryRun": "All"}
        try:
            self.call("POST", path, manifest, **query)
        except ApiError as error:
            return "" if error.code in accepted else error.message
        return ""

    def delete(self, kind: str, namespace: str, name: str = "", policy: str = "Background", selector: str = "") -> None:
        """Delete an object, or all objects of a selector; missing objects are ignored."""
        resource = self.of_kind(kind)
        paths = [resource.path(namespace, name)]
        if not name:
            items = self.call("GET", resource.path(namespace), labelSelector=selector)["items"]
            paths = [resource.path(namespace, item["metadata"]["name"]) for item in items]
        for path in paths:
            try:
                self.call("DELETE", path, {"propagationPolicy": policy})
            except ApiError as error:
                if error.code != 404:
                    raise

    def watch(self, path: str, version: str, seconds: int = 300) -> Iterator[tuple[str, Object]]:
        """Yield the events from a resource version on, until the server ends the watch."""
        query = {"watch": "1", "resourceVersion": version, "timeoutSeconds": str(seconds)}
        connection = self.server.connection(timeout=seconds + 30)
        connection.request("GET", f"{path}?{urlencode(query)}", headers=self._headers(JSON))
        for line in connection.getresponse():
            event = json.loads(line)
            yield event["type"], event["object"]
        connection.close()

    def path(self, manifest: Object, namespace: str | None = None) -> str:
        """Return the path of an object; `namespace` applies if it has none."""
        resource = self._resource((manifest["apiVersion"], manifest["kind"]))
        metadata: Mapping[str, Any] = manifest["metadata"]
        return resource.path(metadata.get("namespace") or namespace or "default", metadata["name"])

    def of_kind(self, kind: str) -> Resource:
        """Return the server's first resource of a kind or plural name."""
        for resource in self.resources():
            if kind in (resource.kind, resource.plural):
                return resource
        raise ApiError(404, "NotFound", f"the server has no {kind}")

    def resources(self) -> list[Resource]:
        """Return all resources in the server's order of preference."""
        if not self._resources:
            self._discover()
        return list(self._resources.values())

    def reset_resources(self) -> None:
        """Discover the resources again: kinds were added."""
        self._resources.clear()

    def _resource(self, key: tuple[str, str]) -> Resource:
        if not self._resources:
            self._discover()
        if key not in self._resources:
            raise ApiError(404, "NotFound", f"the server has no {key[1]} of {key[0]}")
        return self._resources[key]

    def _discover(self) -> None:
        for path in ("/api", "/apis"):
            for group in self._send("GET", path, None, JSON, {}, DISCOVERY)[0]["items"]:
                name = group["metadata"].get("name", "")
                for version in group["versions"]:
                    group_version = f"{name}/{version['version']}" if name else version["version"]
                    for resource in version.get("resources", []):
                        entry = Resource(
                            prefix=f"{path}/{group_version}",
                            plural=resource["resource"],
                            kind=resource["responseKind"].get("kind", ""),
                            namespaced=resource["scope"] == "Namespaced",
                            verbs=frozenset(resource["verbs"]),
                        )
                        self._resources.setdefault((group_version, entry.kind), entry)

    def _headers(self, kind: str, accept: str = JSON) -> dict[str, str]:
        headers = {"Content-Type": kind, "Accept": accept}
        if self.server.token:
            headers["Authorization"] = f"Bearer {self.server.token}"
        if self.impersonate:
            headers["Impersonate-User"] = self.impersonate
        return headers

    def _send(
        self, method: str, path: str, body: object, kind: str, query: Mapping[str, str], accept: str = JSON
    ) -> tuple[Any, int, list[str]]:
        """Return answer, status and warnings over this thread's connection, which is reopened once after an error."""
        address = f"{path}?{urlencode(query)}" if query else path
        data = None if body is None else json.dumps(body).encode()
        for attempt in (1, 2):
            connection = getattr(self._threads, "connection", None) or self.server.connection(timeout=60)
            self._threads.connection = connection
            try:
                connection.request(method, address, data, self._headers(kind, accept))
                response = connection.getresponse()
                text = response.read()
                break
            except (http.client.HTTPException, OSError):
                connection.close()
                self._threads.connection = None
                if attempt == 2:
                    raise
        warnings = [header.partition('"')[2].rstrip('"') for header in response.headers.get_all("Warning", [])]
        try:
            return json.loads(text or b"{}"), response.status, warnings
        except ValueError:
            return {"message": text.decode(errors="replace")}, response.status, warnings


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float | None) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
