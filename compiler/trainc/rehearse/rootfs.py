"""Root file system of a container: this machine's programs in place of the image; all writes are discarded.

A directory in memory holds the top directories; the machine's are mounted into it, read-only. An overlay of layers
would be closer to an image, but the kernel refuses an overlay of the machine's root to users other than root.

Paths of the job are resolved by openat2(2) below the root: neither `..` nor a link in a volume leads out of it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress

from trainc.rehearse import linux
from trainc.rehearse.beneath import FOLDER, make_folder, opened, write_file

# Directories of an image, without home directories, settings and data of this machine.
_MACHINE = ("bin", "gnu/store", "lib", "lib32", "lib64", "libx32", "nix/store", "sbin", "usr")
_EMPTY = (
    *("etc", "home", "media", "mnt", "opt", "root", "run", "srv", "tmp"),
    *("var/cache", "var/lib", "var/log", "var/tmp"),
)
# Contents of /etc: none of this machine's settings, users or keys.
# Files that programs of this machine's /usr require: the linker's cache, tables.
_ETC_COPIED = ("ld.so.cache", "ld.so.conf", "localtime", "mime.types", "protocols", "services", "ssl/openssl.cnf")
_ETC_LINKS = "alternatives"  # a directory of links to the variants of programs
_SHELL = next((path for path in ("/bin/bash", "/usr/bin/bash") if os.path.exists(path)), "/bin/sh")
_ETC_FILES = {
    "passwd": (
        f"root:x:0:0:root:/root:{_SHELL}\n"
        "sshd:x:101:65534::/run/sshd:/usr/sbin/nologin\n"  # sshd doesn't start without it
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
    "group": "root:x:0:\ntty:x:5:\nusers:x:100:\nnogroup:x:65534:\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nprotocols: files\nservices: files\n",
    # As in images of https://github.com/kubeflow/mpi-operator/blob/v0.8.2/build/base/Dockerfile, which also have host
    # keys; here the job's own key serves.
    "ssh/ssh_config": "Port 2222\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n",
    "ssh/sshd_config": "Port 2222\nStrictModes no\nUsePAM no\nPidFile none\nHostKey /root/.ssh/id_rsa\n",
}
_WRITE = linux.NO_SUID | linux.NO_DEV
_READ = _WRITE | linux.READ_ONLY


class Root:
    """A root file system under construction in the directory `path`, visible only in its mount namespace.

    `owner` is the id of its root, and `layers` are directories of the image.
    """

    def __init__(self, path: str, layers: Sequence[str], owner: int) -> None:
        self._path, self._owner = path, owner
        self._bound: dict[str, list[str]] = {}  # read-only directories, with the directories that they show
        with opened(os.open(path, FOLDER)) as folder, opened(linux.clone_mount(folder)) as tree:
            linux.attach_mount(tree, folder)
        self._top = os.open(path, FOLDER)
        os.chown(path, owner, owner)
        for name in _EMPTY:
            os.close(self.folder(name))
        for name in ("tmp", "var/tmp"):
            os.chmod(name, 0o1777, dir_fd=self._top)
        os.symlink("/run", "var/run", dir_fd=self._top)
        for name in sorted({name for layer in layers for name in os.listdir(layer)} - {"etc"} | set(_MACHINE)):
            self._show(name, [*(f"{layer}/{name}" for layer in layers), *([f"/{name}"] if name in _MACHINE else [])])
        self._write_etc(layers)

    def _write_etc(self, layers: Sequence[str]) -> None:
        """Write /etc: the image's, completed. Files are copies, since programs write some of them, like passwd."""
        for layer in layers:
            for name in [] if os.path.islink(f"{layer}/etc") else _entries(f"{layer}/etc"):
                source = f"{layer}/etc/{name}"
                if os.path.isfile(source) and not os.path.islink(source):
                    self._copy(source, f"etc/{name}")
                else:
                    self._show(f"etc/{name}", [f"{other}/etc/{name}" for other in layers])
        for name in _ETC_COPIED:
            self._copy(f"/etc/{name}", f"etc/{name}")
        for name in _entries(f"/etc/{_ETC_LINKS}"):
            with opened(self.folder(f"etc/{_ETC_LINKS}")) as folder, suppress(OSError):
                os.symlink(os.readlink(f"/etc/{_ETC_LINKS}/{name}"), name, dir_fd=folder)
        for name, content in _ETC_FILES.items():
            self._write(f"etc/{name}", content.encode())

    def _copy(self, source: str, path: str) -> None:
        with suppress(FileNotFoundError), open(source, "rb") as file:
            self._write(path, file.read())

    def _write(self, path: str, content: bytes) -> None:
        with opened(self.folder(os.path.dirname(path))) as folder, suppress(FileExistsError):
            write_file(folder, os.path.basename(path), content, self._owner)

    def _show(self, path: str, sources: list[str]) -> None:
        """Show the first existing source; several directories are merged."""
        existing = [source for source in sources if os.path.lexists(source)]
        if not existing:
            return
        first = existing[0]
        if os.path.islink(first):
            os.close(self.folder(os.path.dirname(path)))
            with suppress(FileExistsError):
                os.symlink(os.readlink(first), path, dir_fd=self._top)
        elif os.path.isdir(first):
            folders = [source for source in existing if os.path.isdir(source) and not os.path.islink(source)]
            if len(folders) > 1 or os.path.lexists(f"{self._path}/{path}"):
                os.close(self.folder(path))
                self._show_entries(path, folders)
            else:
                self.mount(first, path)
                self._bound[path] = folders
        elif stat.S_ISREG(os.stat(first).st_mode):
            self.mount(first, path)

    def _show_entries(self, path: str, folders: list[str]) -> None:
        for name in sorted({name for folder in folders for name in _entries(folder)}):
            self._show(f"{path}/{name}", [f"{folder}/{name}" for folder in folders])

    def _make_writable(self, path: str) -> None:
        """Replace read-only directories on the way to a directory, and it, by writable ones with the same entries."""
        real = self._real_path(linux.open_below(self._top, path, FOLDER))
        parents = [real[: index or None] for index in range(len(real)) if real[index] == "/"]
        for name in (*parents, real):
            folders = self._bound.pop(name, None)
            if folders:
                linux.unmount(f"{self._path}/{name}")
                self._show_entries(name, folders)

    def _real_path(self, file: int) -> str:
        """Return the path of an open file in this root, and close it."""
        with opened(file):
            return os.path.relpath(os.readlink(f"/proc/self/fd/{file}"), self._path)

    def folder(self, path: str) -> int:
        """Open a directory, created if it is missing. Symbolic links resolve within this root."""
        return make_folder(self._top, path, self._owner, before=self._make_writable)

    def existing(self, path: str) -> int:
        """Open a file or directory."""
        return linux.open_below(self._top, path, os.O_PATH)

    def _file(self, path: str) -> int:
        """Open a file to mount another one over it; it is created if it is missing."""
        with suppress(FileNotFoundError):
            return self.existing(path)
        parent = os.path.dirname(path)
        os.close(self.folder(parent))
        self._make_writable(parent)
        self._write(path, b"")
        return self.existing(path)

    def mount(self, source: str, path: str, attributes: int = _READ) -> None:
        """Mount a file or directory of this machine at a path, over an existing one.

        The source may not be a link, a socket or a FIFO: writing to those works on a read-only mount.
        """
        file = os.open(source, os.O_PATH | os.O_NOFOLLOW)
        if not _is_plain(os.fstat(file)):
            os.close(file)
            raise OSError(f"{source} is a symbolic link, a socket or a FIFO")
        os.close(self._attach(file, path, attributes))

    def mount_volume(self, folder: str, sub_path: str, path: str) -> int:
        """Mount a volume, or a file or directory in it, which is created if it is missing; return the open mount."""
        with opened(os.open(folder, FOLDER)) as volume:
            try:
                source = linux.open_below(volume, sub_path, os.O_PATH, linux.BENEATH)
            except FileNotFoundError:
                source = make_folder(volume, sub_path, self._owner, linux.BENEATH, mode=0o777)
        return self._attach(source, path, _WRITE)

    def _attach(self, source: int, path: str, attributes: int) -> int:
        with opened(source):
            is_folder = stat.S_ISDIR(os.fstat(source).st_mode)
            tree = linux.clone_mount(source)
        linux.restrict_mount(tree, attributes)
        with opened(self.folder(path) if is_folder else self._file(path)) as target:
            covered = self._real_path(os.dup(target))
            self._bound = {name: folders for name, folders in self._bound.items() if not _is_in(name, covered)}
            linux.attach_mount(tree, target)
        return tree

    def overlay(self, source: str, path: str) -> None:
        """Show the entries of a directory in addition to existing ones; the directory stays writable.

        Hidden entries are left out, like a checkout's .git. Links stay links, which lead nowhere outside this root.
        """
        os.close(self.folder(path))
        self._make_writable(path)
        with opened(linux.open_below(self._top, path, os.O_RDONLY | os.O_DIRECTORY)) as folder:
            present = set(os.listdir(folder))
            for name in _entries(source):
                if name.startswith(".") or name in present:
                    continue
                with suppress(FileNotFoundError):  # deleted meanwhile
                    if os.path.islink(f"{source}/{name}"):
                        os.symlink(os.readlink(f"{source}/{name}"), name, dir_fd=folder)
                    elif _is_plain(os.lstat(f"{source}/{name}")):
                        self.mount(f"{source}/{name}", f"{path}/{name}")

    def append(self, path: str, content: str) -> None:
        """Append to an existing file."""
        with open(linux.open_below(self._top, path, os.O_WRONLY | os.O_APPEND), "a") as file:
            file.write(content)

    def enter(self) -> None:
        """Make it `/` of this process."""
        linux.change_root(self._top)


def _is_plain(file: os.stat_result) -> bool:
    return not any(is_special(file.st_mode) for is_special in (stat.S_ISLNK, stat.S_ISSOCK, stat.S_ISFIFO))


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
