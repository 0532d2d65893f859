"""Print an interpreter for each supported Python version that this machine has, on PATH or installed by pyenv.

With --others, without the version that runs this program, which runs all other tests. With --distribution, print only
the `python3` that a user without a version manager has; nothing if trainc doesn't support its version.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
CLASSIFIER = "Programming Language :: Python :: 3."
PROBE = "import sys, venv; print('3.%d' % sys.version_info[1])"
# Variables with the directories of version managers and environments, and names of directories that managers use.
MANAGERS = ("PYENV_ROOT", "ASDF_DATA_DIR", "MISE_DATA_DIR", "CONDA_PREFIX", "VIRTUAL_ENV", "UV_PYTHON_INSTALL_DIR")
NAMES = {"pyenv", ".pyenv", ".asdf", "asdf", "mise", "shims", "conda", "miniconda3", "anaconda3", "miniforge3"}


def versions() -> list[str]:
    """Return the versions that pyproject.toml claims, such as 3.11."""
    classifiers = tomllib.loads(PROJECT.read_text())["project"]["classifiers"]
    return [f"3.{name.removeprefix(CLASSIFIER)}" for name in classifiers if name.startswith(CLASSIFIER)]


def interpreter(version: str) -> str | None:
    """Return an interpreter of a version that starts and has venv."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    installed = sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python{version}")))
    for candidate in filter(None, [shutil.which(f"python{version}"), *installed]):
        if _version(candidate) == version:
            return candidate
    return None


def distribution_python(path: str) -> str | None:
    """Return the first python3 of a PATH, without the directories of version managers and virtual environments."""
    own = [Path(os.environ[name]).resolve() for name in MANAGERS if os.environ.get(name)]
    own.append(Path.home().resolve())
    folders = [each for each in path.split(os.pathsep) if each and not _is_inside(Path(each).resolve(), own)]
    python = shutil.which("python3", path=os.pathsep.join(folders))
    return python if python and _version(python) in versions() else None


def _is_inside(folder: Path, others: list[Path]) -> bool:
    return any(folder.is_relative_to(other) for other in others) or not NAMES.isdisjoint(folder.parts)


def _version(python: str) -> str:
    """Return the version of an interpreter that starts and has venv; empty for another."""
    return subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    """Print one path per line."""
    if "--distribution" in sys.argv:
        print(distribution_python(os.environ.get("PATH", os.defpath)) or "")
        return
    own = f"3.{sys.version_info.minor}" if "--others" in sys.argv else None
    print("\n".join(filter(None, map(interpreter, (version for version in versions() if version != own)))))


if __name__ == "__main__":
    main()
