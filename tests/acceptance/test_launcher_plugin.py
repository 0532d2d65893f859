"""A launcher of another distribution is loaded by its entry point and works in every command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.command import JOB, trainc
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
    done = trainc("compile", "-", stdin=TOYRUN)
    assert done.code == 0, done.err
    (job,) = (manifest for manifest in yaml.safe_load_all(done.out) if manifest["kind"] == "Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["toyrun"]
    assert container["args"][:5] == [
        *("--nodes=2", "--rank=$(NODE_RANK)", "--slots=2", "--master=mnist-0:29500"),
        "--verbose",
    ]


def test_plan_uses_the_process_model_of_the_plugin(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(TOYRUN)
    done = trainc("plan", str(file), "--format", "json")
    assert done.code == 0, done.err
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


def test_the_guide_names_every_module_of_the_plugin() -> None:
    package = Path(__file__).parents[1] / "plugins" / "toylauncher"
    modules = {file.name for file in package.glob("*.py")} - {"__init__.py"}
    assert modules <= set(re.findall(r"`(\w+\.py)`", PAGE.read_text("utf-8")))
