"""The file system of a container: the machine's own programs stand in for the image; all that is written vanishes.

A fresh tmpfs holds a skeleton of folders; what the machine has is bound into it, read-only. A union of layers would be
nearer to an image, but the kernel refuses one over the machine's root to whoever isn't root.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from trainc.rehearse import linux

# What an image would hold. Nobody's home, and nothing that the machine's own services have written.
_OF_THE_MACHINE = ("bin", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "usr")
_EMPTY = ("home", "media", "mnt", "root", "run", "srv", "tmp", "var", "var/cache", "var/lib", "var/log", "var/tmp")
_DEVICES = ("full", "null", "random", "tty", "urandom", "zero")
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}


class Root:
    """A root file system that is being built at `top`, of which nothing is seen outside its mount namespace."""

    def __init__(self, top: str, layers: Sequence[str]) -> None:
        self._top, self._layers = top, tuple(layers)
        self._bound: dict[str, list[str]] = {}
        linux.mount("tmpfs", top, "tmpfs", options="mode=755")
        for name in _EMPTY:
            os.makedirs(self._at(name), exist_ok=True)
        for name in ("tmp", "var/tmp"):
            os.chmod(self._at(name), 0o1777)
        os.symlink("/run", self._at("var/run"))
        names = {name for layer in layers for name in os.listdir(layer)} | set(_OF_THE_MACHINE)
        for name in sorted(names):
            self._lay(name, [*(f"{layer}/{name}" for layer in layers), *self._machine(name)])
        self._open("etc")
        for name in os.listdir(self._at("etc")):  # files that are written at start, like passwd
            self._own(f"etc/{name}")

    def _machine(self, name: str) -> list[str]:
        return [f"/{name}"] if name.partition("/")[0] in _OF_THE_MACHINE else []

    def _at(self, path: str) -> str:
        return f"{self._top}/{path.strip('/')}"

    def _lay(self, path: str, sources: list[str]) -> None:
        """Show the first of the sources that there is; folders of several are shown as one."""
        there = [source for source in sources if os.path.lexists(source)]
        if not there:
            return
        target, first = self._at(path), there[0]
        if os.path.islink(first):
            with suppress(FileExistsError):
                os.symlink(os.readlink(first), target)
        elif not os.path.isdir(first):
            if stat.S_ISREG(os.stat(first).st_mode):
                open(target, "a").close()
                linux.bind(first, target, read_only=True)
        else:
            folders = [source for source in there if os.path.isdir(source)]
            os.makedirs(target, exist_ok=True)
            self._bound[path] = folders
            if len(folders) > 1 or path in _EMPTY:
                self._open(path, mounted=False)
            else:
                linux.bind(first, target, read_only=True)

    def _open(self, path: str, mounted: bool = True) -> None:
        """Make a folder that is bound as a whole one of our own, with its entries bound one by one."""
        outer = os.path.dirname(path)
        if outer:
            self._open(outer)
        folders = self._bound.pop(path, [])
        if not folders:
            return
        if mounted and len(folders) == 1:
            linux.unmount(self._at(path))
        for name in sorted({name for folder in folders for name in _entries(folder)}):
            self._lay(f"{path}/{name}", [f"{folder}/{name}" for folder in folders])

    def _own(self, path: str) -> None:
        target = self._at(path)
        if os.path.islink(target) or not os.path.isfile(target):
            return
        try:
            content, mode = Path(target).read_bytes(), os.stat(target).st_mode
        except OSError:  # like /etc/shadow, for whoever may not read it
            content, mode = b"", 0o600
        linux.unmount(target)
        Path(target).write_bytes(content)
        os.chmod(target, mode)

    def folder(self, path: str) -> str:
        """A folder, made if it is missing; returns where it is now. Links in it lead within this root."""
        done = ""
        for part in path.strip("/").split("/"):
            here = f"{done}/{part}".strip("/")
            if not os.path.lexists(self._at(here)):
                self._open(done.strip("/"))
                os.mkdir(self._at(here))
            elif os.path.islink(self._at(here)):
                to = os.path.normpath(os.path.join("/", done, os.readlink(self._at(here)))).strip("/")
                self.folder(to)
                here = to
            done = here
        return self._at(done)

    def place(self, path: str) -> str:
        """Where a file may be put: its folder is made and is our own."""
        folder = self.folder(os.path.dirname(path) or "/")
        self._open(os.path.relpath(folder, self._top))
        target = f"{folder}/{os.path.basename(path)}"
        if os.path.islink(target):
            os.unlink(target)
        elif os.path.ismount(target) or self._is_bound_file(target):
            with suppress(OSError):  # in an overlay every file looks like a mount point, being another device's
                linux.unmount(target)
        return target

    @staticmethod
    def _is_bound_file(target: str) -> bool:
        return os.path.isfile(target) and not os.access(target, os.W_OK)

    def write(self, path: str, content: str) -> None:
        """A file with this content, whatever stood there before."""
        with open(self.place(path), "w") as file:
            file.write(content)

    def bind(self, source: str, path: str, read_only: bool) -> str:
        """Show a file or folder of the machine at a path, over whatever is there; returns where that is."""
        if os.path.isdir(source):
            target = self.folder(path)
        else:
            target = self.place(path)
            open(target, "a").close()
        linux.bind(source, target, read_only)
        return target

    def lay_out(self, source: str, path: str) -> None:
        """Show what is in a folder, beside what is there; new files may be written beside it.

        Not what is hidden: a home has its owner's keys there.
        """
        folder = self.folder(path)
        self._open(os.path.relpath(folder, self._top))
        for name in _entries(source):
            if not name.startswith(".") and not os.path.lexists(f"{folder}/{name}"):
                with suppress(FileNotFoundError):  # gone since
                    self.bind(f"{source}/{name}", f"{path}/{name}", read_only=True)

    def devices(self, shm: int) -> None:
        """/dev as a container runtime makes it, /proc and /sys of the pod's own namespaces."""
        dev = self.folder("dev")
        linux.mount("tmpfs", dev, "tmpfs", linux.NO_SUID, "mode=755")
        for name in _DEVICES:
            open(f"{dev}/{name}", "w").close()
            linux.bind(f"/dev/{name}", f"{dev}/{name}")
        for name, to in _LINKS.items():
            os.symlink(to, f"{dev}/{name}")
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
        """Make it `/` for this process."""
        linux.change_root(self._top)


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
