"""/dev, /proc and /sys of a container, as container runtimes mount them.

https://github.com/opencontainers/runtime-spec/blob/v1.2.1/config-linux.md#default-devices
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from trainc.rehearse import linux
from trainc.rehearse.beneath import opened
from trainc.rehearse.rootfs import Root

_DEVICES = ("full", "null", "random", "tty", "urandom", "zero")
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}
_SAFE = linux.NO_SUID | linux.NO_DEV | linux.NO_EXEC
# https://github.com/moby/moby/blob/v28.0.0/oci/defaults.go
_HIDDEN = (
    "proc/asound",
    "proc/acpi",
    "proc/interrupts",
    "proc/kcore",
    "proc/keys",
    "proc/latency_stats",
    "proc/timer_list",
    "proc/timer_stats",
    "proc/sched_debug",
    "proc/scsi",
    "sys/firmware",
    "sys/devices/virtual/powercap",
)
_READ_ONLY = ("proc/bus", "proc/fs", "proc/irq", "proc/sys", "proc/sysrq-trigger")


def mount_devices(root: Root, owner: int, shm: int) -> None:
    """Mount them; `shm` is the size of /dev/shm in bytes."""
    own = f"uid={owner},gid={owner}"
    _mount(root, "tmpfs", "dev", linux.NO_SUID | linux.NO_DEV, f"mode=755,size=64k,{own}")
    for name in _DEVICES:
        root.mount(f"/dev/{name}", f"dev/{name}", linux.NO_SUID | linux.NO_EXEC)
    with opened(root.folder("dev")) as dev:
        for name, target in _LINKS.items():
            os.symlink(target, name, dir_fd=dev)
    _mount(root, "devpts", "dev/pts", linux.NO_SUID | linux.NO_EXEC, "newinstance,ptmxmode=0666,mode=0620")
    _mount(root, "tmpfs", "dev/shm", _SAFE, f"mode=1777,size={shm},{own}")
    _mount(root, "mqueue", "dev/mqueue", _SAFE)
    _mount(root, "proc", "proc", _SAFE)
    try:
        _mount(root, "sysfs", "sys", _SAFE | linux.READ_ONLY)
    except OSError:  # where this machine's own is partly hidden, the kernel allows no other
        _mount(root, "tmpfs", "sys", _SAFE | linux.READ_ONLY)
    for path in _HIDDEN:
        with suppress(FileNotFoundError), opened(root.existing(path)) as file:
            if stat.S_ISDIR(os.fstat(file).st_mode):
                linux.mount("tmpfs", f"/proc/self/fd/{file}", "tmpfs", _SAFE | linux.READ_ONLY)
            else:
                _cover(os.open("/dev/null", os.O_PATH), file, linux.READ_ONLY | linux.NO_SUID | linux.NO_EXEC)
    for path in _READ_ONLY:
        with suppress(FileNotFoundError), opened(root.existing(path)) as file:
            _cover(os.dup(file), file, _SAFE | linux.READ_ONLY)


def _mount(root: Root, kind: str, path: str, flags: int, options: str = "") -> None:
    with opened(root.folder(path)) as target:
        linux.mount(kind, f"/proc/self/fd/{target}", kind, flags, options)


def _cover(source: int, target: int, attributes: int) -> None:
    with opened(source), opened(linux.clone_mount(source)) as tree:
        linux.restrict_mount(tree, attributes)
        linux.attach_mount(tree, target)
