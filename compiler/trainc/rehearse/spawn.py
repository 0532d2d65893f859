"""Starts the supervisor in namespaces of its own: as root as it is, else as root of a user namespace."""

from __future__ import annotations

import os
import shutil
import subprocess

from trainc.rehearse.events import RehearsalError
from trainc.rehearse.linux import is_linux
from trainc.rehearse.process import CLEAN, python

_TOOLS = {"unshare": "util-linux", "nsenter": "util-linux", "ip": "iproute2"}
_OWN = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"]
_CURE = "run it as root, or let users make namespaces"


def spawn() -> subprocess.Popen[bytes]:
    """Raises RehearsalError where the machine can't do it."""
    if not is_linux():
        raise RehearsalError("a rehearsal runs pods in Linux namespaces, which this system doesn't have")
    missing = [name for name in _TOOLS if not shutil.which(name, path=CLEAN["PATH"])]
    if missing:
        packages = " and ".join(dict.fromkeys(_TOOLS[name] for name in missing))
        raise RehearsalError(f"a rehearsal needs {', '.join(missing)}: install {packages}")
    problems = []
    for words in (["unshare"], ["unshare", "--user", "--map-root-user"]):
        if words == ["unshare"] and os.geteuid() != 0:
            continue
        tried = subprocess.run([*words, *_OWN, "true"], capture_output=True, text=True, env=CLEAN, check=False)
        if tried.returncode == 0:
            pipe = subprocess.PIPE
            return subprocess.Popen(
                [*words, *_OWN, *python("fabric")], stdin=pipe, stdout=pipe, env=CLEAN, start_new_session=True
            )
        problems.append(tried.stderr.strip())
    raise RehearsalError(f"this machine lets nobody make the namespaces of pods ({'; '.join(problems)}): {_CURE}")
