"""As whom a container runs: root, or whom its securityContext names.

In a user namespace nobody but its root is known. Another user is then a name for the same, in a namespace within.
"""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path
from typing import Any

from trainc.plan.fields import Object, at, mapping, number
from trainc.plan.launch.worker_launch import WorkerLaunch
from trainc.rehearse import linux

_SSH = 64123  # for sshd, whose root would change to a user of its own, whom a user namespace doesn't have
_ALL = 2**32 - 1


def is_restricted() -> bool:
    """Whether this process is in a user namespace that knows one user only."""
    return int(Path("/proc/self/uid_map").read_text().split()[2]) < _ALL


def user(spec: Object, given: Object, start: WorkerLaunch | None) -> dict[str, Any] | None:
    """Of a pod's container; None for root, as whom images run mostly."""
    inner, outer = mapping(given, "securityContext"), mapping(spec, "securityContext")
    found = number(inner, "runAsUser") if at(inner, "runAsUser") is not None else number(outer, "runAsUser")
    restricted = is_restricted()
    stands_in = not found and restricted and start is not None and start.ssh
    if stands_in:
        found = _SSH
    if not found:
        return None
    group = number(inner, "runAsGroup") or number(outer, "runAsGroup") or 0
    shared = number(outer, "fsGroup")
    groups = [group] + ([shared] if shared is not None else [])
    return {"user": found, "group": group, "groups": groups, "restricted": restricted, "name": stands_in}


def modules_of_pdsh(scratch: Path) -> Path | None:
    """Ours, for pdsh takes none of an owner whom it doesn't know: https://github.com/chaos/pdsh/blob/master/README.modules"""
    known = next((path for path in Path("/usr/lib").glob("*/pdsh") if path.is_dir()), None)
    ours = scratch / "pdsh"
    if known is None:
        return None
    shutil.copytree(known, ours)
    return ours


def become(given: dict[str, Any] | None, env: dict[str, str]) -> None:
    """Go on as a user, in whose home the runtime starts a process that has no HOME: `/` for one without a name."""
    if given is not None:
        if given["name"]:
            with open("/etc/passwd", "a") as file:
                file.write(f"worker:x:{given['user']}:{given['group']}::/root:/bin/sh\n")
        if given["restricted"]:
            linux.unshare(linux.NEW_USERS)
            Path("/proc/self/uid_map").write_text(f"{given['user']} 0 1")
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/gid_map").write_text(f"{given['group']} 0 1")
        else:
            os.setgroups(given["groups"])
            os.setgid(given["group"])
            os.setuid(given["user"])
    if "HOME" not in env:
        try:
            env["HOME"] = pwd.getpwuid(os.getuid()).pw_dir or "/"
        except KeyError:
            env["HOME"] = "/"
