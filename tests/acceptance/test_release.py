"""Files of a release, each installed and run in an empty home: wheel, sdist, one file; on every Python of the machine.

TRAINC_DIST names a folder with the files to try, as `make release-check` does; else they are built.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import INVALID_JOB, clean_environment
from tests.support.examples import ROOT
from tests.support.packages import ONE_FILE, SDIST, VERSION, WHEEL
from tools.dist import build_all
from tools.pythons import distribution_python, interpreter, versions

pytestmark = pytest.mark.slow

_ALL = [*map(interpreter, versions()), distribution_python(os.environ.get("PATH", os.defpath))]
PYTHONS = sorted({os.path.realpath(python): python for python in _ALL if python}.values())
every_python = pytest.mark.parametrize("python", PYTHONS)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if folder := os.environ.get("TRAINC_DIST"):
        return Path(folder)
    folder_of_test = tmp_path_factory.mktemp("dist")
    build_all(folder_of_test)
    return folder_of_test


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def run(*command: str | Path, home: Path, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a home directory, without this test's Python and without variables of the machine's Python."""
    variables = clean_environment(HOME=str(home), **env)
    for name in [name for name in variables if name.startswith("PYTHON") or name in ("VIRTUAL_ENV", "XDG_CACHE_HOME")]:
        del variables[name]
    return subprocess.run(
        command, check=False, cwd=cwd or home, env=variables, capture_output=True, text=True, timeout=300
    )


def succeed(*command: str | Path, home: Path, cwd: Path | None = None, **env: str) -> str:
    """Return the output of a program that exits with 0."""
    done = run(*command, home=home, cwd=cwd, **env)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def try_commands(*trainc: str | Path, home: Path) -> None:
    """Run what a new user runs, and compare with the files of the repository."""
    assert succeed(*trainc, "--version", home=home) == f"trainc {VERSION}\n"
    (home / "job.yaml").write_text(succeed(*trainc, "init", "mnist", home=home))
    assert succeed(*trainc, "check", "job.yaml", home=home) == ""
    example, golden = ROOT / "examples" / "torchrun.yaml", ROOT / "golden" / "torchrun" / "job.yaml"
    assert succeed(*trainc, "compile", example, home=home) == golden.read_text()
    plan = succeed(*trainc, "plan", example, home=home)
    assert plan.startswith("mnist: torchrun, 4 pods × 8 processes, world size 32\n")  # 4 workers with 8 GPUs
    title = (ROOT / "docs" / "errors" / "TC3003.md").read_text().splitlines()[0]
    assert succeed(*trainc, "explain", "TC3003", home=home).splitlines()[0] == title.removeprefix("# ")
    assert json.loads(succeed(*trainc, "schema", home=home))["$schema"].startswith("http://json-schema.org/draft-07/")
    (home / "bad.yaml").write_text(INVALID_JOB)
    bad = run(*trainc, "check", "bad.yaml", "--message-format", "concise", home=home)
    assert (bad.returncode, bad.stderr[:20]) == (1, "bad.yaml:11:12: TC20"), bad.stderr
    for number in range(64):  # several processes
        (home / f"many-{number}.yaml").write_text((home / "job.yaml").read_text().replace("mnist", f"mnist-{number}"))
    assert succeed(*trainc, "check", "--jobs", "2", *sorted(home.glob("many-*.yaml")), home=home) == ""


def install(python: str | Path, package: Path, home: Path, downloads: Path) -> Path:
    """Install a package with pip into a new environment, and return its programs."""
    if run(python, "-c", "import ensurepip", home=home).returncode:
        pytest.skip(f"{python} has no ensurepip: apt-get install python3-venv")
    succeed(python, "-m", "venv", home / "venv", home=home)
    pip = ("-m", "pip", "install", "--quiet")
    succeed(home / "venv" / "bin" / "python", *pip, package, home=home, PIP_CACHE_DIR=str(downloads))
    return home / "venv" / "bin"


def test_every_supported_python_of_the_machine_is_tried() -> None:
    assert sys.version_info[:2] in {
        tuple(map(int, succeed(python, "-c", "import sys; print(*sys.version_info[:2])", home=ROOT).split()))
        for python in PYTHONS
    }


@every_python
def test_pip_installs_the_wheel(python: str, dist: Path, home: Path, downloads: Path) -> None:
    programs = install(python, dist / WHEEL, home, downloads)
    try_commands(programs / "trainc", home=home)
    assert succeed(programs / "kubectl-trainc", "version", home=home) == f"trainc {VERSION}\n"
    succeed(programs / "python", "-m", "pip", "check", home=home)


def test_pip_installs_the_sdist(dist: Path, home: Path, downloads: Path) -> None:
    try_commands(install(PYTHONS[0], dist / SDIST, home, downloads) / "trainc", home=home)


@pytest.mark.parametrize("line", ["uv tool install", "pipx install"])
def test_the_wheel_is_installed_as_a_tool(line: str, dist: Path, home: Path, downloads: Path, tmp_path: Path) -> None:
    program, *words = line.split()
    pip: list[str | Path] = [tmp_path / "tool/bin/python", "-m", "pip", "install", "-q", program]
    succeed(PYTHONS[0], "-m", "venv", tmp_path / "tool", home=home)
    succeed(*pip, home=home, PIP_CACHE_DIR=str(downloads))
    command: list[str | Path] = [tmp_path / "tool/bin" / program, *words, dist / WHEEL]
    uv = {"UV_PYTHON_DOWNLOADS": "never", "UV_PYTHON": PYTHONS[0], "UV_CACHE_DIR": f"{tmp_path}/cache"}
    uv["UV_SYSTEM_CERTS"] = "true"  # as pip does, also behind a proxy with a certificate of its own
    succeed(*command, home=home, cwd=home, PIP_CACHE_DIR=str(downloads), **uv)
    try_commands(home / ".local" / "bin" / "trainc", home=home)


@every_python
def test_the_one_file_runs(python: str, dist: Path, home: Path) -> None:
    try_commands(python, "-I", "-S", dist / ONE_FILE, home=home)  # with none of the machine's libraries
    (unpacked,) = (home / ".cache" / "trainc").iterdir()
    assert re.fullmatch("one-file-[0-9a-f]{16}", unpacked.name)
    assert not list(unpacked.rglob("*.so"))


def test_the_one_file_is_a_program(dist: Path, home: Path) -> None:
    (home / "bin").mkdir()
    shutil.copy(dist / ONE_FILE, home / "bin" / "trainc")
    (home / "bin" / "python3").symlink_to(PYTHONS[0])
    path = f"{home}/bin{os.pathsep}{os.environ['PATH']}"
    assert succeed("trainc", "--version", home=home, PATH=path) == f"trainc {VERSION}\n"
    assert succeed("trainc", "--help", home=home, PATH=path).startswith("Usage: trainc [OPTIONS] COMMAND [ARGS]...\n")


def test_simultaneous_first_starts_of_the_one_file(dist: Path, home: Path) -> None:
    command = [sys.executable, str(dist / ONE_FILE), "--version"]
    started = [
        subprocess.Popen(command, env=clean_environment(HOME=str(home)), stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [process.communicate(timeout=300)[0] for process in started] == [f"trainc {VERSION}\n"] * 4
    assert len(list((home / ".cache" / "trainc").iterdir())) == 1


@pytest.mark.parametrize("fault", ["no home", "writable by others", "another's link"])
def test_the_one_file_runs_without_a_private_cache(dist: Path, home: Path, tmp_path: Path, fault: str) -> None:
    cache, planted = home / ".cache" / "trainc", tmp_path / "planted"
    planted.mkdir()
    if fault == "no home":
        home = Path(os.devnull)
    elif fault == "writable by others":
        cache.mkdir(parents=True)
        cache.chmod(0o777)
    else:
        cache.parent.mkdir()
        cache.symlink_to(planted)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    example = ROOT / "examples" / "torchrun.yaml"
    out = succeed(PYTHONS[0], dist / ONE_FILE, "compile", example, home=home, cwd=tmp_path, TMPDIR=str(temporary))
    assert out == (ROOT / "golden" / "torchrun" / "job.yaml").read_text()
    assert list(temporary.iterdir()) == list(planted.iterdir()) == []
    assert fault == "no home" or list(cache.iterdir()) == []


def test_the_one_file_names_an_old_python(dist: Path, home: Path) -> None:
    old = "import runpy, sys; sys.version_info = (3, 9, 2); sys.executable = '/usr/bin/python3.9'"
    start = f"{old}; runpy.run_path({str(dist / ONE_FILE)!r}, run_name='__main__')"
    done = run(PYTHONS[0], "-c", start, home=home)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: trainc requires Python 3.11 or newer, but python3.9 is Python 3.9\n"
