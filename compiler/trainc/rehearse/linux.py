"""Linux system calls that containers need and Python 3.11 lacks: mount(2), unshare(2), setns(2), ..."""

from __future__ import annotations

import ctypes
import os
import platform

NEW_MOUNTS, NEW_UTS, NEW_IPC, NEW_USERS = 0x00020000, 0x04000000, 0x08000000, 0x10000000
NEW_PIDS, NEW_NET = 0x20000000, 0x40000000
READ_ONLY, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 32, 4096, 16384, 1 << 18
NO_SUID, NO_DEV, NO_EXEC = 2, 4, 8
_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_SETATTR = 442  # on all architectures but Alpha

_LIBC = ctypes.CDLL(None, use_errno=True)


def _check(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Move this process to new namespaces."""
    _check(_LIBC.unshare(flags), "unshare")


def join(pid: int, *kinds: str) -> None:
    """Move this process to namespaces of another one: net, uts, ipc, ..."""
    for kind in kinds:
        path = f"/proc/{pid}/ns/{kind}"
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _check(_LIBC.setns(handle, 0), f"setns {path}")
        finally:
            os.close(handle)


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """https://man7.org/linux/man-pages/man2/mount.2.html"""
    arguments = [os.fsencode(argument) for argument in (source, target, kind, options)]
    result = _LIBC.mount(*arguments[:3], ctypes.c_ulong(flags), arguments[3])
    _check(result, f"mount {kind or source} on {target}")


def bind(source: str, target: str, read_only: bool = False) -> None:
    """Mount a file or directory, with all mounts below it, at a second path."""
    mount(source, target, flags=BIND | RECURSIVE)
    if read_only:
        make_read_only(target)


def make_read_only(target: str, recursive: bool = True) -> None:
    """Make a mount read-only, with all mounts below it if `recursive`."""
    attributes = (ctypes.c_uint64 * 4)(1, 0, 0, 0)  # struct mount_attr: attr_set = MOUNT_ATTR_RDONLY
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    path = ctypes.c_char_p(os.fsencode(target))
    done = _LIBC.syscall(
        _MOUNT_SETATTR, _AT_FDCWD, path, _AT_RECURSIVE if recursive else 0, ctypes.byref(attributes), size
    )
    if done == 0:
        return
    # Before Linux 5.12: only the mount itself; its other flags must be repeated.
    flags = os.statvfs(target).f_flag & (NO_SUID | NO_DEV | NO_EXEC)
    mount("", target, flags=REMOUNT | BIND | READ_ONLY | flags)


def make_mounts_private() -> None:
    """Hide future mounts of this namespace from all other namespaces."""
    mount("", "/", flags=RECURSIVE | PRIVATE)


def change_root(root: str) -> None:
    """Make a mounted directory `/` and detach the old root: second half of pivot_root(2)'s manual page."""
    os.chdir(root)
    _check(_LIBC.pivot_root(b".", b"."), "pivot_root")
    _check(_LIBC.umount2(b".", _DETACH), "umount2")
    os.chdir("/")


def unmount(target: str) -> None:
    """Unmount lazily: a mount in use disappears after its last use."""
    _check(_LIBC.umount2(os.fsencode(target), _DETACH), f"umount {target}")


def is_linux() -> bool:
    """Return whether this system has Linux namespaces."""
    return platform.system() == "Linux"
