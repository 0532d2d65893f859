"""Start of the supervisor in new namespaces: directly as root, or as root of a new user namespace."""

from __future__ import annotations

import os
import shutil
import subprocess

from trainc.rehearse.events import RehearsalError
from trainc.rehearse.linux import is_linux
from trainc.rehearse.process import CLEAN_ENV, module_command

_TOOLS = {"unshare": "util-linux", "nsenter": "util-linux", "ip": "iproute2"}
_NAMESPACES = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"]


def spawn() -> subprocess.Popen[bytes]:
    """Start the supervisor. Raises RehearsalError if this machine can't run it."""
    if not is_linux():
        raise RehearsalError("a rehearsal needs Linux namespaces, which this system doesn't have")
    missing = [name for name in _TOOLS if not shutil.which(name, path=CLEAN_ENV["PATH"])]
    if missing:
        packages = " and ".join(dict.fromkeys(_TOOLS[name] for name in missing))
        raise RehearsalError(f"a rehearsal needs {', '.join(missing)}: install {packages}")
    problems = []
    for unshare in (["unshare"], ["unshare", "--user", "--map-root-user"]):
        if unshare == ["unshare"] and os.geteuid() != 0:
            continue
        command = [*unshare, *_NAMESPACES]
        attempt = subprocess.run([*command, "true"], capture_output=True, text=True, env=CLEAN_ENV, check=False)
        if attempt.returncode == 0:
            command += module_command("supervisor")
            pipe = subprocess.PIPE
            return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=CLEAN_ENV, start_new_session=True)
        problems.append(attempt.stderr.strip())
    problem = "; ".join(problems)
    raise RehearsalError(f"can't create namespaces ({problem}): run as root, or allow unprivileged user namespaces")
