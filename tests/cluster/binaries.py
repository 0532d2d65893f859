"""Programs of a control plane: from $KUBEBUILDER_ASSETS, or built from the Go module proxy and cached by version."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.support.golang import run, toolchain

ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "tools" / "kubernetes"
BUILT = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
VERSION = "k8s.io/component-base/version"
ETCD_PACKAGE = "etcd is not on PATH; on Debian: apt-get install etcd-server"


class UnavailableError(Exception):
    """This machine can't run a control plane; the message says why."""


class Binaries(NamedTuple):
    """Path of each program."""

    etcd: str
    apiserver: str
    controller_manager: str
    scheduler: str
    kubectl: str


def binaries(log: Callable[[str], None]) -> Binaries:
    """Return all programs; `log` gets a line before a build. Raises UnavailableError."""
    if folder := os.environ.get("KUBEBUILDER_ASSETS"):
        return _in_folder(Path(folder))
    return _in_folder(_build_missing(log))


def kubectl() -> str:
    """Return the kubectl of the pinned version if it was built, else the one on PATH."""
    for folder in (os.environ.get("KUBEBUILDER_ASSETS"), str(cache())):
        if folder and (program := shutil.which("kubectl", path=folder)):
            return program
    if program := shutil.which("kubectl"):
        return program
    raise UnavailableError("kubectl is not on PATH")


def version() -> str:
    """Return the pinned Kubernetes version, such as v1.36.3."""
    pinned = re.search(r"\bk8s\.io/kubernetes (v[0-9.]+)", (MODULE / "go.mod").read_text("utf-8"))
    assert pinned, "tools/kubernetes/go.mod requires no k8s.io/kubernetes"
    return pinned[1]


def cache() -> Path:
    """Return the cache directory, outside the checkout: a new clone doesn't build again."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "trainc", "kubernetes", version())


def _in_folder(folder: Path) -> Binaries:
    """kubectl and etcd may also be on PATH: setup-envtest's directory has both, the cache has no etcd."""
    path = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"
    missing = [name for name in BUILT[:3] if not shutil.which(name, path=str(folder))]
    missing += [name for name in ("kubectl",) if not shutil.which(name, path=path)]
    if missing:
        raise UnavailableError(f"{folder} has no {', '.join(missing)}")
    etcd = shutil.which("etcd", path=path)
    if etcd is None:
        raise UnavailableError(ETCD_PACKAGE)
    return Binaries(etcd, *(str(shutil.which(name, path=path)) for name in BUILT))


def _build_missing(log: Callable[[str], None]) -> Path:
    """Build missing programs, in one process at a time; return their directory."""
    folder = cache()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [name for name in BUILT if not (folder / name).exists()]
        if not missing:
            return folder
        if not shutil.which("etcd"):  # fail before minutes of building
            raise UnavailableError(ETCD_PACKAGE)
        try:
            log(f"building {', '.join(missing)} {version()} into {folder}: minutes, once")
            _build(missing, folder)
        except subprocess.CalledProcessError as error:
            raise UnavailableError(f"{error.cmd[0]} failed: {' '.join(error.stderr.split())[-400:]}") from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(str(error)) from None
    return folder


def _build(names: list[str], folder: Path) -> None:
    """Build into a temporary directory, so that an interrupted build leaves nothing behind."""
    major, minor, _ = version()[1:].split(".")
    variables = {"gitVersion": version(), "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    flags = " ".join(["-s", "-w", *(f"-X {VERSION}.{name}={value}" for name, value in variables.items())])
    go, environment = toolchain(folder)
    with TemporaryDirectory(dir=folder) as unfinished:
        for name in names:
            command = [go, "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", unfinished]
            # without cgo a machine needs no C compiler
            environment |= {"CGO_ENABLED": "0"}
            run([*command, f"k8s.io/kubernetes/cmd/{name}"], environment, MODULE, minutes=40)
            Path(unfinished, name).replace(folder / name)
