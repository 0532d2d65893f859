"""Linux system calls that containers need and Python 3.11 lacks: namespaces, mounts, openat2(2)."""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any

NEW_MOUNTS, NEW_CGROUPS, NEW_UTS, NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEW_USERS, NEW_PIDS, NEW_NET = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEV, NO_EXEC = 1, 2, 4, 8  # the flags of mount(2) and mount_setattr(2) have the same values
# Flags of openat2(2): BENEATH refuses paths that leave the directory, IN_ROOT makes the directory their `/`.
NO_MAGIC_LINKS, NO_LINKS, BENEATH, IN_ROOT = 0x02, 0x04, 0x08, 0x10

_RECURSIVE, _PRIVATE, _DETACH = 16384, 1 << 18, 2
_AT_RECURSIVE, _AT_EMPTY_PATH, _AT_FDCWD = 0x8000, 0x1000, -100
_CLONE, _FROM_EMPTY_PATH, _TO_EMPTY_PATH = 1, 0x4, 0x40
# On all architectures but Alpha.
_OPEN_TREE, _MOVE_MOUNT, _OPENAT2, _MOUNT_SETATTR = 428, 429, 437, 442
_RETRIES = 100  # of openat2, which fails with EAGAIN while another process renames directories

_LIBC = ctypes.CDLL(None, use_errno=True)


def check(result: int, call: str) -> int:
    """Return the result of a call of libc. Raises OSError if it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def _syscall(number: int, call: str, *arguments: Any) -> int:
    numbers = (ctypes.c_long(value) if isinstance(value, int) else value for value in arguments)
    return check(int(_LIBC.syscall(ctypes.c_long(number), *numbers)), call)


def prctl(option: int, *arguments: int) -> None:
    """https://man7.org/linux/man-pages/man2/prctl.2.html"""
    padded = [*arguments, 0, 0, 0, 0][:4]
    check(_LIBC.prctl(ctypes.c_int(option), *map(ctypes.c_ulong, padded)), f"prctl {option}")


def unshare(flags: int) -> None:
    """Move this process to new namespaces."""
    check(_LIBC.unshare(flags), "unshare")


def join(pid: int, *kinds: str) -> None:
    """Move this process to namespaces of another one: net, uts, ipc, ..."""
    files = [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY) for kind in kinds]  # before /proc is another one
    for file in files:
        join_file(file)


def join_file(file: int) -> None:
    """Move this process to a namespace by an open file, and close it."""
    check(_LIBC.setns(file, 0), "setns")
    os.close(file)


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """https://man7.org/linux/man-pages/man2/mount.2.html"""
    arguments = [os.fsencode(argument) for argument in (source, target, kind, options)]
    check(_LIBC.mount(*arguments[:3], ctypes.c_ulong(flags), arguments[3]), f"mount {kind or source} on {target}")


def make_mounts_private() -> None:
    """Hide future mounts of this namespace from all other namespaces."""
    mount("", "/", flags=_RECURSIVE | _PRIVATE)


def clone_mount(file: int) -> int:
    """Return a detached mount of an open file or directory, with all mounts below it."""
    flags = _CLONE | os.O_CLOEXEC | _AT_EMPTY_PATH | _AT_RECURSIVE
    return _syscall(_OPEN_TREE, "open_tree", file, ctypes.c_char_p(b""), flags)


def attach_mount(tree: int, target: int) -> None:
    """Attach a detached mount to an open file or directory."""
    empty = ctypes.c_char_p(b"")
    _syscall(_MOVE_MOUNT, "move_mount", tree, empty, target, empty, _FROM_EMPTY_PATH | _TO_EMPTY_PATH)


def restrict_mount(tree: int | str, attributes: int, recursive: bool = True) -> None:
    """Set attributes of a mount, by a file descriptor or path: READ_ONLY, NO_SUID, ..."""
    folder, path = (tree, b"") if isinstance(tree, int) else (_AT_FDCWD, os.fsencode(tree))
    flags = _AT_EMPTY_PATH | (_AT_RECURSIVE if recursive else 0)
    structure = (ctypes.c_uint64 * 4)(attributes)
    _syscall(
        _MOUNT_SETATTR,
        "mount_setattr",
        folder,
        ctypes.c_char_p(path),
        flags,
        ctypes.byref(structure),
        ctypes.sizeof(structure),
    )


def open_below(folder: int, path: str, flags: int, resolve: int = IN_ROOT, mode: int = 0) -> int:
    """Open a path that never leaves an open directory: neither by `..` nor by symbolic links nor by those of /proc.

    https://man7.org/linux/man-pages/man2/openat2.2.html
    """
    structure = (ctypes.c_uint64 * 3)(flags | os.O_CLOEXEC, mode, resolve | NO_MAGIC_LINKS)
    for attempt in range(_RETRIES):
        try:
            return _syscall(
                _OPENAT2,
                f"open {path}",
                folder,
                ctypes.c_char_p(os.fsencode(path or ".")),
                ctypes.byref(structure),
                ctypes.sizeof(structure),
            )
        except BlockingIOError:
            if attempt == _RETRIES - 1:
                raise
    raise AssertionError("unreachable")


def change_root(root: int) -> None:
    """Make a mounted directory `/` and detach the old root: second half of pivot_root(2)'s manual page."""
    os.fchdir(root)
    check(_LIBC.pivot_root(b".", b"."), "pivot_root")
    check(_LIBC.umount2(b".", _DETACH), "umount2")
    os.chdir("/")


def unmount(target: str) -> None:
    """Unmount lazily: a mount in use disappears after its last use."""
    check(_LIBC.umount2(os.fsencode(target), _DETACH), f"umount {target}")


def is_linux() -> bool:
    """Return whether this system has Linux namespaces."""
    return platform.system() == "Linux"
