"""The programs of a control plane: $KUBEBUILDER_ASSETS, or built from the Go module proxy once and kept by version."""

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
    """There is no control plane to be had here; the message says why."""


class Binaries(NamedTuple):
    """Where each program is."""

    etcd: str
    apiserver: str
    controller_manager: str
    scheduler: str
    kubectl: str


def binaries(say: Callable[[str], None]) -> Binaries:
    """All of them; `say` tells of a build. Raises UnavailableError."""
    if named := os.environ.get("KUBEBUILDER_ASSETS"):
        return _found(Path(named))
    return _found(_built(say))


def kubectl() -> str:
    """The one that belongs to the pinned version where that was built, else the one on PATH."""
    for folder in (os.environ.get("KUBEBUILDER_ASSETS"), str(cache())):
        if folder and (found := shutil.which("kubectl", path=folder)):
            return found
    if found := shutil.which("kubectl"):
        return found
    raise UnavailableError("kubectl is not on PATH")


def version() -> str:
    """The Kubernetes that is built, as in v1.36.3."""
    pinned = re.search(r"\bk8s\.io/kubernetes (v[0-9.]+)", (MODULE / "go.mod").read_text("utf-8"))
    assert pinned, "tools/kubernetes/go.mod requires no k8s.io/kubernetes"
    return pinned[1]


def cache() -> Path:
    """Outside the checkout: a fresh clone does not build again."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "trainc", "kubernetes", version())


def _found(folder: Path) -> Binaries:
    """kubectl and etcd may also be those on PATH: setup-envtest's folder has both, ours has no etcd."""
    places = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"
    missing = [name for name in BUILT[:3] if not shutil.which(name, path=str(folder))]
    missing += [name for name in ("kubectl",) if not shutil.which(name, path=places)]
    if missing:
        raise UnavailableError(f"{folder} has no {', '.join(missing)}")
    etcd = shutil.which("etcd", path=places)
    if etcd is None:
        raise UnavailableError(ETCD_PACKAGE)
    return Binaries(etcd, *(str(shutil.which(name, path=places)) for name in BUILT))


def _built(say: Callable[[str], None]) -> Path:
    """The folder of the built programs; what is missing is built, by one process at a time."""
    folder = cache()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [name for name in BUILT if not (folder / name).exists()]
        if not missing:
            return folder
        if not shutil.which("etcd"):  # minutes for nothing
            raise UnavailableError(ETCD_PACKAGE)
        try:
            say(f"building {', '.join(missing)} {version()} into {folder}: minutes, once")
            _build(missing, folder)
        except subprocess.CalledProcessError as failed:
            raise UnavailableError(f"{failed.cmd[0]} failed: {' '.join(failed.stderr.split())[-400:]}") from None
        except (OSError, subprocess.TimeoutExpired) as failed:
            raise UnavailableError(str(failed)) from None
    return folder


def _build(names: list[str], folder: Path) -> None:
    """A program appears in the folder when it is whole: a build that is broken off leaves nothing behind."""
    major, minor, _ = version()[1:].split(".")
    marks = {"gitVersion": version(), "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    flags = " ".join(["-s", "-w", *(f"-X {VERSION}.{name}={value}" for name, value in marks.items())])
    go, environment = toolchain(folder)
    with TemporaryDirectory(dir=folder) as unfinished:
        for name in names:
            command = [go, "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", unfinished]
            # without cgo a machine needs no C compiler
            environment |= {"CGO_ENABLED": "0"}
            run([*command, f"k8s.io/kubernetes/cmd/{name}"], environment, MODULE, minutes=40)
            Path(unfinished, name).replace(folder / name)
