"""The cluster that the tests speak to: one of their own, or the one that TRAINC_CLUSTER names."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from tests.cluster.api import Api, Object, Refused, Server
from tests.cluster.binaries import UnavailableError, binaries, kubectl
from tests.cluster.control_plane import ControlPlane, control_plane
from tests.cluster.processes import Programs

Found = TypeVar("Found")
ACCOUNTS = ("default", "trainer")  # the second is an example's


class Cluster(NamedTuple):
    """`own` is None in a cluster that lives on after the tests."""

    api: Api
    kubeconfig: Path
    kubectl: str
    own: ControlPlane | None

    def run(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run kubectl on it."""
        command = [self.kubectl, "--kubeconfig", str(self.kubeconfig), *arguments]
        environment = {**os.environ, "NO_PROXY": "127.0.0.1"}
        return subprocess.run(command, input=given, env=environment, capture_output=True, text=True, check=False)

    def make_namespaces(self, *names: str) -> None:
        """Make namespaces in which pods can be: with their accounts, which a controller makes after them."""
        for name in names:
            self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for name in names:
            for account in ACCOUNTS[1:]:
                self.api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}}, name)
        for name in names:
            wait(f"accounts in {name}", partial(self._has_accounts, name))

    def _has_accounts(self, namespace: str) -> bool:
        return len(self.api.find("ServiceAccount", namespace)) == len(ACCOUNTS)

    def end_namespaces(self, *names: str) -> None:
        """Delete them, and wait for that where the cluster lives on."""
        for name in names:
            self.api.delete("Namespace", "", name)
        if self.own is None:
            there = self.api.of_kind("Namespace").path()
            wait("end of the namespaces", lambda: not _named(self.api.call("GET", there), set(names)), 600)


def _named(listed: Object, names: set[str]) -> set[str]:
    return names & {item["metadata"]["name"] for item in listed["items"]}


@contextmanager
def cluster(folder: Path, say: Callable[[str], None]) -> Iterator[Cluster]:
    """The cluster that the environment asks for; `say` tells of what takes long. Raises UnavailableError."""
    if named := os.environ.get("TRAINC_CLUSTER"):
        with _existing(Path(named), folder) as found:
            yield found
        return
    programs = binaries(say)
    with control_plane(programs, folder) as plane:
        yield Cluster(Api(plane.server), plane.kubeconfig, programs.kubectl, plane)


@contextmanager
def _existing(kubeconfig: Path, folder: Path) -> Iterator[Cluster]:
    """Through `kubectl proxy`, which knows every way to log in, on a socket that nobody else can open."""
    if not kubeconfig.is_file():
        raise UnavailableError(f"TRAINC_CLUSTER names {kubeconfig}, which is no file")
    programs, socket = Programs(folder), folder / "proxy.sock"
    try:
        programs.start("proxy", kubectl(), "--kubeconfig", kubeconfig.resolve(), "proxy", "--unix-socket", socket)
        wait("kubectl proxy", socket.exists)
        yield Cluster(Api(Server(socket=socket)), kubeconfig.resolve(), kubectl(), None)
    finally:
        programs.end()


def fresh(name: str) -> str:
    """A name for a namespace that nobody has."""
    return f"trainc-{name}-{secrets.token_hex(3)}"


def wait(what: str, found: Callable[[], Found | None], seconds: float = 60) -> Found:
    """What `found` gives as soon as it gives something; a refusal is waited out, too. Raises AssertionError."""
    until = time.monotonic() + seconds
    while True:
        problem = ""
        try:
            if result := found():
                return result
        except Refused as refused:
            problem = f": {refused}"
        assert time.monotonic() < until, f"no {what} after {seconds} s{problem}"
        time.sleep(0.05)


def condition(thing: Object, kind: str) -> Object:
    """A condition of an object's status that is true; an empty one where it is not."""
    conditions = thing.get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == kind and one["status"] == "True"), {})
