"""`trainc rehearse`: what it refuses, what it says, and with which exit code. The session is a written one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import JOB, WRONG, trainc
from tests.support.fake_session import FakeSession, Then, event, world
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.scenarios.registry import NAMES

RANKS = {"mnist-0": [0], "mnist-1": [1]}
MASTER = "mnist-0.mnist.default.svc.cluster.local"
GOOD = [*world(RANKS, master=MASTER), event("job-complete", after=30)]


class Sessions:
    """The sessions that were made, and what happens on the next."""

    def __init__(self) -> None:
        self.made: list[FakeSession] = []
        self.then: dict[str, Then] = {"start": lambda _: GOOD}

    def __call__(self, objects: list[Any], **options: Any) -> FakeSession:
        self.made.append(FakeSession(objects, self.then, **options))
        return self.made[-1]


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Sessions:
    found = Sessions()
    monkeypatch.setattr("trainc.rehearse.rehearse.Session", found)
    monkeypatch.setattr("trainc.rehearse.rehearse.require_modules", lambda *_: None)
    return found


def test_without_a_scenario_it_forms_and_finishes(sessions: Sessions) -> None:
    done = trainc("rehearse", "-", stdin=JOB)
    assert done.code == 0
    assert done.out.endswith("mnist: form, finish passed\n")
    assert "mnist form: 5.0 s a world of 2 on mnist-0, mnist-1\n" in done.err
    assert len(sessions.made) == 2
    assert all(one.over for one in sessions.made)


def test_options_reach_the_stage(sessions: Sessions, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text("")
    options = ("--pods", "2", "--nproc", "4", "--python", "/opt/python", "--image", tmp_path, "--program", program)
    trainc("rehearse", "-", "-s", "form", "--keep", tmp_path / "kept", *options, stdin=JOB)
    (session,) = sessions.made
    given = {name: session.options[name] for name in ("max_pods", "processes", "python", "image")}
    assert given == {"max_pods": 2, "processes": 4, "python": "/opt/python", "image": tmp_path}
    assert session.options["program"].file == program
    assert session.options["artifacts"] == tmp_path / "kept" / "mnist" / "form"


def test_a_world_that_is_not_the_plans_exits_with_1(sessions: Sessions) -> None:
    sessions.then = {"start": lambda _: world({"mnist-0": [1], "mnist-1": [0]}, master=MASTER)}
    done = trainc("rehearse", "-", "-s", "form", stdin=JOB)
    assert done.code == 1
    assert "mnist-0 has rank 1, expected rank 0" in done.out
    assert done.out.endswith("mnist: form failed\n")


def test_the_verdict_is_json_or_junit_when_asked_and_goes_to_a_file(sessions: Sessions, tmp_path: Path) -> None:
    found = json.loads(trainc("rehearse", "-", "-f", "json", stdin=JOB).out)
    assert [(one["scenario"], one["outcome"]) for one in found] == [("form", "passed"), ("finish", "passed")]
    done = trainc("rehearse", "-", "-f", "junit", "-o", tmp_path / "x.xml", stdin=JOB)
    assert done.out == ""
    assert '<testsuite name="mnist form"' in (tmp_path / "x.xml").read_text()


def test_a_scenario_that_does_not_fit_is_said_and_is_no_success_alone(sessions: Sessions) -> None:
    done = trainc("rehearse", "-", "-s", "join", stdin=JOB)
    assert done.code == 2
    assert "the job isn't elastic: it never continues with fewer pods" in done.out
    assert done.err.endswith("error: nothing was rehearsed: no scenario applies\n")
    assert trainc("rehearse", "-", "-s", "join", "-s", "form", stdin=JOB).code == 0


def test_all_is_every_scenario_once(sessions: Sessions) -> None:
    done = trainc("rehearse", "-", "-s", "all", "-s", "form", "-f", "json", "--patience", "5", stdin=JOB)
    assert sorted(one["scenario"] for one in json.loads(done.out)) == sorted(NAMES)


def test_the_list_needs_no_job() -> None:
    done = trainc("rehearse", "-s", "list")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()] == list(NAMES)


def test_a_machine_that_can_not_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RehearsalError("this is no Linux: a rehearsal needs its namespaces")

    monkeypatch.setattr("trainc.rehearse.rehearse.Session", refuse)
    done = trainc("rehearse", "-", stdin=JOB)
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: this is no Linux: a rehearsal needs its namespaces\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-s", "joiin"), "unknown scenario 'joiin'; did you mean join?"),
        (("-s", "what"), "unknown scenario 'what'; `--scenario list` lists all"),
        (("--program", "none.py"), "no such file 'none.py'"),
        (("--pods", "0"), "0 is not in the range"),
        (("-s", "none.yaml"), None),
    ],
)
def test_wrong_usage_is_told(arguments: tuple[str, ...], said: str | None) -> None:
    done = trainc("rehearse", "-", *arguments, stdin=JOB)
    if said is None:
        assert done.code == 1
        assert "cannot read the file" in done.err
    else:
        assert done.code == 2
        assert said in done.err


def test_a_wrong_job_is_not_rehearsed(sessions: Sessions) -> None:
    done = trainc("rehearse", "-", stdin=WRONG)
    assert done.code == 1
    assert "; nothing was rehearsed" in done.err
    assert sessions.made == []


def test_a_wrong_scenario_file_is_shown_with_its_line(tmp_path: Path, sessions: Sessions) -> None:
    file = tmp_path / "storm.yaml"
    file.write_text("steps:\n- kil-pod: 1\n")
    done = trainc("rehearse", "-", "-s", file, stdin=JOB)
    assert done.code == 1
    assert "2 | - kil-pod: 1" in done.err
    assert "did you mean `kill-pod`?" in done.err
    assert sessions.made == []


def test_a_paused_job_says_so(sessions: Sessions) -> None:
    done = trainc("rehearse", "-", "--set", "spec.mode=paused", stdin=JOB)
    assert done.code == 2
    assert "the job is paused: no pod starts" in done.out
    assert sessions.made == []


def test_a_python_without_torch_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainc.rehearse.rehearse.Session", Sessions())
    monkeypatch.setattr("trainc.rehearse.rehearse._modules", lambda *_: ["no_such_module"])
    done = trainc("rehearse", "-", "--python", sys.executable, stdin=JOB)
    assert (done.code, done.out) == (2, "")
    cure = "run `pip install no_such_module`, or select another --python"
    assert done.err == f"error: {sys.executable} has no no_such_module: {cure}\n"
