"""Print an interpreter for each supported Python version that this machine has, on PATH or installed by pyenv.

With --others, without the version that runs this program, which runs all other tests.
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


def versions() -> list[str]:
    """Return the versions that pyproject.toml claims, such as 3.11."""
    classifiers = tomllib.loads(PROJECT.read_text())["project"]["classifiers"]
    return [f"3.{name.removeprefix(CLASSIFIER)}" for name in classifiers if name.startswith(CLASSIFIER)]


def interpreter(version: str) -> str | None:
    """Return an interpreter of a version that starts and has venv."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    installed = sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python{version}")))
    for candidate in filter(None, [shutil.which(f"python{version}"), *installed]):
        probe = subprocess.run([candidate, "-c", PROBE], capture_output=True, text=True, check=False)
        if probe.stdout.strip() == version:
            return candidate
    return None


def main() -> None:
    """Print one path per line."""
    own = f"3.{sys.version_info.minor}" if "--others" in sys.argv else None
    print("\n".join(filter(None, map(interpreter, (version for version in versions() if version != own)))))


if __name__ == "__main__":
    main()
