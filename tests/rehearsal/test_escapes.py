"""Attacks on this machine by the fields and programs of a job fail, for every user who rehearses it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.escapes.manifests import CASES

_ROOT = Path(__file__).parents[2]
_ESCAPES = Path(__file__).parent / "escapes"
_SECRET = "the-secret-of-this-machine"
_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
_HOSTILE_MODULES = ("json.py", "os.py", "signal.py", "socket.py", "sitecustomize.py", "trainc/__init__.py")
_VERSION = "import sys; sys.exit(sys.version_info < (3, 11))"
ATTACKS = re.findall(r"^@attack\ndef (\w+)", (_ESCAPES / "attacks.py").read_text(), re.MULTILINE)


class Machine:
    """This machine's state that attacks try to change or to read, before and after."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.connections = folder / "canary", 0
        self.folder.mkdir(mode=0o777)
        self.folder.chmod(0o777)  # any user may write: only the isolation of pods prevents it
        (self.folder / "secret").write_text(_SECRET)
        (self.folder / "secret").chmod(0o666)
        self.port = self._listen(socket.create_server(("0.0.0.0", 0)))
        abstract = socket.socket(socket.AF_UNIX)
        abstract.bind(f"\0trainc-escape-{self.port}")
        abstract.listen()
        self._listen(abstract)

    def _listen(self, server: socket.socket) -> int:
        threading.Thread(target=self._count, args=(server,), daemon=True).start()
        return int(server.getsockname()[1]) if server.family == socket.AF_INET else 0

    def _count(self, server: socket.socket) -> None:
        while True:
            connection, _ = server.accept()
            self.connections += 1
            connection.close()

    def state(self) -> dict[str, Any]:
        """Return the state that must not change."""
        settings = ("kernel/core_pattern", "kernel/hostname", "net/ipv4/ip_forward", "vm/swappiness")
        return {
            "files": {path.name: path.read_text() for path in self.folder.iterdir() if path.is_file()},
            "entries": sorted(os.listdir(self.folder)),
            "beside": sorted(os.listdir(self.folder.parent)),
            "mounts": Path("/proc/self/mountinfo").read_text(),
            "settings": {name: Path(f"/proc/sys/{name}").read_text() for name in settings},
            "passwd": Path("/etc/passwd").read_text(),
            "programs": [
                path
                for folder in ("/usr/bin", "/usr/local/bin", "/lib", sys.prefix, sys.base_prefix, str(_ROOT))
                for path in Path(folder).glob("trainc-escape")
            ],
            "connections": self.connections,
        }


class Attacked:
    """Results of all attacks by one user, and the machine's state before and after."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self.folder = folder
        checkout, artifacts = folder / "checkout", folder / "artifacts"
        programs = checkout / "programs"
        programs.mkdir(parents=True)
        for name in _HOSTILE_MODULES:
            (checkout / name).parent.mkdir(exist_ok=True)
            (checkout / name).write_text(f"open({str(folder / 'canary' / 'imported')!r}, 'w')")
        shutil.copy(_ESCAPES / "attacks.py", programs)
        (programs / "linked.py").write_text("print(open(__file__.rpartition('/')[0] + '/leak/secret').read())")
        (programs / "leak").symlink_to(folder / "canary")
        artifacts.mkdir()
        artifacts.chmod(0o777)
        machine = Machine(folder)
        victim = subprocess.Popen([*command[:-1], "/bin/sleep", "600"])
        self.before = machine.state()
        arguments = [machine.folder, programs, artifacts, victim.pid, machine.port]
        env = {"PYTHONPATH": f"{folder / 'compiler'}:{folder}", "PATH": os.environ["PATH"], "HOME": "/nowhere"}
        try:
            with open(machine.folder / "secret") as inherited:
                done = subprocess.run(
                    [*command, "-P", "-m", "tests.rehearsal.escapes.rehearse", *map(str, arguments)],
                    capture_output=True,
                    text=True,
                    env={**env, "GITHUB_TOKEN": _SECRET},
                    pass_fds=[inherited.fileno()],
                    check=False,
                    cwd=checkout,
                    timeout=300,
                )
        finally:
            self.victim_lives, self.after = victim.poll() is None, machine.state()
            victim.kill()
            victim.wait()
        assert done.returncode == 0, done.stderr
        self.output = done.stdout
        self.results: dict[str, Any] = json.loads(done.stdout)


@pytest.fixture(scope="module", params=["root", "nobody"])  # conftest.py groups by them
def attacked(request: pytest.FixtureRequest) -> Iterator[Attacked]:
    """Return the results of all attacks as root or as another user."""
    command = _command(request.param)
    with tempfile.TemporaryDirectory(prefix="escapes-") as name:  # pytest's own are closed to other users
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(_ROOT / "compiler", folder / "compiler", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(_ROOT / "tests" / "rehearsal", folder / "tests" / "rehearsal")
        (folder / "tests" / "__init__.py").touch()
        yield Attacked(folder, command)


def _command(user: str) -> list[str]:
    """Return the command of a Python as a user."""
    if user == "root" and os.geteuid() == 0:
        return [sys.executable]
    if user == "root":
        pytest.skip("the tests run as another user")
    prefix = _NOBODY if os.geteuid() == 0 else []
    for python in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        if (
            subprocess.run(
                [*prefix, "sh", "-c", f"{python} -c '{_VERSION}'"], capture_output=True, check=False
            ).returncode
            == 0
        ):
            return [*prefix, python]
    pytest.skip("no Python 3.11 that the user nobody can run")


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_of_a_program_reach_nothing(attacked: Attacked, name: str) -> None:
    assert name in attacked.results["attacks"], attacked.results["unparsed"]
    assert attacked.results["attacks"][name] is None


@pytest.mark.parametrize("name", CASES)
def test_paths_of_a_job_reach_nothing(attacked: Attacked, name: str) -> None:
    assert _SECRET not in "\n".join(attacked.results["jobs"][name])


def test_the_machine_is_unchanged(attacked: Attacked) -> None:
    assert attacked.after == attacked.before
    assert attacked.victim_lives


def test_no_secret_is_read(attacked: Attacked) -> None:
    assert _SECRET not in attacked.output


def test_artifacts_stay_in_their_directory(attacked: Attacked) -> None:
    assert list((attacked.folder / "artifacts").iterdir())


def test_probes_have_the_privileges_of_the_container(attacked: Attacked) -> None:
    status = dict(line.split(":\t", 1) for line in attacked.results["probe"] if ":\t" in line)
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert int(status["CapBnd"], 16) & ~0x400FB == 0


_REFUSAL = """
from tests.rehearsal.run import job
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.session import Session
try:
    Session(job()).__enter__()
except RehearsalError as problem:
    print(problem)
"""


def test_a_machine_without_user_namespaces_is_refused() -> None:
    """A user namespace whose own limit of them is 0 is such a machine, for root too."""
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" -c "$1"'
    unshare = ["unshare", "--user", "--map-root-user", "sh", "-c", script, sys.executable, _REFUSAL]
    env = {**os.environ, "PYTHONPATH": f"{_ROOT / 'compiler'}:{_ROOT}"}
    done = subprocess.run(unshare, capture_output=True, text=True, check=False, env=env)
    assert done.stdout == (
        "can't create the pods' namespaces (unshare: No space left on device): "
        "allow user namespaces, as docs/security.md describes\n"
    ), done.stderr
