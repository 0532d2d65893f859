"""Programs of a control plane: from $KUBEBUILDER_ASSETS, or built from the Go module proxy and cached by version."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.support.golang import SMALL, build, cache_folder, required_version

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
    return required_version(MODULE, "k8s.io/kubernetes")


def cache() -> Path:
    """Return the directory of the built programs."""
    return cache_folder("kubernetes", version())


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
    with exclusive_build(folder):
        missing = [name for name in BUILT if not (folder / name).exists()]
        if not missing:
            return folder
        if not shutil.which("etcd"):  # fail before minutes of building
            raise UnavailableError(ETCD_PACKAGE)
        log(f"building {', '.join(missing)} {version()} into {folder}: minutes, once")
        _build(missing, folder)
    return folder


def _build(names: list[str], folder: Path) -> None:
    major, minor, _ = version()[1:].split(".")
    variables = {"gitVersion": version(), "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    flags = " ".join([SMALL, *(f"-X {VERSION}.{name}={value}" for name, value in variables.items())])
    build([f"k8s.io/kubernetes/cmd/{name}" for name in names], MODULE, folder, flags)


@contextmanager
def exclusive_build(folder: Path) -> Iterator[None]:
    """Create a cache directory to build into, one process at a time. Raises UnavailableError if the build fails."""
    folder.mkdir(parents=True, exist_ok=True)
    with cache_folder("build.lock").open("w") as lock:  # builds need all processors and much memory
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        except subprocess.CalledProcessError as error:
            raise UnavailableError(f"{error.cmd[0]} failed: {' '.join(error.stderr.split())[-400:]}") from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnavailableError(str(error)) from None
