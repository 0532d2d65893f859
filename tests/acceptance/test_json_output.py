"""JSON output of every command is valid by its schema, which allows no other keys here."""

from __future__ import annotations

import errno
import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from tests.acceptance.test_exit_codes import EXAMPLE, POD, RUNS
from tests.acceptance.test_objects import SERVICE
from tests.support.command import JOB, CommandResult, trainc
from tests.support.examples import example_path
from trainc.cli.commands import COMMANDS, load
from trainc.cli.parameters import parameters
from trainc.diff.jobs import Start
from trainc.diff.objects import Outcome as ObjectOutcome
from trainc.diff.training import Training
from trainc.rehearse.output.report import to_json
from trainc.rehearse.verdict import Check, Verdict

NAMES = ("messages", "plan", "status", "diff", "diff-summary", "rehearsal", "list", "source-map")
# Options of JSON output: the schema of each, empty for that of another format's authors. Every command has the first.
MESSAGES = "--message-format"
OUTPUTS = {
    ("compile", "--format"): "",  # a List of Kubernetes
    ("compile", "--source-map"): "source-map",
    ("plan", "--format"): "plan",
    ("status", "--format"): "status",
    ("diff", "--format"): "diff",
    ("diff", "--summary"): "diff-summary",
    ("rehearse", "--format"): "rehearsal",
    ("list", "--format"): "list",
}
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


def test_every_json_output_has_a_schema() -> None:
    declared = {
        (command, option.flags[0])
        for command in COMMANDS
        for option in parameters(load(command)).values()
        if option.flags and ("json" in option.choices or "JSON" in option.help)
    }
    variants = {("diff", "--summary")}  # another document of --format json
    assert declared == {*OUTPUTS, *((command, MESSAGES) for command in COMMANDS)} - variants
    assert {name for name in OUTPUTS.values() if name} | {"messages"} == set(NAMES)
    rows = re.findall(r"^\| `trainc schema (\S+)` \|", Path("docs/ci.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(NAMES)
    assert all(f"`{name}`" in Path("docs/llms.txt").read_text("utf-8").replace("trainc schema ", "") for name in NAMES)


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
    is_silent = run in ("diff, changes", "lsp, the input ends")  # exit codes that say it
    assert has_error == (done.code != 0 and "--strict" not in RUNS[run][0] and not is_silent)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["-", "-o", "missing.yaml", "--check"], "manifest-missing"),
        (["-", "--verify"], "worlds-compared"),
        (["-", "--summary"], "job-summary"),
        (["-", "--nonsense"], "usage-error"),
        (["-", "-o", "pyproject.toml/x.yaml"], "write-failed"),
    ],
)
def test_messages_without_a_line_have_a_name(arguments: list[str], name: str) -> None:
    first = messages(trainc("compile", *arguments, "--message-format=json", stdin=JOB).err)[0]
    assert (first["name"], first["location"]) == (name, None)
    assert first["filename"] == ("missing.yaml" if name == "manifest-missing" else None)


@pytest.mark.parametrize("command", COMMANDS)
def test_failures_are_messages(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"check": 1, "compile": 1, "diff": 2, "import": 1, "plan": 1}
    arguments = ["command"] if command == "cluster" else ["x.yaml"] * files.get(command, 0)
    for problem, code in ((RuntimeError("a\nbug"), "TC9001"), (OSError(errno.ENOSPC, "full"), "TC9002")):

        def fail(*_: object, problem: Exception = problem) -> int:
            raise problem

        monkeypatch.setattr("trainc.cli.guard.run", fail)
        (message,) = messages(trainc(command, *arguments, "--message-format", "json").err)
        assert (message["code"], message["severity"]) == (code, "error")


def test_an_interrupt_leaves_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("trainc.cli.guard.run", interrupt)
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


CHANGES = {
    "nothing": {},
    "another program": {"train.py": "other.py"},
    "another size": {"workers: 2": "workers: 4"},
    "another name": {"name: mnist": "name: cifar"},
    "an object": {"workers: 2": "workers: 2\n---\n" + SERVICE},
    "no job": {JOB: POD},
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("backend", ["job", "pods", "statefulset", "pytorchjob", "vcjob"])
@pytest.mark.parametrize("change", CHANGES)
def test_differences_are_valid(change: str, backend: str, tmp_path: Path) -> None:
    old, new, text = tmp_path / "old.yaml", tmp_path / "new.yaml", JOB
    for before, after in CHANGES[change].items():
        text = text.replace(before, after)
    old.write_text(JOB)
    new.write_text(text)
    for pair in ((old, new), (new, old)):
        done = trainc("diff", *pair, "-b", backend, "-f", "json")
        assert done.code == (change != "nothing"), done.err
        VALIDATORS["diff"].validate(json.loads(done.out))
        summary = trainc("diff", "--summary", *pair, "-b", backend, "-f", "json")
        assert summary.code == done.code
        VALIDATORS["diff-summary"].validate(json.loads(summary.out))


def test_the_schema_has_all_states_of_differences() -> None:
    job, objects = SCHEMAS["diff"]["items"]["properties"], SCHEMAS["diff"]["$defs"]["object"]["properties"]
    stated = [job["training"], job["start"], objects["outcome"]]
    types: list[Any] = [Training, Start, ObjectOutcome]
    assert [{*each["enum"]} - {None} for each in stated] == [{*get_args(each)} for each in types]
    (row,) = re.findall(r"`pods` \((.*?)\)", Path("docs/diff.md").read_text("utf-8"))
    assert {*objects["pods"]["enum"]} == {*re.findall(r"`(.*?)`", row)}


def test_differences_of_live_objects_are_valid() -> None:
    live = json.loads(trainc("compile", EXAMPLE, "-f", "json").out)
    for each in live["items"]:
        applied = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(each)}
        labels = {**each["metadata"]["labels"], "team": "a"}
        each["metadata"] |= {"uid": "1", "annotations": applied, "labels": labels}
    document = json.loads(trainc("diff", "-", EXAMPLE, "-f", "json", stdin=json.dumps(live)).out)
    VALIDATORS["diff"].validate(document)
    assert any(each["drift"] for job in document for each in job["objects"])


@pytest.mark.parametrize("example", ["objects", "torchrun-elastic"])
def test_source_maps_are_valid(example: str, tmp_path: Path) -> None:
    assert trainc("compile", example_path(example), "--source-map", tmp_path / "job.map").code == 0
    VALIDATORS["source-map"].validate(json.loads((tmp_path / "job.map").read_text("utf-8")))


def test_verdicts_are_valid() -> None:
    check = Check(expectation="all ranks form a world", ok=True, at=1.5, evidence=("line",))
    verdict = Verdict(job="mnist", scenario="form", description="the world forms", outcome="passed", checks=(check,))
    VALIDATORS["rehearsal"].validate(json.loads(to_json([verdict, verdict.replace(outcome="not-run", reason="r")])))


@pytest.mark.slow
@pytest.mark.parametrize("files", [["examples"], ["golden/torchrun", "golden/queue"]], ids=["jobs", "manifests"])
def test_a_list_is_valid(files: list[str]) -> None:
    jobs = json.loads(trainc("list", *files, "--format", "json").out)
    assert jobs
    VALIDATORS["list"].validate(jobs)
    assert list(jobs[0]) == list(SCHEMAS["list"]["items"]["properties"])
