"""Privileges that a container's processes give up before they run the job's commands."""

from __future__ import annotations

import ctypes
import os
import resource
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from trainc.rehearse import linux, seccomp

# Capabilities that root keeps, in the container's user namespace: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID,
# SETUID and, for a job's own sshd, SYS_CHROOT. https://man7.org/linux/man-pages/man7/capabilities.7.html
_KEPT = {0, 1, 3, 4, 5, 6, 7, 18}
_CAPABILITIES = 64
_DROP_BOUNDING, _NO_NEW_PRIVILEGES = 24, 38  # prctl(2)

_PROCESSES = 2048 + 128 * (os.cpu_count() or 1)  # of a container, threads included
_FILES = 65536
_FILE_SIZE = 64 * 2**30
_LIMITS = {
    resource.RLIMIT_NPROC: _PROCESSES,
    resource.RLIMIT_NOFILE: _FILES,
    resource.RLIMIT_FSIZE: _FILE_SIZE,
    resource.RLIMIT_CORE: 1,  # none, not even to the program of core_pattern: core(5)
    resource.RLIMIT_MEMLOCK: 64 * 2**20,
    resource.RLIMIT_MSGQUEUE: 819200,
}
_PIDS = int(Path("/proc/sys/kernel/pid_max").read_text()) if linux.is_linux() else 0
ALL_PROCESSES = min(16 * _PROCESSES, _PIDS // 4)  # of all pods; the rest is for this machine


def limit_pods() -> None:
    """Limit the processes of all user namespaces that this process creates from now on, and their use of memory."""
    _limit(resource.RLIMIT_NPROC, ALL_PROCESSES)
    prefer_as_victim(1000)


def prefer_as_victim(score: int) -> None:
    """Let the kernel kill this process and its children, when memory runs out, before those with a lower score.

    If root with CAP_SYS_RESOURCE calls it, outside user namespaces, they can't lower the score.
    """
    Path("/proc/self/oom_score_adj").write_text(str(score))


def drop(user: dict[str, Any], library: ctypes.CDLL) -> None:
    """Become the user of a container, without privileges beyond its user namespace: the last step before exec."""
    os.closerange(3, _maximum_file())
    for capability in range(_CAPABILITIES):
        if capability not in _KEPT:
            try:
                linux.prctl(_DROP_BOUNDING, capability)
            except OSError:  # the kernel's last one was before
                break
    for kind, value in _LIMITS.items():
        _limit(kind, value)
    with suppress(PermissionError) if user["single"] else nullcontext():  # users other than root can't drop groups
        os.setgroups([] if user["single"] else user["groups"])
    os.setresgid(user["group"], user["group"], user["group"])
    os.setresuid(user["user"], user["user"], user["user"])
    linux.prctl(_NO_NEW_PRIVILEGES, 1)
    seccomp.restrict(library)


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _maximum_file() -> int:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 - 1 if hard == resource.RLIM_INFINITY else hard
