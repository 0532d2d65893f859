"""JSON output of every command is valid by its schema, which allows no other keys here."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.acceptance.test_exit_codes import RUNS
from tests.acceptance.test_objects import SERVICE
from tests.support.command import JOB, CommandResult, trainc
from tests.support.examples import example_path
from trainc.cli.commands import COMMANDS
from trainc.rehearse.output.documents import to_json
from trainc.rehearse.verdict import Check, Verdict

NAMES = ("messages", "plan", "status", "rehearsal")
RECORDED = Path("tests/unit/status/recorded")


def strict(schema: Any) -> Any:
    """Return a schema that allows only the described keys: readers of a version have to expect more."""
    if isinstance(schema, list):
        return list(map(strict, schema))
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if isinstance(schema.get("required"), list) else {}
    return {key: strict(value) for key, value in schema.items()} | closed


SCHEMAS = {name: json.loads(Path("schemas", f"{name}.json").read_text("utf-8")) for name in NAMES}
VALIDATORS = {name: Draft202012Validator(strict(schema)) for name, schema in SCHEMAS.items()}


def messages(text: str) -> list[dict[str, Any]]:
    """Return the messages of a document, which must be valid."""
    document: list[dict[str, Any]] = json.loads(text)
    VALIDATORS["messages"].validate(document)
    return document


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_valid_and_printed(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert schema["$id"] == f"urn:trainc:{name}:1"
    assert json.loads(trainc("schema", name).out) == schema
    assert not VALIDATORS[name].is_valid([{}])


def run_json(run: str) -> CommandResult:
    arguments, stdin, _ = RUNS[run]
    return trainc(run.partition(",")[0], "--message-format", "json", *arguments, stdin=stdin)


@pytest.mark.parametrize("run", [run for run in RUNS if run != "check, fixes"])
def test_messages_of_all_commands_are_one_document(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    done = run_json(run)
    assert done.code == RUNS[run][2]
    document = messages(done.out if run.startswith("check") and done.code != 2 else done.err)
    has_error = any(each["severity"] == "error" for each in document)
    assert has_error == (done.code != 0 and "--strict" not in RUNS[run][0] and run != "diff, changes")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["-", "-o", "missing.yaml", "--check"], "manifest-missing"),
        (["-", "--verify"], "worlds-compared"),
        (["-", "--nonsense"], "usage-error"),
        (["-", "-o", "pyproject.toml/x.yaml"], "write-failed"),
    ],
)
def test_messages_without_a_line_have_a_name(arguments: list[str], name: str) -> None:
    done = trainc("compile", *arguments, "--message-format=json", stdin=JOB)
    first = messages(done.err)[0]
    assert (first["name"], first["location"]) == (name, None)
    assert first["filename"] == ("missing.yaml" if name == "manifest-missing" else None)


@pytest.mark.parametrize("command", COMMANDS)
def test_failures_are_messages(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"check": 1, "compile": 1, "diff": 2, "import": 1, "plan": 1}
    arguments = ["x.yaml"] * files.get(command, 0)
    for problem, code in ((RuntimeError("a\nbug"), "TC9001"), (OSError(errno.ENOSPC, "full"), "TC9002")):

        def fail(*_: object, problem: Exception = problem) -> int:
            raise problem

        monkeypatch.setattr("trainc.cli.guard.call", fail)
        (message,) = messages(trainc(command, *arguments, "--message-format", "json").err)
        assert (message["code"], message["severity"]) == (code, "error")


def test_an_interrupt_leaves_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("trainc.cli.guard.call", interrupt)
    assert trainc("schema", "--message-format", "json") == (130, "", "")


def test_the_format_of_one_command_does_not_reach_the_next() -> None:
    trainc("compile", "nothing.yaml", "--message-format", "json")
    assert trainc("compile", "nothing.yaml").err.startswith("error[TC1001]")
    done = trainc("compile", "-", "--message-format", "json", "--message-format", "concise", stdin="a")
    assert "TC2001" in done.err
    assert not done.err.startswith("[")


def test_an_import_lists_what_it_changed() -> None:
    job = Path("golden/basic/pytorchjob.yaml").read_text("utf-8")
    document = messages(trainc("import", "-", "--message-format", "json", stdin=f"{job}---\n{SERVICE}").err)
    assert "TC5001" in {each["code"] for each in document}
    assert document[-1]["name"] == "carried-over"


@pytest.mark.parametrize(
    ("example", "backend"),
    [("torchrun-elastic", "pytorchjob"), ("torchrun-etcd-managed", "job"), ("mpi", "mpijob"), ("debug", "jobset")],
)
def test_plans_are_valid(example: str, backend: str) -> None:
    done = trainc("plan", example_path(example), "-b", backend, "-f", "json")
    VALIDATORS["plan"].validate(json.loads(done.out))


@pytest.mark.parametrize("name", sorted(path.name for path in RECORDED.glob("*.json"))[::4])
def test_statuses_are_valid(name: str) -> None:
    VALIDATORS["status"].validate(json.loads(trainc("status", RECORDED / name, "-f", "json", "--now", "newest").out))


def test_verdicts_are_valid() -> None:
    check = Check(expectation="all ranks form a world", ok=True, at=1.5, evidence=("line",))
    verdict = Verdict(job="mnist", scenario="form", description="the world forms", outcome="passed", checks=(check,))
    VALIDATORS["rehearsal"].validate(json.loads(to_json([verdict, verdict.replace(outcome="not-run", reason="r")])))
