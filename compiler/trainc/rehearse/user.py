"""User of a container: root, or the user of its securityContext.

Where the rehearsal's user namespace maps a single user, the container's user is an alias of it. For ssh it always is:
pdsh as root refuses modules below directories of an unknown owner, like this machine's /usr.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from trainc.plan.fields import Object, at, mapping, number
from trainc.plan.launch import WorkerLaunch
from trainc.rehearse.ids import container_root, is_restricted

_SSH_USER = 64123  # in place of root; as root sshd would also switch to a user that may not exist


def container_user(spec: Object, manifest: Object, start: WorkerLaunch | None) -> dict[str, Any]:
    """Return the user of a pod's container: by default root, as in most images."""
    inner, outer = mapping(manifest, "securityContext"), mapping(spec, "securityContext")
    user = number(inner, "runAsUser") if at(inner, "runAsUser") is not None else number(outer, "runAsUser")
    is_ssh_user = not user and start is not None and start.uses_ssh
    group = number(inner, "runAsGroup") or number(outer, "runAsGroup") or 0
    shared = number(outer, "fsGroup")
    return {
        "user": _SSH_USER if is_ssh_user else user or 0,
        "group": group,
        "groups": [group] if shared is None else [group, shared],
        "single": is_ssh_user or is_restricted(),
        "passwd": f"worker:x:{_SSH_USER}:{group}::/root:/bin/sh\n" if is_ssh_user else "",
    }


def copy_pdsh_modules(scratch: Path) -> Path | None:
    """Copy pdsh's modules: it refuses those of an unknown owner (https://github.com/chaos/pdsh/blob/master/README.modules)."""
    modules = next((path for path in Path("/usr/lib").glob("*/pdsh") if path.is_dir()), None)
    if modules is None:
        return None
    copy = Path(shutil.copytree(modules, scratch / "pdsh"))
    for path in (copy, *copy.iterdir()):
        os.chown(path, container_root(), container_root())
    return copy


def set_home(env: dict[str, str]) -> None:
    """Set a missing HOME of this process's user as a runtime does: `/` for a user without a name."""
    if "HOME" in env:
        return
    # Read here and not by libc, which might load a library of the container.
    try:
        lines = Path("/etc/passwd").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    rows = [line.split(":") for line in lines]
    homes = [row[5] for row in rows if len(row) > 5 and row[2] == str(os.getuid())]
    env["HOME"] = (homes or [""])[0] or "/"
