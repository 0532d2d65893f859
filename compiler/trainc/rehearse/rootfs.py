"""Root file system of a container: this machine's files in place of the image; all writes are discarded.

A new tmpfs holds the top directories; the machine's files are bind-mounted into it, read-only. An overlay of layers
would be closer to an image, but the kernel refuses an overlay of the machine's root to users other than root.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from trainc.rehearse import linux

# What an image contains: no home directories, and no data of this machine's services.
_MACHINE = ("bin", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "usr")
_EMPTY = ("home", "media", "mnt", "root", "run", "srv", "tmp", "var", "var/cache", "var/lib", "var/log", "var/tmp")
_DEVICES = ("full", "null", "random", "tty", "urandom", "zero")
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}


class Root:
    """A root file system under construction at `top`, visible only in its mount namespace."""

    def __init__(self, top: str, layers: Sequence[str]) -> None:
        self._top, self._layers = top, tuple(layers)
        self._bound: dict[str, list[str]] = {}
        linux.mount("tmpfs", top, "tmpfs", options="mode=755")
        for name in _EMPTY:
            os.makedirs(self._at(name), exist_ok=True)
        for name in ("tmp", "var/tmp"):
            os.chmod(self._at(name), 0o1777)
        os.symlink("/run", self._at("var/run"))
        names = {name for layer in layers for name in os.listdir(layer)} | set(_MACHINE)
        for name in sorted(names):
            self._show(name, [*(f"{layer}/{name}" for layer in layers), *self._machine(name)])
        self._open("etc")
        for name in os.listdir(self._at("etc")):  # files that images write at start, like passwd
            self._copy(f"etc/{name}")

    def _machine(self, name: str) -> list[str]:
        return [f"/{name}"] if name.partition("/")[0] in _MACHINE else []

    def _at(self, path: str) -> str:
        return f"{self._top}/{path.strip('/')}"

    def _show(self, path: str, sources: list[str]) -> None:
        """Show the first existing source; several directories are merged."""
        existing = [source for source in sources if os.path.lexists(source)]
        if not existing:
            return
        target, first = self._at(path), existing[0]
        if os.path.islink(first):
            with suppress(FileExistsError):
                os.symlink(os.readlink(first), target)
        elif not os.path.isdir(first):
            if stat.S_ISREG(os.stat(first).st_mode):
                open(target, "a").close()
                linux.bind(first, target, read_only=True)
        else:
            folders = [source for source in existing if os.path.isdir(source)]
            os.makedirs(target, exist_ok=True)
            self._bound[path] = folders
            if len(folders) > 1 or path in _EMPTY:
                self._open(path, mounted=False)
            else:
                linux.bind(first, target, read_only=True)

    def _open(self, path: str, mounted: bool = True) -> None:
        """Replace a bind-mounted directory by a writable one with its entries bind-mounted one by one."""
        parent = os.path.dirname(path)
        if parent:
            self._open(parent)
        folders = self._bound.pop(path, [])
        if not folders:
            return
        if mounted and len(folders) == 1:
            linux.unmount(self._at(path))
        for name in sorted({name for folder in folders for name in _entries(folder)}):
            self._show(f"{path}/{name}", [f"{folder}/{name}" for folder in folders])

    def _copy(self, path: str) -> None:
        """Replace a bind-mounted file by a writable copy."""
        target = self._at(path)
        if os.path.islink(target) or not os.path.isfile(target):
            return
        try:
            content, mode = Path(target).read_bytes(), os.stat(target).st_mode
        except OSError:  # like /etc/shadow for users other than root
            content, mode = b"", 0o600
        linux.unmount(target)
        Path(target).write_bytes(content)
        os.chmod(target, mode)

    def folder(self, path: str) -> str:
        """Create a directory if it is missing; return its current path. Symbolic links resolve within this root."""
        resolved = ""
        for part in path.strip("/").split("/"):
            here = f"{resolved}/{part}".strip("/")
            if not os.path.lexists(self._at(here)):
                self._open(resolved.strip("/"))
                os.mkdir(self._at(here))
            elif os.path.islink(self._at(here)):
                target = os.path.normpath(os.path.join("/", resolved, os.readlink(self._at(here)))).strip("/")
                self.folder(target)
                here = target
            resolved = here
        return self._at(resolved)

    def _file(self, path: str) -> str:
        """Return where a file can be written; its directory is created and writable."""
        folder = self.folder(os.path.dirname(path) or "/")
        self._open(os.path.relpath(folder, self._top))
        target = f"{folder}/{os.path.basename(path)}"
        if os.path.islink(target):
            os.unlink(target)
        elif os.path.ismount(target) or self._is_bound_file(target):
            with suppress(OSError):  # in an overlay every file is on another device and looks like a mount point
                linux.unmount(target)
        return target

    @staticmethod
    def _is_bound_file(target: str) -> bool:
        return os.path.isfile(target) and not os.access(target, os.W_OK)

    def write(self, path: str, content: str) -> None:
        """Write a file, over an existing one."""
        with open(self._file(path), "w") as file:
            file.write(content)

    def bind(self, source: str, path: str, read_only: bool) -> str:
        """Bind-mount a file or directory of the machine at a path, over an existing one; return its current path."""
        if os.path.isdir(source):
            target = self.folder(path)
        else:
            target = self._file(path)
            open(target, "a").close()
        linux.bind(source, target, read_only)
        return target

    def overlay(self, source: str, path: str) -> None:
        """Show the entries of a directory in addition to existing ones; the directory stays writable.

        Hidden entries are left out: a home directory has its owner's keys in them.
        """
        folder = self.folder(path)
        self._open(os.path.relpath(folder, self._top))
        for name in _entries(source):
            if not name.startswith(".") and not os.path.lexists(f"{folder}/{name}"):
                with suppress(FileNotFoundError):  # deleted meanwhile
                    self.bind(f"{source}/{name}", f"{path}/{name}", read_only=True)

    def devices(self, shm: int) -> None:
        """Mount /dev as a container runtime does, and /proc and /sys of the pod's namespaces."""
        dev = self.folder("dev")
        linux.mount("tmpfs", dev, "tmpfs", linux.NO_SUID, "mode=755")
        for name in _DEVICES:
            open(f"{dev}/{name}", "w").close()
            linux.bind(f"/dev/{name}", f"{dev}/{name}")
        for name, target in _LINKS.items():
            os.symlink(target, f"{dev}/{name}")
        os.mkdir(f"{dev}/pts")
        linux.mount("devpts", f"{dev}/pts", "devpts", linux.NO_SUID, "newinstance,ptmxmode=0666,mode=0620")
        os.mkdir(f"{dev}/shm")
        linux.mount("shm", f"{dev}/shm", "tmpfs", linux.NO_SUID | linux.NO_DEV, f"mode=1777,size={shm}")
        linux.mount("proc", self.folder("proc"), "proc", linux.NO_SUID | linux.NO_DEV | linux.NO_EXEC)
        try:
            linux.mount("sysfs", self.folder("sys"), "sysfs", linux.READ_ONLY)
        except OSError:
            linux.bind("/sys", self.folder("sys"), read_only=True)

    def enter(self) -> None:
        """Make it `/` of this process."""
        linux.change_root(self._top)


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
