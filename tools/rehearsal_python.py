"""Print the path of a Python with torch and DeepSpeed for rehearsals; install it once into the user's cache directory.

TRAINC_REHEARSAL_PYTHON selects another one. The installation is keyed by the packages and the Python version.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

LISTS = Path(__file__).resolve().parents[1] / "tests" / "rehearsal" / "launchers"
# The first list has only wheels. DeepSpeed is built against the installed torch, without its GPU kernels.
PARTS = (("torch.txt", ()), ("built.txt", ("--no-build-isolation",)))


def folder() -> Path:
    """Return the installation directory."""
    text = b"".join((LISTS / name).read_bytes() for name, _ in PARTS) + sys.version.encode()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "trainc" / f"rehearsal-{hashlib.sha256(text).hexdigest()[:12]}"


def install(at: Path) -> Path:
    """Install the packages unless they are, and return their Python. Raises CalledProcessError."""
    python = at / "bin" / "python"
    at.parent.mkdir(parents=True, exist_ok=True)
    with open(at.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # parallel runs install it once
        if not (at / "ready").exists():
            print(f"setting up {at} (4 GB, minutes) ...", file=sys.stderr)
            shutil.rmtree(at, ignore_errors=True)
            venv.create(at, with_pip=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            for name, more in PARTS:
                env = {**os.environ, "DS_BUILD_OPS": "0"}
                subprocess.run([*pip, *more, "-r", str(LISTS / name)], check=True, env=env)
            (at / "ready").touch()
    return python


def main() -> int:
    """Print the path."""
    print(os.environ.get("TRAINC_REHEARSAL_PYTHON") or install(folder()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
