"""A container builder without a daemon: buildah, and a base image from the packages of this machine's distribution.

The base image has the tag of the Dockerfile's, but the distribution's Python: no registry is needed.
"""

from __future__ import annotations

import fcntl
import platform
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.golang import cache_folder
from tests.support.recipes import unavailable

_PACKAGES = "python3,python3-pip"
# pip installs into the system's Python, as in an image of Python; the rest is a third of the image.
_REMOVE = """
cd "$1/usr" && rm -rf lib/python3*/EXTERNALLY-MANAGED lib/*/perl &&
cd share && rm -rf doc man locale zoneinfo perl
"""
_DOCKER = """\
#!/bin/sh
# The part of docker that the recipe uses, with buildah. The machine's certificates are those of its package index.
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
certificates=/etc/ssl/certs/ca-certificates.crt
buildah() { command buildah --root FOLDER/root --runroot FOLDER/run "$@"; }
case $1 in
build) shift; buildah build --pull-never --volume $certificates:$certificates:ro "$@" ;;
run)  # run --rm [--entrypoint PROGRAM] --volume VOLUME IMAGE ARGUMENT...
  shift 2
  program=
  if [ "$1" = --entrypoint ]; then program=$2; shift 2; fi
  volume=$2; image=$3
  shift 3
  container=$(buildah from --pull-never "$image")
  [ -n "$program" ] || program=$(buildah inspect --format '{{index .OCIv1.Config.Entrypoint 0}}' "$container")
  code=0
  buildah run --volume "$volume" "$container" -- "$program" "$@" || code=$?
  buildah rm "$container" >/dev/null
  exit $code ;;
esac
"""


def docker(folder: Path, base: str) -> Path:
    """Return a program like docker, with images below a folder and a base image; skip where there is no builder."""
    for name in ("buildah", "mmdebstrap"):
        if not shutil.which(name):
            unavailable(name, f"on Debian, apt-get install {name}")
    program = folder / "docker"
    program.write_text(_DOCKER.replace("FOLDER", str(folder)))
    program.chmod(0o755)
    try:
        shutil.copy(_root_file_system(), folder)
        (folder / "Dockerfile").write_text("FROM scratch\nADD rootfs.tar /\nRUN true\n")
        _run(str(program), "build", "--quiet", "--tag", base, str(folder))
    except subprocess.CalledProcessError as problem:
        pytest.skip(f"this machine builds no containers: {' '.join(problem.stderr.split())[-300:]}")
    return program


def _root_file_system() -> Path:
    """Return an archive with Debian's or Ubuntu's base system and Python, made once for each release."""
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]
    folder = cache_folder("container", release)
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / "rootfs.tar"
    with (folder / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            with TemporaryDirectory(dir=folder) as unfinished:
                hooks = [f"--customize-hook={_REMOVE}", "--quiet"]
                options = ["--variant=minbase", f"--include={_PACKAGES}", *hooks]
                _run("mmdebstrap", *options, release, f"{unfinished}/rootfs.tar")
                Path(unfinished, "rootfs.tar").replace(archive)
    return archive


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
