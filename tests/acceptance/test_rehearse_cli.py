"""`trainc rehearse`: what it refuses, what it says, and with which exit code. The stage is a written one."""

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


class Stages:
    """The stages that were made, and what happens on the next."""

    def __init__(self) -> None:
        self.made: list[FakeSession] = []
        self.then: dict[str, Then] = {"start": lambda _: GOOD}

    def __call__(self, objects: list[Any], **options: Any) -> FakeSession:
        self.made.append(FakeSession(objects, self.then, **options))
        return self.made[-1]


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> Stages:
    found = Stages()
    monkeypatch.setattr("trainc.rehearse.rehearse.Session", found)
    monkeypatch.setattr("trainc.rehearse.rehearse.require_modules", lambda *_: None)
    return found


def test_without_a_scenario_it_forms_and_finishes(stages: Stages) -> None:
    done = trainc("rehearse", "-", stdin=JOB)
    assert done.code == 0
    assert done.out.endswith("mnist: form, finish as planned\n")
    assert "mnist form: 5.0 s a world of 2 on mnist-0, mnist-1\n" in done.err
    assert len(stages.made) == 2
    assert all(one.over for one in stages.made)


def test_options_reach_the_stage(stages: Stages, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text("")
    options = ("--pods", "2", "--nproc", "4", "--python", "/opt/python", "--image", tmp_path, "--program", program)
    trainc("rehearse", "-", "-s", "form", "--keep", tmp_path / "kept", *options, stdin=JOB)
    (stage,) = stages.made
    given = {name: stage.options[name] for name in ("limit", "processes", "python", "image")}
    assert given == {"limit": 2, "processes": 4, "python": "/opt/python", "image": tmp_path}
    assert stage.options["program"].file == program
    assert stage.options["keep"] == tmp_path / "kept" / "mnist" / "form"


def test_a_world_that_is_not_the_plans_exits_with_1(stages: Stages) -> None:
    stages.then = {"start": lambda _: world({"mnist-0": [1], "mnist-1": [0]}, master=MASTER)}
    done = trainc("rehearse", "-", "-s", "form", stdin=JOB)
    assert done.code == 1
    assert "mnist-0 has rank 1, where the plan says rank 0" in done.out
    assert done.out.endswith("mnist: form differs from the plan\n")


def test_the_verdict_is_json_or_junit_when_asked_and_goes_to_a_file(stages: Stages, tmp_path: Path) -> None:
    found = json.loads(trainc("rehearse", "-", "-f", "json", stdin=JOB).out)
    assert [(one["scenario"], one["outcome"]) for one in found] == [("form", "passed"), ("finish", "passed")]
    done = trainc("rehearse", "-", "-f", "junit", "-o", tmp_path / "x.xml", stdin=JOB)
    assert done.out == ""
    assert '<testsuite name="mnist form"' in (tmp_path / "x.xml").read_text()


def test_a_scenario_that_does_not_fit_is_said_and_is_no_success_alone(stages: Stages) -> None:
    done = trainc("rehearse", "-", "-s", "join", stdin=JOB)
    assert done.code == 2
    assert "the job has a fixed size: it never goes on with fewer pods" in done.out
    assert done.err.endswith("error: nothing was rehearsed: no scenario fits\n")
    assert trainc("rehearse", "-", "-s", "join", "-s", "form", stdin=JOB).code == 0


def test_all_is_every_scenario_once(stages: Stages) -> None:
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
        (("-s", "joiin"), "there is no scenario 'joiin'; did you mean join?"),
        (("-s", "what"), "there is no scenario 'what'; `--scenario list` shows what there is"),
        (("--program", "none.py"), "there is no file 'none.py'"),
        (("--pods", "0"), "0 is not in the range"),
        (("-s", "none.yaml"), None),
    ],
)
def test_wrong_usage_is_told(arguments: tuple[str, ...], said: str | None) -> None:
    done = trainc("rehearse", "-", *arguments, stdin=JOB)
    if said is None:
        assert done.code == 1
        assert "can't read the file" in done.err
    else:
        assert done.code == 2
        assert said in done.err


def test_a_wrong_job_is_not_rehearsed(stages: Stages) -> None:
    done = trainc("rehearse", "-", stdin=WRONG)
    assert done.code == 1
    assert "; nothing was rehearsed" in done.err
    assert stages.made == []


def test_a_wrong_scenario_file_is_shown_with_its_line(tmp_path: Path, stages: Stages) -> None:
    file = tmp_path / "storm.yaml"
    file.write_text("steps:\n- kil-pod: 1\n")
    done = trainc("rehearse", "-", "-s", file, stdin=JOB)
    assert done.code == 1
    assert "2 | - kil-pod: 1" in done.err
    assert "did you mean `kill-pod`?" in done.err
    assert stages.made == []


def test_a_paused_job_says_so(stages: Stages) -> None:
    done = trainc("rehearse", "-", "--set", "spec.mode=paused", stdin=JOB)
    assert done.code == 2
    assert "the job is paused: nothing starts" in done.out
    assert stages.made == []


def test_a_python_without_torch_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainc.rehearse.rehearse.Session", Stages())
    monkeypatch.setattr("trainc.rehearse.rehearse._modules", lambda *_: ["no_such_module"])
    done = trainc("rehearse", "-", "--python", sys.executable, stdin=JOB)
    assert (done.code, done.out) == (2, "")
    cure = "pip install no_such_module; or name one that has by --python"
    assert done.err == f"error: {sys.executable} has no no_such_module: {cure}\n"
