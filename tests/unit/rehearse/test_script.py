"""Scenario files: what they do, and what is said of wrong ones."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.support.fake_session import FakeSession, Happens, event
from tests.unit.plan.manifests import objects
from tests.unit.rehearse.test_compare import wrong
from tests.unit.rehearse.test_scenarios import smaller, then, whole
from trainc.diagnostics.diagnostic import Rejected
from trainc.diagnostics.report import Report
from trainc.rehearse.rehearse import Options, rehearse
from trainc.rehearse.script import parse_script
from trainc.rehearse.script_runner import script_scenario
from trainc.rehearse.verdict import Verdict
from trainc.span import Source

SPOT = """\
name: spot-storm
description: two nodes go, one comes back
start: {hold: [3], delays: {1: 5}}
probe: {timeout: 20}
steps:
- wait-for: {world: 3}
- arrive: 3
- wait-for: {world: full}
- kill-pod: {pod: 3, grace: 10}
- wait-for: {world: 3}
- expect: {world: 3, ended: [3]}
"""


def played(text: str, **happens: list[Happens]) -> tuple[Verdict, FakeSession]:
    stages: list[FakeSession] = []

    def made(given: list[dict[str, Any]], **options: Any) -> FakeSession:
        stages.append(FakeSession(given, then(**happens), **options))
        return stages[0]

    found = script_scenario(parse_script(Source("spot.yaml", text)))
    return rehearse("job", objects("torchrun-elastic/job"), found, Options(quiet=20), stage=made), stages[0]


def test_a_file_of_steps_is_played_in_its_order() -> None:
    exits = event("container-exited", "elastic-3", 1.0, exit_code=137)
    verdict, stage = played(SPOT, start=smaller(1), arrive=whole(2), kill_pod=[exits, *smaller(3)])
    assert wrong(verdict) == []
    assert (verdict.scenario, verdict.outcome) == ("spot-storm", "passed")
    assert stage.did == [("start", {1: 5.0, 3: math.inf}, {}), ("arrive", 3), ("kill_pod", 3, 10.0)]


def test_what_does_not_come_ends_it_and_what_is_expected_does_not() -> None:
    verdict, stage = played(SPOT, start=smaller(1))
    assert [one.expectation for one in wrong(verdict)] == ["a world of 4 ranks forms"]
    assert [one[0] for one in stage.did] == ["start", "arrive"]
    text = "steps:\n- expect: {job: complete}\n- expect: {running: 4}\n"
    verdict, _ = played(text)
    assert [one.ok for one in verdict.checks] == [False, True]


def test_a_worker_that_the_job_does_not_have_is_told() -> None:
    verdict, _ = played("steps:\n- cut: 9\n")
    assert (verdict.outcome, verdict.reason) == ("skipped", "the job has no worker 9")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("steps:\n- kil-pod: 2\n", "2:3: TC2002 there is no step `kil-pod`"),
        ("steps:\n- kill-pod: {pods: 2}\n", "2:14: TC2002 `kill-pod` has no field `pods`"),
        ("steps:\n- kill-pod: last\n", '2:13: TC2005 expected a whole number, found the string "last"'),
        ("steps:\n- wait-for: {world: most}\n", "2:21: TC2005 expected a number of ranks, full or least"),
        ("steps:\n- wait-for: {world: 2, running: 3}\n", "2:3: TC2006 `wait-for` waits for one thing"),
        ("steps:\n- wait-for:\n", "2:3: TC2003 `wait-for` doesn't say what to wait for"),
        ("steps:\n- kill-process: {pod: 1}\n", "2:3: TC2006 `kill-process` takes either `rank` or `matching`"),
        ("steps:\n- kill-process: {matching: a}\n", "2:3: TC2003 `kill-process` with `matching` has no `pod`"),
        ("steps:\n- mend: -1\n", "2:9: TC2005 expected a whole number, found -1"),
        ("steps:\n- [cut, 1]\n", "2:3: TC2004 expected a mapping with one step, found a list"),
        ("steps:\n- finish: now\n", '2:11: TC2005 expected nothing, found the string "now"'),
        ("steps: []\n", "1:8: TC2004 expected a list of steps, found an empty list"),
        ("name: x\n", "1:1: TC2003 the scenario has no `steps`"),
        ("step: []\nsteps:\n- finish\n", "1:1: TC2002 a scenario has no field `step`"),
        ("start: {hold: 2}\nsteps:\n- finish\n", "1:15: TC2005 expected a list of whole numbers, found 2"),
        ("start: {delays: {a: 2}}\nsteps:\n- finish\n", "1:17: TC2004 expected a mapping from a worker's number"),
        ("- finish\n", "1:1: TC2004 expected a mapping, found a list"),
        ("", "1:1: TC1010 the file holds no documents, not one scenario"),
        ("steps: [\n", "TC1003"),
    ],
)
def test_a_wrong_file_is_told_with_the_place(text: str, said: str) -> None:
    with pytest.raises(Rejected) as rejected:
        parse_script(Source("wrong.yaml", text))
    lines = [f"{one.span.line}:{one.span.column}: {one.code.id} {one.message}" for one in rejected.value.diagnostics]
    assert any(said in found for found in lines), lines


def test_a_step_that_is_misspelt_is_shown_with_its_line_and_the_word_that_was_meant() -> None:
    with pytest.raises(Rejected) as rejected:
        parse_script(Source("wrong.yaml", "steps:\n- kil-pod: 2\n"))
    text = Report(diagnostics=list(rejected.value.diagnostics), files=["wrong.yaml"]).text("full")
    assert "2 | - kil-pod: 2" in text
    assert "^^^^^^^" in text
    assert "= help: did you mean `kill-pod`?" in text
