"""Cluster under test: its own control plane, or the cluster of TRAINC_CLUSTER."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from tests.cluster.api import Api, ApiError, Object, Resource, Server
from tests.cluster.binaries import UnavailableError, binaries, kubectl
from tests.cluster.control_plane import ControlPlane, control_plane
from tests.cluster.processes import Programs
from tests.support.golang import FEW_COLLECTIONS

T = TypeVar("T")
ACCOUNTS = ("default", "trainer")  # an example uses the second
CONTROLLED = ("Pod", "PersistentVolumeClaim")  # of the core kinds


class Cluster(NamedTuple):
    """`own` is None for an existing cluster."""

    api: Api
    kubeconfig: Path
    kubectl: str
    own: ControlPlane | None

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run kubectl."""
        command = [self.kubectl, *arguments]
        return subprocess.run(command, input=stdin, env=self.environment, capture_output=True, text=True, check=False)

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which kubectl is found and reaches this cluster."""
        path = f"{Path(self.kubectl).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        return {
            **os.environ,
            **FEW_COLLECTIONS,
            "NO_PROXY": "127.0.0.1",
            "KUBECONFIG": str(self.kubeconfig),
            "PATH": path,
        }

    def create_namespaces(self, *names: str) -> None:
        """Create namespaces and wait for their service accounts, which pods need."""
        for name in names:
            self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for name in names:
            for account in ACCOUNTS[1:]:
                self.api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}}, name)
        for name in names:
            wait(f"accounts in {name}", partial(self._has_accounts, name))

    def _has_accounts(self, namespace: str) -> bool:
        return len(self.api.find("ServiceAccount", namespace)) == len(ACCOUNTS)

    def delete_namespaces(self, *names: str) -> None:
        """Delete namespaces and wait for their end; in the tests' own cluster, only what controllers act on.

        The namespace controller deletes each kind in each namespace, which took a third of the CPU time of these tests.
        """
        if self.own is not None:
            self._stop(names)
            return
        for name in names:
            self.api.delete("Namespace", "", name)
        path = self.api.of_kind("Namespace").path()
        wait("end of the namespaces", lambda: not _names(self.api.call("GET", path)) & set(names), 600)

    def _stop(self, namespaces: Collection[str]) -> None:
        preferred = {(_group(each), each.kind): each for each in reversed(self.api.resources()) if _is_controlled(each)}
        for resource in preferred.values():
            items = self.api.call("GET", resource.path(*namespaces if len(namespaces) == 1 else ()))["items"]
            for namespace in {item["metadata"]["namespace"] for item in items} & set(namespaces):
                self.api.call("DELETE", resource.path(namespace), {"propagationPolicy": "Background"})


def _is_controlled(resource: Resource) -> bool:
    """Return whether controllers act on the objects of a resource."""
    group = _group(resource)
    is_controlled = not group.endswith(".k8s.io") and group != "policy" if group else resource.kind in CONTROLLED
    return is_controlled and resource.namespaced and "deletecollection" in resource.verbs


def _group(resource: Resource) -> str:
    return "/".join(resource.prefix.split("/")[2:-1])


def _names(object_list: Object) -> set[str]:
    return {item["metadata"]["name"] for item in object_list["items"]}


@contextmanager
def cluster(folder: Path, log: Callable[[str], None]) -> Iterator[Cluster]:
    """Yield the cluster that the environment selects; `log` gets a line before slow steps. Raises UnavailableError."""
    if kubeconfig := os.environ.get("TRAINC_CLUSTER"):
        with _existing(Path(kubeconfig), folder) as existing:
            yield existing
        return
    programs = binaries(log)
    with control_plane(programs, folder) as plane:
        yield Cluster(Api(plane.server), plane.kubeconfig, programs.kubectl, plane)


@contextmanager
def _existing(kubeconfig: Path, folder: Path) -> Iterator[Cluster]:
    """Connect through `kubectl proxy`, which supports every login, on a private socket."""
    if not kubeconfig.is_file():
        raise UnavailableError(f"TRAINC_CLUSTER: {kubeconfig} isn't a file")
    programs, socket = Programs(folder), folder / "proxy.sock"
    try:
        programs.start("proxy", kubectl(), "--kubeconfig", kubeconfig.resolve(), "proxy", "--unix-socket", socket)
        wait("kubectl proxy", socket.exists)
        yield Cluster(Api(Server(socket=socket)), kubeconfig.resolve(), kubectl(), None)
    finally:
        programs.end()


def unique_namespace(name: str) -> str:
    """Return an unused namespace name."""
    return f"trainc-{name}-{secrets.token_hex(3)}"


def wait(expected: str, condition: Callable[[], T | None], seconds: float = 60) -> T:
    """Return the condition's first true value, ignoring ApiError meanwhile. Raises AssertionError at the timeout."""
    end = time.monotonic() + seconds
    while True:
        problem = ""
        try:
            if result := condition():
                return result
        except ApiError as error:
            problem = f": {error}"
        assert time.monotonic() < end, f"no {expected} after {seconds} s{problem}"
        time.sleep(0.05)


def true_condition(manifest: Object, kind: str) -> Object:
    """Return a true condition of an object's status; empty if it isn't true."""
    conditions = manifest.get("status", {}).get("conditions") or []  # null in a new CRD
    return next((each for each in conditions if each["type"] == kind and each["status"] == "True"), {})
