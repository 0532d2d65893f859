"""A plug-in whose code raises is named, with where to report it; trainc's own faults are trainc's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import JOB, fail, trainc
from tests.support.plugins import install_plugin
from trainc.checks import plugin_rules
from trainc.launchers import registry as launchers
from trainc.schema import documents, explain, fields
from trainc.systems import registry as systems

PLUGINS = Path(__file__).parents[1] / "plugins"
TRACKER = "https://toys.example.com/issues"
BUG = "this is a bug; please report it"


@pytest.fixture(autouse=True)
def _fresh_registries() -> Iterator[None]:
    clear = [each.cache_clear for each in (systems._plugins, launchers.plugins, plugin_rules.rules_of)]
    for each in clear:
        each()
    yield
    clear += [each.cache_clear for each in (documents.document, documents.resolve, explain._validator, fields._paths)]
    for each in clear:
        each()


def copy(folder: Path, name: str, module: str, line: str) -> str:
    """Copy a toy plug-in to a package of another name, and make a line of one of its modules raise."""
    package = f"broken{name}"
    shutil.copytree(PLUGINS / name, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (folder / package).rglob("*.py"):
        file.write_text(file.read_text("utf-8").replace(f"tests.plugins.{name}", package), "utf-8")
    path = folder / package / module
    text = path.read_text("utf-8")
    assert text.count(line) == 1
    indent = " " * (len(line) - len(line.lstrip()))
    path.write_text(text.replace(line, f'{indent}raise KeyError("colour")\n{line}'), "utf-8")
    return package


def test_a_system_that_raises_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = copy(tmp_path, "toysystem", "objects.py", "        yield from self.shared(job)\n")
    install_plugin(tmp_path, monkeypatch, package, systems.GROUP, f"toyjob = {package}")
    metadata = tmp_path / f"{package}-1.0.dist-info"
    metadata.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: toys-for-all\nVersion: 1.0\nProject-URL: Issues, {TRACKER}\n"
    )
    err = fail("compile", "-", "-b", "toyjob", stdin=JOB, code=2)
    assert "error[TC9001]: plug-in `toyjob` of the package toys-for-all fails: KeyError: 'colour'" in err
    wanted = "the job and the output of `trainc --debug COMMAND`"
    assert f"help: report it at {TRACKER}, with {wanted}, or uninstall the package" in err
    assert BUG not in err


def test_a_launcher_that_raises_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = copy(tmp_path, "toylauncher", "lower.py", "    section, host, port = context.job.launch,")
    install_plugin(tmp_path, monkeypatch, package, launchers.GROUP, f"toyrun = {package}")
    err = fail("compile", "-", stdin=JOB.replace("torchrun: {}", "toyrun: {slots: 2}"), code=2)
    assert f"error[TC9001]: plug-in `toyrun` of the package {package} fails: KeyError: 'colour'" in err
    assert "help: report it to its authors, with the job" in err
    assert BUG not in err


def test_a_check_that_raises_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = copy(tmp_path, "toychecks", "team_label.py", '    if "team" not in')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("TRAINC_CHECKS", package)
    err = fail("check", "-", stdin=JOB, code=2)
    assert f"error[TC9001]: the check package `{package}` in TRAINC_CHECKS fails: KeyError: 'colour'" in err
    assert BUG not in err


def test_a_fault_of_trainc_beside_a_plugin_is_a_bug_of_trainc(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError("colour")

    monkeypatch.setenv("TRAINC_CHECKS", "tests.plugins.toychecks")
    monkeypatch.setattr("trainc.driver.lower", fails, raising=True)
    done = trainc("compile", "-", stdin=JOB)
    assert "error[TC9001]: trainc failed: KeyError: 'colour'" in done.err
    assert BUG in done.err


def test_a_launcher_without_its_options_has_its_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a job file, on a command line, and in another system's file."""
    install_plugin(tmp_path, monkeypatch, "toylauncher", launchers.GROUP, "toyrun = tests.plugins.toylauncher")
    job = JOB.replace("torchrun: {}", "toyrun: {}")
    for command in ("check", "compile", "plan"):
        assert trainc(command, "-", stdin=job).code == 0
    command = "toyrun --nodes 2 --master a:1 train.py"
    assert "TC9001" not in trainc("import", "command", "--", *command.split()).err
    manifest = trainc("compile", "-", stdin=job).out.replace("- --slots=1\n", "")
    for name in (("plan", "--manifests"), ("check",), ("import",)):
        assert "TC9001" not in trainc(*name, "-", stdin=manifest).err
