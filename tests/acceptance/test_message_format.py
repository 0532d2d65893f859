"""`--message-format`: lines of messages on stderr, and complete documents on the stdout of `check`."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from tests.support.command import INVALID_JOB, JOB, fail, run_process, silent, succeed, trainc
from tests.support.files import write
from trainc.cli.commands import COMMANDS

LINE_FORMATS = ["full", "concise", "github"]
DOCUMENT_FORMATS = ["json", "sarif", "junit"]
every_format = pytest.mark.parametrize("form", [*LINE_FORMATS, *DOCUMENT_FORMATS])
# Errors of the schema, of YAML, of the text and of the file.
ERRORS: dict[str, tuple[str, str | bytes]] = {
    "an invalid field": ("-", INVALID_JOB),
    "invalid YAML": ("-", 'a: "'),
    "invalid UTF-8": ("-", b"\xff\xfe"),
    "empty input": ("-", ""),
    "a missing file": ("missing.yaml", ""),
    "an empty name": ("", ""),
}


def count_diagnostics(form: str, text: str) -> int:
    """Return the number of diagnostics in a complete document."""
    if form == "json":
        return len(json.loads(text))
    if form == "sarif":
        return len(json.loads(text)["runs"][0]["results"])
    root = ElementTree.fromstring(text.encode())
    return len(root.findall(".//failure")) + len(root.findall(".//system-out"))


@every_format
def test_a_valid_job_gives_no_messages_and_an_empty_document(form: str) -> None:
    out = silent("check", "-", "--message-format", form, stdin=JOB)
    assert out == "" if form in LINE_FORMATS else count_diagnostics(form, out) == 0


@pytest.mark.parametrize("case", ERRORS)
@every_format
def test_check_prints_documents_to_stdout_and_messages_to_stderr(form: str, case: str) -> None:
    file, text = ERRORS[case]
    done = trainc("check", file, "--message-format", form, stdin=text)
    assert done.code == 1
    if form in LINE_FORMATS:
        assert done.out == ""
        assert done.err
    else:
        assert done.err == ""
        assert count_diagnostics(form, done.out) == 1


@every_format
def test_compile_prints_diagnostics_to_stderr(form: str) -> None:
    valid = trainc("compile", "-", "--message-format", form, stdin=JOB)
    assert (valid.code, valid.out) == (0, trainc("compile", "-", stdin=JOB).out)
    err = fail("compile", "-", "--message-format", form, stdin=INVALID_JOB)
    assert err
    if form in DOCUMENT_FORMATS:
        assert (count_diagnostics(form, valid.err), count_diagnostics(form, err)) == (0, 1)
    else:
        assert valid.err == ""


@every_format
def test_an_invalid_override_is_reported_in_every_format(form: str) -> None:
    done = trainc("check", "-", "--set", "workers", "--message-format", form, stdin=JOB)
    assert done.code == 1
    assert "--set workers" in unquote(done.out + done.err)
    if form in DOCUMENT_FORMATS:
        assert count_diagnostics(form, done.out) == 1


@every_format
def test_warnings_do_not_fail_check_in_any_format(form: str) -> None:
    done = succeed("check", "-", "--backend", "statefulset", "--message-format", form, stdin=JOB)
    assert "TC4002" in done.out + done.err
    assert "<failure" not in done.out


@every_format
def test_the_formats_for_people_have_a_closing_line(form: str) -> None:
    done = trainc("compile", "-", "--message-format", form, stdin=INVALID_JOB)
    assert ("1 error; nothing was written" in done.err) == (form in ("full", "concise"))


@pytest.mark.parametrize("form", ["full", "concise"])
def test_the_closing_line_counts_diagnostics_by_severity_and_their_files(form: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(INVALID_JOB.replace("mnist", name))
    valid = write(tmp_path / "c.yaml", JOB)
    options = ("-b", "statefulset", "--message-format", form)  # which warns of TC4002
    assert trainc("check", *sorted(tmp_path.glob("*.yaml")), *options).err.endswith(
        "\n2 errors, 1 warning in 3 files\n"
    )
    assert trainc("check", valid, *options).err.endswith("\n1 warning\n")
    strict = trainc("compile", valid, "--strict", *options).err
    assert strict.endswith("\n1 warning (errors with --strict); nothing was written\n")


@pytest.mark.parametrize("form", [*LINE_FORMATS, *DOCUMENT_FORMATS])
def test_quiet_prints_errors_only(form: str) -> None:
    options = ("check", "-", "--backend", "statefulset", "--message-format", form)
    assert "TC4002" not in "".join(map(str, trainc(*options, "-q", stdin=JOB)))
    assert "TC4002" in "".join(map(str, trainc(*options, "-q", "--strict", stdin=JOB)))
    invalid = trainc(*options, "--quiet", stdin=INVALID_JOB)
    assert invalid.code == 1
    assert "TC2004" in invalid.out + invalid.err


@pytest.mark.parametrize(
    ("env", "is_colored"), [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)]
)
def test_environment_variables_set_the_color(env: dict[str, str], is_colored: bool) -> None:
    assert ("\x1b[" in run_process("check", "-", env=env, input=INVALID_JOB.encode()).err) == is_colored


def test_a_concise_message_is_file_line_column_code_message_and_help(tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", INVALID_JOB)
    line, closing = trainc("check", file, "--message-format", "concise").err.splitlines()
    assert line.startswith(f"{file}:11:12: TC2004 ")
    assert closing == "1 error"
    warning = trainc("check", "-", "-b", "statefulset", "--message-format", "concise", stdin=JOB).err
    assert " [warning]; help: use `--backend job`" in warning


def test_the_default_format_is_full() -> None:
    assert trainc("check", "-", stdin=INVALID_JOB) == trainc(
        "check", "-", "--message-format", "full", stdin=INVALID_JOB
    )


def test_github_is_the_default_in_github_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    full, github = (trainc("check", "-", "--message-format", form, stdin=INVALID_JOB) for form in ("full", "github"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert trainc("check", "-", stdin=INVALID_JOB) == github
    assert trainc("check", "-", "--message-format", "full", stdin=INVALID_JOB) == full
    monkeypatch.setenv("GITHUB_ACTIONS", "false")
    assert trainc("check", "-", stdin=INVALID_JOB) == full


def test_manifests_out_of_date_are_annotations_in_github_actions(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert trainc("compile", "-", "-o", "out/", stdin=JOB).code == 0
    Path("out/mnist.yaml").write_text("kind: Job\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = trainc("compile", "-", "-o", "out/", "--check", stdin=JOB)
    message = "::error file=out/mnist.yaml,title=manifest out of date::out/mnist.yaml is out of date\n"
    assert (done.code, done.err) == (1, f"{message}run `trainc compile - -o out/` to update\n")


@pytest.mark.parametrize("options", [[], ["-n", "ml"], ["--set", "spec.env.A=b c"]])
def test_the_command_that_updates_manifests_can_be_typed(options: list[str], here: Path) -> None:
    """A hook of pre-commit passes the files, which nobody typed."""
    write(Path("jobs/a job.yaml"), JOB)
    checked = ["compile", "-o", "out/", "--check", *options, "jobs/a job.yaml"]
    (command,) = re.findall("run `trainc (.*)` to update\n", trainc(*checked).err)
    assert "'jobs/a job.yaml'" in command
    assert trainc(*shlex.split(command)).code == 0
    assert trainc(*checked).code == 0
    Path("out/old.yaml").write_bytes(Path("out/mnist.yaml").read_bytes())
    of_folder = [*checked[:-1], "jobs"]
    (command,) = re.findall("run `trainc (.*)` to update\n", trainc(*of_folder).err)
    assert "--prune" in command
    assert trainc(*shlex.split(command)).code == 0
    assert not Path("out/old.yaml").exists()


def test_a_command_with_a_secret_is_not_printed(here: Path) -> None:
    secret = "spec.env.HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"
    done = trainc("compile", "-", "-o", "out/", "--check", "--set", secret, stdin=JOB)
    assert done.err.endswith("run the same command without --check to update\n")


@pytest.mark.parametrize(
    ("form", "option"), [("junit", "--summary"), ("sarif", "--summary"), ("sarif", "--check"), ("junit", "--check")]
)
def test_options_that_print_to_stderr_conflict_with_document_formats(form: str, option: str) -> None:
    assert option in fail("compile", "-", option, "--message-format", form, stdin=JOB, code=2)


def test_a_sarif_rule_has_the_title_of_its_error_page() -> None:
    log = json.loads(trainc("check", "-", "--message-format", "sarif", stdin=INVALID_JOB).out)
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    title = trainc("explain", rule["id"]).out.split("\n")[0]
    assert rule["shortDescription"]["text"] in title


def test_a_sarif_rule_has_what_code_scanning_shows_of_it() -> None:
    log = json.loads(trainc("check", "-", "-b", "statefulset", "--message-format", "sarif", stdin=JOB).out)
    driver = log["runs"][0]["tool"]["driver"]
    (rule,) = driver["rules"]
    assert rule["help"]["markdown"] in Path("docs/errors/TC4002.md").read_text("utf-8")
    assert "## Wrong" in rule["help"]["markdown"]
    assert rule["help"]["text"] == "trainc explain TC4002"
    assert (rule["defaultConfiguration"], rule["properties"]) == ({"level": "warning"}, {"tags": ["backend"]})


def test_an_unknown_format_is_a_usage_error() -> None:
    fail("check", "-", "--message-format", "xml", stdin=JOB, code=2)


def test_the_help_of_all_commands_lists_all_formats() -> None:
    for command in COMMANDS:
        text = trainc(command, "--help").out
        assert "full|concise|json|sarif|github|junit" in text


@pytest.mark.parametrize("form", DOCUMENT_FORMATS)
def test_a_document_is_complete_with_a_file_name_outside_utf_8_and_the_c_locale(form: str, tmp_path: Path) -> None:
    file = bytes(tmp_path) + b"/\xff\xe9.yaml"
    Path(file.decode("utf-8", "surrogateescape")).write_text(INVALID_JOB)
    done = run_process("check", file, "--message-format", form, env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert (done.code, done.err) == (1, "")
    assert count_diagnostics(form, done.out) == 1


@pytest.mark.parametrize("form", DOCUMENT_FORMATS)
def test_a_repeated_file_is_reported_once(form: str, tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", INVALID_JOB)
    assert count_diagnostics(form, trainc("check", file, file, "--message-format", form).out) == 1
