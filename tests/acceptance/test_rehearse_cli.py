"""`trainc rehearse`: errors, output and exit codes, with a fake session."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import INVALID_JOB, JOB, fail, silent, succeed, trainc
from tests.support.fake_session import FakeSession, Reaction, pod_event, world_events
from tests.support.files import write
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.scenarios.registry import SCENARIOS

RANKS = {"mnist-0": [0], "mnist-1": [1]}
MASTER = "mnist-0.mnist.default.svc.cluster.local"
GOOD = [*world_events(RANKS, master=MASTER), pod_event("job-complete", after=30)]


class Sessions:
    """Created sessions, and the events of the next session."""

    def __init__(self) -> None:
        self.created: list[FakeSession] = []
        self.then: dict[str, Reaction] = {"start": lambda _: GOOD}

    def __call__(self, objects: list[Any], **options: Any) -> FakeSession:
        self.created.append(FakeSession(objects, self.then, **options))
        return self.created[-1]


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Sessions:
    fake = Sessions()
    monkeypatch.setattr("trainc.rehearse.rehearse.Session", fake)
    monkeypatch.setattr("trainc.rehearse.rehearse.require_modules", lambda *_: None)
    return fake


def test_the_default_scenarios_are_form_and_finish(sessions: Sessions) -> None:
    done = succeed("rehearse", "-", stdin=JOB)
    assert done.out.endswith("mnist: form, finish passed\n")
    assert "mnist form: 5.0 s a world of 2 on mnist-0, mnist-1\n" in done.err
    assert len(sessions.created) == 2
    assert all(session.closed for session in sessions.created)


def test_options_reach_the_session(sessions: Sessions, tmp_path: Path) -> None:
    program = write(tmp_path / "train.py", "")
    options = ("--pods", "2", "--nproc", "4", "--python", "/opt/python", "--image", tmp_path, "--program", program)
    trainc("rehearse", "-", "-s", "form", "--keep", tmp_path / "artifacts", *options, stdin=JOB)
    (session,) = sessions.created
    session_options = {name: session.options[name] for name in ("max_pods", "processes", "python", "image")}
    assert session_options == {"max_pods": 2, "processes": 4, "python": "/opt/python", "image": tmp_path}
    assert session.options["program"].file == program
    kept = session.options["artifacts"], session.options["artifacts_path"]
    assert kept == (tmp_path / "artifacts", "mnist/form")


def test_an_unplanned_world_exits_with_1(sessions: Sessions) -> None:
    sessions.then = {"start": lambda _: world_events({"mnist-0": [1], "mnist-1": [0]}, master=MASTER)}
    done = trainc("rehearse", "-", "-s", "form", stdin=JOB)
    assert done.code == 1
    assert "mnist-0 has rank 1, expected rank 0" in done.out
    assert done.out.endswith("mnist: form failed\n")


def test_the_verdict_can_be_json_or_junit_in_a_file(sessions: Sessions, tmp_path: Path) -> None:
    verdicts = json.loads(trainc("rehearse", "-", "-f", "json", stdin=JOB).out)
    assert [(verdict["scenario"], verdict["outcome"]) for verdict in verdicts] == [
        ("form", "passed"),
        ("finish", "passed"),
    ]
    assert trainc("rehearse", "-", "-f", "junit", "-o", tmp_path / "x.xml", stdin=JOB).out == ""
    assert '<testsuite name="mnist form"' in (tmp_path / "x.xml").read_text()


def test_only_skipped_scenarios_exit_with_2(sessions: Sessions) -> None:
    done = trainc("rehearse", "-", "-s", "join", stdin=JOB)
    assert done.code == 2
    assert "the job isn't elastic: it never continues with fewer pods" in done.out
    assert done.err.endswith("error: nothing was rehearsed: no scenario applies\n")
    assert trainc("rehearse", "-", "-s", "join", "-s", "form", stdin=JOB).code == 0


def test_all_runs_every_scenario_once(sessions: Sessions) -> None:
    done = trainc("rehearse", "-", "-s", "all", "-s", "form", "-f", "json", "--patience", "5", stdin=JOB)
    assert sorted(verdict["scenario"] for verdict in json.loads(done.out)) == sorted(SCENARIOS)


def test_list_needs_no_job() -> None:
    assert [line.split()[0] for line in silent("rehearse", "-s", "list").splitlines()] == list(SCENARIOS)


def test_a_system_without_namespaces_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainc.cli.commands.rehearse.supported_systems.platform", "darwin")
    err = fail("rehearse", "-", stdin=JOB, code=2)
    assert err == "error: a rehearsal needs Linux namespaces, which this system doesn't have\n"


def test_an_unsupported_machine_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RehearsalError("a rehearsal needs Linux namespaces")

    monkeypatch.setattr("trainc.rehearse.rehearse.Session", refuse)
    assert fail("rehearse", "-", stdin=JOB, code=2) == "error: a rehearsal needs Linux namespaces\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-s", "joiin"), "unknown scenario 'joiin'; did you mean join?"),
        (("-s", "what"), "unknown scenario 'what'; `--scenario list` lists all"),
        (("--program", "none.py"), "no such file 'none.py'"),
        (("--pods", "0"), "0 is not in the range"),
        (("-s", "none.yaml"), None),
    ],
)
def test_a_usage_error_is_reported(arguments: tuple[str, ...], message: str | None) -> None:
    done = trainc("rehearse", "-", *arguments, stdin=JOB)
    if message is None:
        assert done.code == 1
        assert "cannot read the file" in done.err
    else:
        assert done.code == 2
        assert message in done.err


def test_an_invalid_job_is_not_rehearsed(sessions: Sessions) -> None:
    assert "; nothing was rehearsed" in fail("rehearse", "-", stdin=INVALID_JOB)
    assert sessions.created == []


def test_an_error_in_a_scenario_file_is_shown_with_its_line(tmp_path: Path, sessions: Sessions) -> None:
    file = write(tmp_path / "storm.yaml", "steps:\n- kil-pod: 1\n")
    err = fail("rehearse", "-", "-s", file, stdin=JOB)
    assert "2 | - kil-pod: 1" in err
    assert "did you mean `kill-pod`?" in err
    assert sessions.created == []


def test_a_paused_job_is_skipped(sessions: Sessions) -> None:
    done = trainc("rehearse", "-", "--set", "spec.mode=paused", stdin=JOB)
    assert done.code == 2
    assert "the job is paused: no pod starts" in done.out
    assert sessions.created == []


def test_a_python_without_torch_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainc.rehearse.rehearse.Session", Sessions())
    monkeypatch.setattr("trainc.rehearse.rehearse._modules", lambda *_: ["no_such_module"])
    err = fail("rehearse", "-", "--python", sys.executable, stdin=JOB, code=2)
    fix = "run `pip install no_such_module`, or select another --python"
    assert err == f"error: {sys.executable} has no no_such_module: {fix}\n"
