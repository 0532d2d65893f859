"""A launcher of another distribution is loaded by its entry point and works in every command."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.command import JOB, fail, succeed, trainc
from tests.support.files import write
from tests.support.plugins import install_plugin
from trainc.launchers import registry
from trainc.schema import documents, explain, fields

TOYRUN = JOB.replace("torchrun: {}", "toyrun: {slots: 2, verbose: true}")
PAGE = Path(__file__).parents[2] / "docs" / "adding-a-launcher.md"


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install_plugin(tmp_path, monkeypatch, "toylauncher", "trainc.launchers", "toyrun = tests.plugins.toylauncher")
    registry.plugins.cache_clear()
    yield
    registry.plugins.cache_clear()
    for cached in (documents.document, documents.resolve, explain._validator, fields._paths):
        cached.cache_clear()


def test_compile_emits_the_command_line_of_the_plugin() -> None:
    done = succeed("compile", "-", stdin=TOYRUN)
    (job,) = (manifest for manifest in yaml.safe_load_all(done.out) if manifest["kind"] == "Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["toyrun"]
    assert container["args"][:5] == [
        *("--nodes=2", "--rank=$(NODE_RANK)", "--slots=2", "--master=mnist-0:29500"),
        "--verbose",
    ]


def test_plan_uses_the_process_model_of_the_plugin(tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", TOYRUN)
    done = succeed("plan", str(file), "--format", "json")
    assert '"launcher": "toyrun"' in json.dumps(json.loads(done.out))


def test_an_invalid_field_of_the_plugin_is_reported_at_its_position() -> None:
    done = trainc("check", "-", "--message-format", "concise", stdin=TOYRUN.replace("slots: 2", "slots: 0"))
    assert done.code == 1
    assert "slots" in done.err + done.out


def test_an_unknown_field_of_the_plugin_is_rejected() -> None:
    done = trainc("check", "-", "--message-format", "concise", stdin=TOYRUN.replace("slots: 2", "slot: 2"))
    assert done.code == 1
    assert "`slot`" in done.err + done.out


def test_a_launcher_without_a_plugin_is_an_unknown_field() -> None:
    done = trainc("check", "-", "--message-format", "concise", stdin=TOYRUN.replace("toyrun:", "otherrun:"))
    assert done.code == 1
    assert "otherrun" in done.err + done.out


COMMAND = "toyrun --nodes=2 --rank=0 --slots=4 --master=node-0:29500 --verbose train.py --lr=1"


def foreign_job(*command: str) -> str:
    container = {"name": "main", "image": "train@sha256:" + "0" * 64, "command": list(command)}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": template}
    return yaml.safe_dump({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "mnist"}, "spec": spec})


@pytest.mark.parametrize("arguments", [COMMAND.split(), [f"cd /app && exec {COMMAND}"], ["bash", "-c", COMMAND]])
def test_import_reads_a_command_by_the_table_of_options(arguments: list[str]) -> None:
    done = succeed("import", "command", "--set", "spec.image=train:1", "--", *arguments)
    for option in ("--rank", "--master"):
        assert f"# `{option}` is left out: trainc sets it in each pod\n" in done.out
    spec = yaml.safe_load(done.out)["spec"]
    assert spec["launch"] == {"toyrun": {"slots": 4, "verbose": True}}
    assert (spec["run"], spec["workers"]) == ({"python": ["train.py", "--lr=1"]}, 2)


def test_a_launcher_of_trainc_needs_no_reader_either(monkeypatch: pytest.MonkeyPatch) -> None:
    trainc("check", "-", stdin=TOYRUN)  # reads the schema
    registry.plugins.cache_clear()
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: ())
    monkeypatch.setattr(registry, "package", lambda name: "tests.plugins.toylauncher")
    monkeypatch.setitem(registry.COMMANDS, "toyrun", "toyrun")
    done = trainc("import", "command", "--set", "spec.image=train:1", "--", *COMMAND.split())
    assert "toyrun: {slots: 4" in done.out, done.err


def test_a_script_is_recognized_by_the_command_in_it(tmp_path: Path) -> None:
    file = write(tmp_path / "run", f"cd /app\n{COMMAND}\n")
    assert "toyrun: {slots: 4" in succeed("import", str(file), "--set", "spec.image=train:1").out


@pytest.mark.parametrize("command", [COMMAND.split(), ["sh", "-c", COMMAND]])
def test_import_reads_the_command_line_of_a_foreign_job(command: list[str]) -> None:
    spec = yaml.safe_load(succeed("import", "-", stdin=foreign_job(*command)).out)["spec"]
    assert spec["launch"] == {"toyrun": {"slots": 4, "verbose": True}}
    assert spec["run"] == {"python": ["train.py", "--lr=1"]}


def test_a_launcher_of_another_number_of_workers_stays_in_the_command_line() -> None:
    done = succeed("import", "-", stdin=foreign_job(*COMMAND.replace("--nodes=2", "--nodes=3").split()))
    assert next(iter(yaml.safe_load(done.out)["spec"]["launch"])) == "basic"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("toyrun --size=4 train.py", "toyrun has no option `--size`"),
        ("toyrun --slots=many train.py", "launch.toyrun can't express this command line"),
        ("toyrun --slots=4", "`toyrun` has no program to start"),
        ("otherrun --slots=4 train.py", "`otherrun` is not a launch command that trainc reads"),
    ],
)
def test_import_rejects_what_the_plugin_does_not_read(command: str, message: str) -> None:
    assert message in fail("import", "command", "--set", "spec.image=train:1", "--", *command.split())


def test_a_job_without_the_launcher_does_not_import_it() -> None:
    loaded = {name: sys.modules.pop(name) for name in [*sys.modules] if name.startswith("tests.plugins.toylauncher")}
    try:
        assert trainc("compile", "-", stdin=JOB).code == 0
        assert not any(name.startswith("tests.plugins.toylauncher") for name in sys.modules)
    finally:
        sys.modules.update(loaded)


def test_a_launcher_that_cannot_be_imported_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_plugin(tmp_path, monkeypatch, "other", "trainc.launchers", "broken = tests.plugins.missing")
    registry.plugins.cache_clear()
    err = fail("import", "command", "--", *COMMAND.split(), code=2)
    assert "plug-in `broken` of the package tests.plugins.missing fails: ModuleNotFoundError" in err


def test_the_guide_names_every_module_of_the_plugin() -> None:
    package = Path(__file__).parents[1] / "plugins" / "toylauncher"
    modules = {file.name for file in package.glob("*.py")} - {"__init__.py"}
    assert modules <= set(re.findall(r"`(\w+\.py)`", PAGE.read_text("utf-8")))
