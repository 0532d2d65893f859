"""What the tests have to know about an operator: source, manifests and command line."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.cluster.api import Object
from tests.support.examples import ROOT
from tests.support.golang import required_version

WEBHOOK_PORT, HEALTH_PORT = 9443, 8081
TEMPORARY = "/tmp"  # only the operator's own files, see sandbox.py
CONFIGURATION = f"{TEMPORARY}/configuration.yaml"
# Options of operators that read no configuration: the default allows 20 requests a second.
FAST = ("--kube-api-qps=300", "--kube-api-burst=600")


def configuration(api_version: str, certificates: str) -> Object:
    """Return a configuration with webhooks on loopback, whose certificates the tests create."""
    return {
        "apiVersion": api_version,
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        certificates: {"enable": False},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{HEALTH_PORT}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": WEBHOOK_PORT},
        "clientConnection": {"qps": 300, "burst": 600},
    }


def namespace(name: str) -> Object:
    """Return a namespace that the operator needs."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


class Operator(NamedTuple):
    """An operator, pinned in tools/operators/NAME/go.mod. Paths are relative to `manifests` in its module."""

    name: str
    module: str
    package: str
    manifests: str
    crds: tuple[str, ...]  # glob patterns
    arguments: tuple[str, ...] = ()
    configuration: Object | None = None  # in file CONFIGURATION
    webhooks: str = ""  # directory with a kustomization of webhook configurations
    objects: tuple[str, ...] = ()  # directories with kustomizations that are applied once the operator runs
    setup: tuple[Object, ...] = ()  # objects that the operator needs at its start
    certificate: tuple[str, str] = ("", "")  # namespace and name of the Secret with the webhooks' certificate
    gang: str = ""  # option for PodGroups of Volcano, which are then created for all jobs
    requires: tuple[str, ...] = ()  # operators
    health_port: int = HEALTH_PORT
    health_path: str = "/readyz"

    @property
    def source(self) -> Path:
        """Directory with the operator's go.mod."""
        return ROOT / "tools" / "operators" / self.name

    @property
    def version(self) -> str:
        return required_version(self.source, self.module)

    @property
    def program(self) -> str:
        return self.package.rpartition("/")[2]
