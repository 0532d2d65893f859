"""Messages as data. Expected texts are written by hand."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest

from trainc.diagnostics.message import BackEnds, Message
from trainc.schema.fields import paths

PACKAGE = Path(__file__).resolve().parents[3] / "compiler" / "trainc"
NAMES = {"lifecycle.backoffLimit": "spec.runPolicy.backoffLimit", "launch.torchrun.maxRestarts": "--max_restarts"}


@pytest.mark.parametrize(
    ("message", "job_file", "other"),
    [
        (Message("{lifecycle/backoffLimit} is {}", 3), "backoffLimit is 3", "spec.runPolicy.backoffLimit is 3"),
        (Message("`{lifecycle/backoffLimit: {}}`", 3), "`backoffLimit: 3`", "`spec.runPolicy.backoffLimit: 3`"),
        (Message("set `{launch.torchrun/maxRestarts: 3}`"), "set `maxRestarts: 3`", "set `--max_restarts=3`"),
        (Message("{{a}} {}", "{workers}"), "{a} {workers}", "{a} {workers}"),
        (Message("{workers}, {}", Message("{workers} {}", 2)), "workers, workers 2", "workers, workers 2"),
        (Message("`{x: {{retryable: [{}]}}}`", 1), "`x: {retryable: [1]}`", "`x: {retryable: [1]}`"),
    ],
)  # fmt: skip
def test_a_template_is_written_with_the_names_of_the_file(message: Message, job_file: str, other: str) -> None:
    assert str(message) == job_file
    assert str(message.named(NAMES.get)) == other


def test_a_message_is_possible_if_the_file_has_its_fields() -> None:
    def names(path: str, shown: str) -> str | None:
        return NAMES.get(path)

    assert Message("{lifecycle/backoffLimit}").named(names).is_possible
    assert not Message("{}", Message("{workers}")).named(names).is_possible
    assert not Message("{lifecycle/backoffLimit} or {workers}").named(names).is_possible


def test_back_ends_are_options_of_the_command_line() -> None:
    message = Message("use {}, which waits", BackEnds(("job", "pods")))
    assert str(message) == "use one of the back ends job, pods, which waits"
    assert str(message.with_value(BackEnds(("job",)))) == "use `--backend job`, which waits"


def test_templates_are_literals_so_that_no_value_is_parsed() -> None:
    calls = [call for file in PACKAGE.rglob("*.py") for call in _messages(ast.parse(file.read_text("utf-8")))]
    others = [ast.unparse(call) for call in calls if not isinstance(call.args[0], ast.Constant)]
    assert others == [
        "Message(self.template, *self.values, names=names)",
        "Message(self.template, *values, names=self.names)",
    ]


@pytest.mark.slow
def test_every_field_in_a_message_is_one_of_the_job_file() -> None:
    known = {path.removeprefix("spec.").replace("[]", "") for path in paths()}
    known |= {".".join(path.split(".")[:length]) for path in known for length in (1, 2)}
    fields = {field for file in PACKAGE.rglob("*.py") for field in _fields(ast.parse(file.read_text("utf-8")))}
    assert {"lifecycle.backoffLimit", "launch.torchrun.rendezvous.id"} <= fields
    assert fields - known == set()


def _messages(tree: ast.Module) -> list[ast.Call]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Message"]


def _fields(tree: ast.Module) -> set[str]:
    templates = [call.args[0].value for call in _messages(tree) if isinstance(call.args[0], ast.Constant)]
    names = {name for template in templates for _, name, *_ in Formatter().parse(str(template)) if name}
    return {name.replace("/", ".").removeprefix("spec.") for name in names if not name.isdecimal()}
