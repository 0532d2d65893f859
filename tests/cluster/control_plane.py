"""Control plane on loopback: etcd, API server, controller manager and scheduler, in a temporary directory.

Flags differ from the defaults only for speed, or to run without a network and real nodes.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.cluster.api import Server
from tests.cluster.binaries import Binaries
from tests.cluster.processes import Programs, free_ports

TOKENS = {
    "admin": "admin,admin,system:masters",
    "controllers": "system:kube-controller-manager,controllers,",
    "scheduler": "system:kube-scheduler,scheduler,",
}
# Kubernetes' own gang scheduling: https://kubernetes.io/docs/concepts/scheduling-eviction/gang-scheduling/
GATES = ("GenericWorkload=true", "GangScheduling=true")
PROGRESS = (3, 4, 31)  # first etcd with watch progress notifications


class ControlPlane(NamedTuple):
    """A running control plane."""

    server: Server
    kubeconfig: Path
    certificate: Path
    key: Path
    programs: Programs


@contextmanager
def control_plane(
    binaries: Binaries, folder: Path, controllers: str = "*", gates: Sequence[str] = (), admission: str = ""
) -> Iterator[ControlPlane]:
    """Start a control plane and always end it. Raises RuntimeError with the log of a program that doesn't start.

    `controllers` are those of the controller manager. Without that of the life cycle of nodes, nodes without a kubelet
    stay as they were created. `gates` are enabled besides GATES, and `admission` plug-ins besides the default ones.
    """
    certificate, key = _certificate(folder)
    programs = Programs(folder)
    etcd, peer, api, manager, scheduler = free_ports(5)
    (folder / "tokens.csv").write_text("".join(f"{token},{_user(token)}\n" for token in TOKENS))
    for user in TOKENS:
        (folder / f"{user}.kubeconfig").write_text(yaml.safe_dump(client_config(api, certificate, user)))
    try:
        _etcd(programs, binaries, etcd, peer)
        all_gates = [*GATES, *gates]
        more = {"enable-admission-plugins": admission} if admission else {}
        if controllers != "*":  # those that would remove the taint and the finalizer don't run
            more["disable-admission-plugins"] = "TaintNodesByCondition,StorageObjectInUseProtection"
        _apiserver(programs, binaries, api, etcd, certificate, key, all_gates, more)
        _controllers(programs, binaries, manager, certificate, key, all_gates, controllers)
        _scheduler(programs, binaries, scheduler, all_gates)
        server = Server("127.0.0.1", api, certificate, "admin")
        yield ControlPlane(server, folder / "admin.kubeconfig", certificate, key, programs)
    finally:
        programs.end()


def _user(token: str) -> str:
    name, uid, groups = TOKENS[token].split(",")
    return f'{name},{uid},"{groups}"' if groups else f"{name},{uid}"


def _certificate(folder: Path) -> tuple[Path, Path]:
    """Create a self-signed certificate for all purposes: serving, aggregation, service account tokens."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=trainc-tests", "-keyout", str(key), "-out", str(certificate)]
    command += ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def client_config(port: int, certificate: Path, token: str) -> dict[str, Any]:
    """Return the kubeconfig of a user."""
    cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(certificate)}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "tests", "cluster": cluster}],
        "users": [{"name": token, "user": {"token": token}}],
        "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": token}}],
        "current-context": "tests",
    }


def _etcd(programs: Programs, binaries: Binaries, port: int, peer: int) -> None:
    client, other = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer}"
    command = [binaries.etcd, "--data-dir", "etcd", "--listen-client-urls", client, "--advertise-client-urls", client]
    command += ["--listen-peer-urls", other, "--initial-advertise-peer-urls", other]
    programs.start("etcd", *command, "--initial-cluster", f"default={other}", *_unsafe(binaries.etcd))
    programs.wait_for(f"{client}/health")


def _unsafe(etcd: str) -> list[str]:
    """Disable fsync if this etcd supports it: its data is temporary."""
    helped = subprocess.run([etcd, "--help"], capture_output=True, text=True, check=False)
    return ["--unsafe-no-fsync"] if "unsafe-no-fsync" in helped.stdout + helped.stderr else []


def _apiserver(
    programs: Programs,
    binaries: Binaries,
    port: int,
    etcd: int,
    certificate: Path,
    key: Path,
    all_gates: Sequence[str],
    more: dict[str, str],
) -> None:
    gates = list(all_gates)
    if _etcd_version(binaries.etcd) < PROGRESS:
        gates.append("WatchList=false")  # otherwise watchers wait 40 s for their first event
    flags = {
        "etcd-servers": f"http://127.0.0.1:{etcd}",
        "bind-address": "127.0.0.1",
        "advertise-address": "127.0.0.1",
        "secure-port": port,
        "endpoint-reconciler-type": "none",
        "service-cluster-ip-range": "10.96.0.0/16",
        "allow-privileged": "true",  # otherwise a pod is refused before the Pod Security Standards are
        "authorization-mode": "RBAC",
        "token-auth-file": "tokens.csv",
        "tls-cert-file": certificate,
        "tls-private-key-file": key,
        "client-ca-file": certificate,
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-key-file": certificate,
        "service-account-signing-key-file": key,
        # the aggregation layer: https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/
        "requestheader-client-ca-file": certificate,
        "requestheader-allowed-names": "trainc-tests",
        "requestheader-username-headers": "X-Remote-User",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "proxy-client-cert-file": certificate,
        "proxy-client-key-file": key,
        "feature-gates": ",".join(gates),
        "runtime-config": "scheduling.k8s.io/v1alpha2=true",
        **more,
    }
    programs.start("kube-apiserver", binaries.apiserver, *_flags(flags))
    programs.wait_for(f"https://127.0.0.1:{port}/readyz")


def _controllers(
    programs: Programs,
    binaries: Binaries,
    port: int,
    certificate: Path,
    key: Path,
    gates: Sequence[str],
    controllers: str,
) -> None:
    scaler = "horizontal-pod-autoscaler"
    flags = {
        "kubeconfig": "controllers.kubeconfig",
        "bind-address": "127.0.0.1",
        "secure-port": port,
        "leader-elect": "false",
        "service-account-private-key-file": key,
        "root-ca-file": certificate,
        "use-service-account-credentials": "true",
        "kube-api-qps": 300,
        "kube-api-burst": 600,
        f"{scaler}-sync-period": "1s",
        f"{scaler}-downscale-stabilization": "1s",
        f"{scaler}-initial-readiness-delay": "0s",
        f"{scaler}-cpu-initialization-period": "0s",
        "feature-gates": ",".join(gates),
        "controllers": controllers,
    }
    programs.start("kube-controller-manager", binaries.controller_manager, *_flags(flags))
    programs.wait_for(f"https://127.0.0.1:{port}/healthz")


def _scheduler(programs: Programs, binaries: Binaries, port: int, gates: Sequence[str]) -> None:
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": "scheduler.kubeconfig", "qps": 300, "burst": 600},
        "podMaxBackoffSeconds": 2,  # retry soon
    }
    (programs.folder / "scheduler.yaml").write_text(yaml.safe_dump(config))
    flags = {
        "config": "scheduler.yaml",
        "bind-address": "127.0.0.1",
        "secure-port": port,
        "authentication-kubeconfig": "scheduler.kubeconfig",
        "authorization-kubeconfig": "scheduler.kubeconfig",
        "feature-gates": ",".join(gates),
    }
    programs.start("kube-scheduler", binaries.scheduler, *_flags(flags))
    programs.wait_for(f"https://127.0.0.1:{port}/healthz")


def _flags(flags: dict[str, object]) -> list[str]:
    return [f"--{name}={value}" for name, value in flags.items()]


def _etcd_version(etcd: str) -> tuple[int, ...]:
    printed = subprocess.run([etcd, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"etcd Version: (\d+)\.(\d+)\.(\d+)", printed)
    assert version, printed
    return tuple(int(part) for part in version.groups())
