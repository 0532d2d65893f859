"""Scenario files: their actions and errors."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.support.fake_session import FakeSession, ScheduledEvent, pod_event
from tests.unit.plan.manifests import objects
from tests.unit.rehearse.test_compare import failed_checks
from tests.unit.rehearse.test_scenarios import full_world, reactions, smaller_world
from trainc.diagnostics.diagnostic import Rejected
from trainc.diagnostics.report import Report
from trainc.rehearse.options import Options
from trainc.rehearse.rehearse import rehearse
from trainc.rehearse.script import parse_script
from trainc.rehearse.script_runner import script_scenario
from trainc.rehearse.verdict import Verdict
from trainc.span import Source

SPOT = """\
name: spot-storm
description: two nodes go, one comes back
start: {pending: [3], delays: {1: 5}}
probe: {timeout: 20}
steps:
- wait-for: {world: 3}
- schedule: 3
- wait-for: {world: full}
- kill-pod: {pod: 3, grace: 10}
- wait-for: {world: 3}
- expect: {world: 3, exited: [3]}
"""


def run_script(text: str, **events: list[ScheduledEvent]) -> tuple[Verdict, FakeSession]:
    sessions: list[FakeSession] = []

    def open_session(objects: list[dict[str, Any]], **options: Any) -> FakeSession:
        sessions.append(FakeSession(objects, reactions(**events), **options))
        return sessions[0]

    scenario = script_scenario(parse_script(Source("spot.yaml", text)))
    return rehearse(
        "job", objects("torchrun-elastic/job"), scenario, Options(patience=20), session_type=open_session
    ), sessions[0]


def test_steps_run_in_order() -> None:
    exits = pod_event("container-exited", "elastic-3", 1.0, exit_code=137)
    verdict, session = run_script(
        SPOT, start=smaller_world(1), schedule=full_world(2), kill_pod=[exits, *smaller_world(3)]
    )
    assert failed_checks(verdict) == []
    assert (verdict.scenario, verdict.outcome) == ("spot-storm", "passed")
    assert session.actions == [("start", {1: 5.0, 3: math.inf}, {}), ("schedule", 3), ("kill_pod", 3, 10.0)]


def test_a_failed_wait_for_ends_the_scenario_and_a_failed_expect_does_not() -> None:
    verdict, session = run_script(SPOT, start=smaller_world(1))
    assert [check.expectation for check in failed_checks(verdict)] == ["a world of 4 ranks forms"]
    assert [action[0] for action in session.actions] == ["start", "schedule"]
    text = "steps:\n- expect: {job: complete}\n- expect: {running: 4}\n"
    verdict, _ = run_script(text)
    assert [check.ok for check in verdict.checks] == [False, True]


def test_a_missing_worker_skips_the_scenario() -> None:
    verdict, _ = run_script("steps:\n- disconnect: 9\n")
    assert (verdict.outcome, verdict.reason) == ("skipped", "the job has no worker 9")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("steps:\n- kil-pod: 2\n", "2:3: TC2002 unknown step `kil-pod`"),
        ("steps:\n- kill-pod: {pods: 2}\n", "2:14: TC2002 `kill-pod` has no field `pods`"),
        ("steps:\n- kill-pod: last\n", '2:13: TC2005 expected a whole number, found the string "last"'),
        ("steps:\n- wait-for: {world: most}\n", "2:21: TC2005 expected a number of ranks, full or min"),
        ("steps:\n- wait-for: {world: 2, running: 3}\n", "2:3: TC2006 `wait-for` accepts only one field"),
        ("steps:\n- wait-for:\n", "2:3: TC2003 `wait-for` requires `world`, `running` or `job`"),
        ("steps:\n- kill-process: {pod: 1}\n", "2:3: TC2006 `kill-process` requires either `rank` or `matching`"),
        ("steps:\n- kill-process: {matching: a}\n", "2:3: TC2003 `kill-process` with `matching` requires `pod`"),
        ("steps:\n- reconnect: -1\n", "2:14: TC2005 expected a whole number, found -1"),
        ("steps:\n- [disconnect, 1]\n", "2:3: TC2004 expected a mapping with one step, found a list"),
        ("steps:\n- finish: now\n", '2:11: TC2005 expected no value, found the string "now"'),
        ("steps: []\n", "1:8: TC2004 expected a list of steps, found an empty list"),
        ("name: x\n", "1:1: TC2003 the scenario has no `steps`"),
        ("step: []\nsteps:\n- finish\n", "1:1: TC2002 a scenario has no field `step`"),
        ("start: {pending: 2}\nsteps:\n- finish\n", "1:18: TC2005 expected a list of whole numbers, found 2"),
        ("start: {delays: {a: 2}}\nsteps:\n- finish\n", "1:17: TC2004 expected a mapping from worker indexes"),
        ("- finish\n", "1:1: TC2004 expected a mapping, found a list"),
        ("", "1:1: TC1010 expected one scenario, found no documents"),
        ("steps: [\n", "TC1003"),
    ],
)
def test_errors_have_positions(text: str, expected: str) -> None:
    with pytest.raises(Rejected) as rejected:
        parse_script(Source("wrong.yaml", text))
    lines = [
        f"{diagnostic.span.line}:{diagnostic.span.column}: {diagnostic.code.id} {diagnostic.message}"
        for diagnostic in rejected.value.diagnostics
    ]
    assert any(expected in line for line in lines), lines


def test_a_misspelled_step_has_an_excerpt_and_a_suggestion() -> None:
    with pytest.raises(Rejected) as rejected:
        parse_script(Source("wrong.yaml", "steps:\n- kil-pod: 2\n"))
    text = Report(diagnostics=list(rejected.value.diagnostics), files=["wrong.yaml"]).text("full")
    assert "2 | - kil-pod: 2" in text
    assert "^^^^^^^" in text
    assert "= help: did you mean `kill-pod`?" in text
