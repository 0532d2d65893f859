"""User of a container: root, or the user of its securityContext.

A rehearsal's user namespace maps only root. Another user is then an alias of it, in a nested user namespace.
"""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path
from typing import Any

from trainc.plan.fields import Object, at, mapping, number
from trainc.plan.launch import WorkerLaunch
from trainc.rehearse import linux

_SSH_USER = 64123  # for sshd: as root it would switch to a user that the user namespace doesn't have
_ALL_USERS = 2**32 - 1


def is_restricted() -> bool:
    """Return whether this process is in a user namespace that doesn't map all users."""
    return int(Path("/proc/self/uid_map").read_text().split()[2]) < _ALL_USERS


def container_user(spec: Object, manifest: Object, start: WorkerLaunch | None) -> dict[str, Any] | None:
    """Return the user of a pod's container for `switch_user`; None for root, the default of most images."""
    inner, outer = mapping(manifest, "securityContext"), mapping(spec, "securityContext")
    user = number(inner, "runAsUser") if at(inner, "runAsUser") is not None else number(outer, "runAsUser")
    restricted = is_restricted()
    needs_ssh_user = not user and restricted and start is not None and start.uses_ssh
    if needs_ssh_user:
        user = _SSH_USER
    if not user:
        return None
    group = number(inner, "runAsGroup") or number(outer, "runAsGroup") or 0
    shared = number(outer, "fsGroup")
    groups = [group] + ([shared] if shared is not None else [])
    return {"user": user, "group": group, "groups": groups, "restricted": restricted, "add_name": needs_ssh_user}


def copy_pdsh_modules(scratch: Path) -> Path | None:
    """Copy pdsh's modules: it refuses those of an unknown owner (https://github.com/chaos/pdsh/blob/master/README.modules)."""
    modules = next((path for path in Path("/usr/lib").glob("*/pdsh") if path.is_dir()), None)
    if modules is None:
        return None
    return Path(shutil.copytree(modules, scratch / "pdsh"))


def switch_user(user: dict[str, Any] | None, env: dict[str, str]) -> None:
    """Switch this process to a user, and set a missing HOME as a runtime does: `/` for a user without a name."""
    if user is not None:
        if user["add_name"]:
            with open("/etc/passwd", "a") as file:
                file.write(f"worker:x:{user['user']}:{user['group']}::/root:/bin/sh\n")
        if user["restricted"]:
            linux.unshare(linux.NEW_USERS)
            Path("/proc/self/uid_map").write_text(f"{user['user']} 0 1")
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/gid_map").write_text(f"{user['group']} 0 1")
        else:
            os.setgroups(user["groups"])
            os.setgid(user["group"])
            os.setuid(user["user"])
    if "HOME" not in env:
        try:
            env["HOME"] = pwd.getpwuid(os.getuid()).pw_dir or "/"
        except KeyError:
            env["HOME"] = "/"
