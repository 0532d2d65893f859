"""The kernel's calls that make a container and that Python 3.11 doesn't have: mount(2), unshare(2), setns(2), …"""

from __future__ import annotations

import ctypes
import os
import platform

NEW_MOUNTS, NEW_NAMES, NEW_IPC, NEW_USERS = 0x00020000, 0x04000000, 0x08000000, 0x10000000
NEW_PIDS, NEW_NET = 0x20000000, 0x40000000
READ_ONLY, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 32, 4096, 16384, 1 << 18
NO_SUID, NO_DEV, NO_EXEC = 2, 4, 8
_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_SETATTR = 442  # the same on all architectures but Alpha

_LIBC = ctypes.CDLL(None, use_errno=True)


def _called(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Leave namespaces for new ones."""
    _called(_LIBC.unshare(flags), "unshare")


def join(process: int, *kinds: str) -> None:
    """Enter namespaces of another process: net, uts, ipc, …"""
    for kind in kinds:
        path = f"/proc/{process}/ns/{kind}"
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _called(_LIBC.setns(handle, 0), f"setns {path}")
        finally:
            os.close(handle)


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """https://man7.org/linux/man-pages/man2/mount.2.html"""
    words = [os.fsencode(word) for word in (source, target, kind, options)]
    result = _LIBC.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3])
    _called(result, f"mount {kind or source} on {target}")


def bind(source: str, target: str, read_only: bool = False) -> None:
    """Show a file or folder, with all that is mounted below it, at a second place."""
    mount(source, target, flags=BIND | RECURSIVE)
    if read_only:
        make_read_only(target)


def make_read_only(target: str, below: bool = True) -> None:
    """Of what is mounted there, and of what is mounted below it."""
    attributes = (ctypes.c_uint64 * 4)(1, 0, 0, 0)  # struct mount_attr: attr_set = MOUNT_ATTR_RDONLY
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    path = ctypes.c_char_p(os.fsencode(target))
    done = _LIBC.syscall(_MOUNT_SETATTR, _AT_FDCWD, path, _AT_RECURSIVE if below else 0, ctypes.byref(attributes), size)
    if done == 0:
        return
    # Before Linux 5.12: only the mount itself, with the flags that it must keep.
    kept = os.statvfs(target).f_flag & (NO_SUID | NO_DEV | NO_EXEC)
    mount("", target, flags=REMOUNT | BIND | READ_ONLY | kept)


def keep_mounts_apart() -> None:
    """What is mounted here from now on is seen by nobody else."""
    mount("", "/", flags=RECURSIVE | PRIVATE)


def change_root(root: str) -> None:
    """Make a mounted folder `/`, and let go of all else. The second half of pivot_root(2)'s manual page."""
    os.chdir(root)
    _called(_LIBC.pivot_root(b".", b"."), "pivot_root")
    _called(_LIBC.umount2(b".", _DETACH), "umount2")
    os.chdir("/")


def unmount(target: str) -> None:
    """Also what is still in use: it goes when that ends."""
    _called(_LIBC.umount2(os.fsencode(target), _DETACH), f"umount {target}")


def is_linux() -> bool:
    """Whether there are namespaces at all."""
    return platform.system() == "Linux"
