"""Print the path of a Python with the launchers for rehearsals, which it installs once into the user's cache.

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
# All lists but one have only wheels. DeepSpeed is built against the installed torch, without its GPU kernels.
REQUIREMENTS = (("torch.txt", ()), ("ray.txt", ()), ("built.txt", ("--no-build-isolation",)), ("jax.txt", ()))


def folder() -> Path:
    """Return the installation directory."""
    text = b"".join((LISTS / name).read_bytes() for name, _ in REQUIREMENTS) + sys.version.encode()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "trainc" / f"rehearsal-{hashlib.sha256(text).hexdigest()[:12]}"


def install(environment: Path) -> Path:
    """Install the packages unless they are, and return their Python. Raises CalledProcessError."""
    python = environment / "bin" / "python"
    environment.parent.mkdir(parents=True, exist_ok=True)
    with open(environment.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # parallel runs install it once
        if not (environment / "ready").exists():
            print(f"setting up {environment} (4 GB, minutes) ...", file=sys.stderr)
            shutil.rmtree(environment, ignore_errors=True)
            venv.create(environment, with_pip=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            for name, pip_options in REQUIREMENTS:
                env = {**os.environ, "DS_BUILD_OPS": "0"}
                subprocess.run([*pip, *pip_options, "-r", str(LISTS / name)], check=True, env=env)
            (environment / "ready").touch()
    return python


def main() -> int:
    """Print the path."""
    print(os.environ.get("TRAINC_REHEARSAL_PYTHON") or install(folder()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
