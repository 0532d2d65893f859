"""A system is added by adding files: without its folder only the registry and a few listed files mention it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.examples import EXAMPLES, compiled, golden
from tests.support.plugins import install_plugin
from trainc.plan import models
from trainc.systems import registry

ROOT = Path(__file__).resolve().parents[2]
PACKAGE, TEMPLATES = ROOT / "compiler" / "trainc", ROOT / "templates"
MOST_FILES = 3
# Systems whose controllers create objects of other systems, or whose jobs are read as those of another, so that their
# folders use those of the others.
BUILT_ON = {
    "jobset": {"job"},
    "trainjob": {"job", "jobset", "mpijob"},
    "mpijob": {"job"},
    "tlaunchrun": {"lpjob"},
    "lpjob": {"tlaunchrun"},  # it refers to its command
}
# Names that are also words of the language: only imports and paths of these count.
WORDS = {"job", "pods", "deployment", "command"}
# System → files outside of its folder and the registry that mention it, and why.
ALLOWED = {
    "jobset": {
        "cli/commands/init/starter_job.py": "an example in a comment",
    },
    "pytorchjob": {
        "cli/commands/import_/__init__.py": "the file of the example",
        "launchers/torchrun/options.py": "description of a field: the systems whose scale-downs use up restarts",
        "systems/vcjob/facts.py": "name of a port that Volcano's plugin sets",
    },
    "statefulset": {
        "launchers/torchrun/options.py": "description of a field: the systems whose scale-downs use up restarts",
        "systems/shared/facts.py": "prefix of Kubernetes' own labels",
    },
    "mpijob": {
        "cli/commands/init/starter_job.py": "an example in a comment",
        "systems/vcjob/reader/tasks.py": "what serves for MPI",
    },
    "genericjob": {
        "systems/deepspeedjob/traits.py": "source of an assumption",
        "systems/deepspeedjob/model.py": "source of an assumption",
    },
    "appwrapper": {
        "cli/commands/import_/__init__.py": "it isn't a system: the help of the command lists it",
        "cli/commands/plan/manifest_objects.py": "the objects in it are planned",
        "systems/shared/reader/documents.py": "the jobs in it are read",
    },
    "tlaunchrun": {
        "cli/commands/import_/__init__.py": "the help of the command lists the launch commands",
        "systems/command/reader/script.py": "the help of an error lists the launch commands",
    },
}
# Addresses of sources name systems, too.
_SOURCES = re.compile(r"https?://\S+|\S+\.(?:md|go)\b\S*")
FOLDERS = sorted(
    each.name for each in (PACKAGE / "systems").iterdir() if (each / "__init__.py").exists() and each.name != "shared"
)


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", FOLDERS)
def test_only_its_folder_knows_a_system(name: str) -> None:
    allowed = ALLOWED.get(name, {})
    assert len(allowed) <= MOST_FILES
    mentions = _mentions(name)
    assert [each for each in mentions if each[0] not in allowed] == []
    assert {path for path, _ in mentions} == set(allowed), "an exception is not needed"


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", registry.NAMES)
def test_the_row_of_the_registry_is_all_that_adds_a_system(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Deleting and restoring a row would make it the last one, and of two systems with one kind the first is meant.
    others = {other: system for other, system in registry._SYSTEMS.items() if other != name}
    monkeypatch.setattr(registry, "_SYSTEMS", others)
    install_plugin(tmp_path, monkeypatch, "outside", "trainc.systems", f"{name} = trainc.systems.{name}")
    for module, function in ((registry, registry._plugins), (models, models._system_of_kind)):  # they remember systems
        monkeypatch.setattr(module, function.__name__, cache(function.__wrapped__))
    for example in EXAMPLES[::4]:
        result, file = compiled.__wrapped__(example, name), golden(example, name)
        assert (result.to_yaml() if result.ok else "") == (file.read_text("utf-8") if file.exists() else "")


def test_the_others_compile_without_its_folder(tmp_path: Path) -> None:
    removed = ("jobset", *(name for name, others in BUILT_ON.items() if "jobset" in others))
    package = tmp_path / "compiler" / "trainc"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "compiled_*", *removed))
    shutil.copytree(TEMPLATES, tmp_path / "templates", ignore=shutil.ignore_patterns(*removed))
    for name in ("docs", "examples", "golden", "schemas"):
        (tmp_path / name).symlink_to(ROOT / name)
    rows = (package / "systems" / "registry.py").read_text("utf-8")
    rows = re.sub(rf'    "(?:{"|".join(removed)})": .*\n', "", rows)
    (package / "systems" / "registry.py").write_text(rows, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "compiler")}
    command = [sys.executable, "-c", _OTHERS]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [name for name in registry.NAMES if name not in removed]


# Compiles an example for each back end, and prints those whose manifests are the golden ones.
_OTHERS = """
from pathlib import Path
import trainc
from trainc.systems.registry import NAMES
assert Path(trainc.__file__).is_relative_to(Path.cwd())
for name in NAMES:
    golden = next(Path("golden").glob(f"*/{name}.yaml"))
    job = Path("examples", golden.parent.name).with_suffix(".yaml")
    if trainc.compile(job.read_bytes(), backend=name, filename=job.name).to_yaml() == golden.read_text("utf-8"):
        print(name)
"""


def _mentions(name: str) -> list[tuple[str, str]]:
    """Return path and text of the places outside of a system's folder that mention it."""
    pattern = _pattern(name)
    dependents = [other for other, others in BUILT_ON.items() if name in others]
    own = tuple(f"{area}/{each}/" for each in (name, *dependents) for area in ("systems", "templates"))
    return [
        (path, match[0])
        for path, text in _files().items()
        if not path.startswith(own)
        for match in pattern.finditer(text)
    ]


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of the name, which is the kind's in lower case, and of API groups that no other system has."""
    if name in WORDS:
        return re.compile(rf"systems[./]{name}\b|\b{name}/\w+\.yaml\.j2")
    groups = registry.find(name).groups if name in registry._SYSTEMS else set()
    others = {group for other in registry._SYSTEMS.values() if other.name != name for group in other.groups}
    own = [group for group in groups - others if "." in group]
    return re.compile("|".join(map(re.escape, (name, *own))), re.IGNORECASE)


@cache
def _files() -> dict[str, str]:
    """Return the compiler's modules and templates, without the registry and without the addresses of sources."""
    modules = {file.relative_to(PACKAGE).as_posix(): file for file in PACKAGE.rglob("*.py")}
    templates = {f"templates/{file.relative_to(TEMPLATES).as_posix()}": file for file in TEMPLATES.rglob("*.j2")}
    return {
        path: _SOURCES.sub("", file.read_text("utf-8"))
        for path, file in sorted((modules | templates).items())
        if not path.startswith(("compiled_", "systems/registry.py"))
    }
