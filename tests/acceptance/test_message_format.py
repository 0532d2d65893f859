"""`--message-format`: messages go to stderr; a document is whole, and what `check` prints."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from tests.support.command import INVALID_JOB, JOB, run_process, trainc

MESSAGES = ["full", "concise", "github"]
DOCUMENTS = ["json", "sarif", "junit"]
FORMS = pytest.mark.parametrize("form", [*MESSAGES, *DOCUMENTS])
# From fields that are wrong to files, options and commands that can't be.
WORSE: dict[str, tuple[str, str | bytes]] = {
    "a wrong field": ("-", INVALID_JOB),
    "no YAML": ("-", 'a: "'),
    "no text": ("-", b"\xff\xfe"),
    "nothing": ("-", ""),
    "a file that is not there": ("not-there.yaml", ""),
    "a folder": (".", ""),
    "no name": ("", ""),
}


def read(form: str, text: str) -> int:
    """How many diagnostics a whole document holds."""
    if form == "json":
        return len(json.loads(text))
    if form == "sarif":
        return len(json.loads(text)["runs"][0]["results"])
    root = ElementTree.fromstring(text.encode())
    return len(root.findall(".//failure")) + len(root.findall(".//system-out"))


@FORMS
def test_a_job_that_is_well_is_no_message_and_an_empty_document(form: str) -> None:
    done = trainc("check", "-", "--message-format", form, stdin=JOB)
    assert (done.code, done.err) == (0, "")
    assert done.out == "" if form in MESSAGES else read(form, done.out) == 0


@pytest.mark.parametrize("case", WORSE)
@FORMS
def test_check_prints_documents_and_says_messages(form: str, case: str) -> None:
    file, text = WORSE[case]
    done = trainc("check", file, "--message-format", form, stdin=text)
    assert done.code == 1
    if form in MESSAGES:
        assert done.out == ""
        assert done.err
    else:
        assert done.err == ""
        assert read(form, done.out) == 1


@FORMS
def test_compile_keeps_stdout_for_manifests(form: str) -> None:
    good = trainc("compile", "-", "--message-format", form, stdin=JOB)
    assert (good.code, good.out) == (0, trainc("compile", "-", stdin=JOB).out)
    wrong = trainc("compile", "-", "--message-format", form, stdin=INVALID_JOB)
    assert (wrong.code, wrong.out) == (1, "")
    assert wrong.err
    if form in DOCUMENTS:
        assert (read(form, good.err), read(form, wrong.err)) == (0, 1)
    else:
        assert good.err == ""


@FORMS
def test_a_wrong_option_is_told_in_every_form(form: str) -> None:
    done = trainc("check", "-", "--set", "workers", "--message-format", form, stdin=JOB)
    assert done.code == 1
    assert "--set workers" in unquote(done.out + done.err)
    if form in DOCUMENTS:
        assert read(form, done.out) == 1


@FORMS
def test_a_warning_is_no_failure(form: str) -> None:
    done = trainc("check", "-", "--backend", "statefulset", "--message-format", form, stdin=JOB)
    assert done.code == 0
    assert "TC4002" in done.out + done.err
    assert "<failure" not in done.out


@pytest.mark.parametrize("form", [*MESSAGES, *DOCUMENTS])
def test_only_the_full_form_has_a_closing_line(form: str) -> None:
    done = trainc("compile", "-", "--message-format", form, stdin=INVALID_JOB)
    assert ("1 error; nothing was written" in done.err) == (form == "full")


def test_the_concise_form_is_file_line_column_code_message(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(INVALID_JOB)
    said = trainc("check", file, "--message-format", "concise").err
    assert said.startswith(f"{file}:11:12: TC2004 ")
    assert said.count("\n") == 1


def test_full_is_what_is_said_without_the_option() -> None:
    assert trainc("check", "-", stdin=INVALID_JOB) == trainc(
        "check", "-", "--message-format", "full", stdin=INVALID_JOB
    )


def test_github_is_spoken_in_its_actions_unless_another_form_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, command = (trainc("check", "-", "--message-format", form, stdin=INVALID_JOB) for form in ("full", "github"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert trainc("check", "-", stdin=INVALID_JOB) == command
    assert trainc("check", "-", "--message-format", "full", stdin=INVALID_JOB) == plain
    monkeypatch.setenv("GITHUB_ACTIONS", "false")
    assert trainc("check", "-", stdin=INVALID_JOB) == plain


@pytest.mark.parametrize("option", ["--summary", "--check"])
@pytest.mark.parametrize("form", DOCUMENTS)
def test_nothing_else_spoils_a_document_on_stderr(form: str, option: str) -> None:
    done = trainc("compile", "-", option, "--message-format", form, stdin=JOB)
    assert (done.code, done.out) == (2, "")
    assert option in done.err


def test_a_rule_of_sarif_has_the_title_of_its_page() -> None:
    log = json.loads(trainc("check", "-", "--message-format", "sarif", stdin=INVALID_JOB).out)
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    title = trainc("explain", rule["id"]).out.split("\n")[0]
    assert rule["shortDescription"]["text"] in title


def test_a_form_that_there_is_not_is_a_usage_error() -> None:
    done = trainc("check", "-", "--message-format", "xml", stdin=JOB)
    assert (done.code, done.out) == (2, "")


def test_both_commands_name_all_forms_in_their_help() -> None:
    for command in ("check", "compile"):
        text = trainc(command, "--help").out
        assert "full|concise|json|sarif|github|junit" in text


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_name_that_is_no_utf_8_and_another_locale_leave_a_document_whole(form: str, tmp_path: Path) -> None:
    file = bytes(tmp_path) + b"/\xff\xe9.yaml"
    Path(file.decode("utf-8", "surrogateescape")).write_text(INVALID_JOB)
    done = run_process("check", file, "--message-format", form, env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert (done.code, done.err) == (1, "")
    assert read(form, done.out) == 1


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_file_that_is_named_twice_is_reported_once(form: str, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(INVALID_JOB)
    assert read(form, trainc("check", file, file, "--message-format", form).out) == 1
