"""Output of verdicts and progress."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

from tests.support.fake_session import FakeSession, pod_event, world_events
from tests.unit.plan.manifests import objects
from tests.unit.rehearse.test_compare import FOUR, MASTER
from trainc.diagnostics.cells import cells
from trainc.rehearse.options import Options
from trainc.rehearse.output.live import Lines, Table, _newest
from trainc.rehearse.output.report import report, to_json, to_junit
from trainc.rehearse.rehearse import OnUpdate, rehearse
from trainc.rehearse.scenarios.registry import SCENARIOS
from trainc.rehearse.verdict import Check, Verdict
from trainc.report.terminal import Colors
from trainc.report.text import text

PASSED = Verdict(
    job="mnist",
    scenario="form",
    description="the pods start",
    outcome="passed",
    seconds=14.2,
    checks=(Check(expectation="8 ranks form a world", ok=True, at=12.1, evidence=("12.1 s mnist-0 RANK=0",)),),
    notes=("2 of 64 pods were rehearsed",),
    unsupported=("GPUs",),
)
FAILED = PASSED.replace(
    scenario="lose-pod",
    outcome="failed",
    checks=(
        Check(expectation="8 ranks & more", ok=False, at=90.0, evidence=("mnist-0: \x1b[31m<Failed> " + "long " * 40,)),
    ),
)
SKIPPED = Verdict(
    job="mnist", scenario="join", description="a pod joins", outcome="skipped", reason="the job has a fixed size"
)


def test_a_verdict_shows_its_evidence_and_unsupported_features() -> None:
    output = text([report([PASSED, SKIPPED])], 100)
    assert "  ok      12.1 s  8 ranks form a world\n                  12.1 s mnist-0 RANK=0\n" in output
    assert "  note: 2 of 64 pods were rehearsed\n" in output
    assert "not simulated:\n  GPUs\n" in output
    assert "mnist join: skipped\n  a pod joins\n  the job has a fixed size\n" in output
    assert output.endswith("\nmnist: form passed\nmnist: join skipped\n")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_exceeds_the_width_or_contains_escape_codes(width: int) -> None:
    output = text([report([PASSED, FAILED, SKIPPED])], width)
    assert max(len(line) for line in output.splitlines()) <= width
    assert "\x1b" not in output
    assert "\\u001b[31m<Failed>" in output


def test_what_failed_is_marked_without_colors_and_its_evidence_is_not_faint() -> None:
    failed = FAILED.replace(checks=(Check(expectation="8 ranks", ok=False, at=90.0, evidence=("rank 0", "rank 1")),))
    assert text([report([failed.replace(unsupported=())])], 80) == (
        "mnist lose-pod: FAILED, 14.2 s\n"
        "  the pods start\n"
        "  FAIL    90.0 s  8 ranks\n"
        "                  rank 0\n"
        "                  rank 1\n"
        "  note: 2 of 64 pods were rehearsed\n"
        "\n"
        "! mnist: lose-pod failed\n"
    )
    assert "                  rank 0\n" in text([report([failed])], 80, color=True)


def test_json_has_every_check_with_its_evidence() -> None:
    first, _, third = json.loads(to_json([PASSED, FAILED, SKIPPED]))
    assert (first["outcome"], first["seconds"], first["unsupported"]) == ("passed", 14.2, ["GPUs"])
    assert first["checks"] == [
        {"expectation": "8 ranks form a world", "passed": True, "at": 12.1, "evidence": ["12.1 s mnist-0 RANK=0"]}
    ]
    assert (third["outcome"], third["reason"], third["checks"]) == ("skipped", "the job has a fixed size", [])


def test_junit_counts_failed_checks_and_skipped_scenarios() -> None:
    root = ET.fromstring(to_junit([PASSED, FAILED, SKIPPED]))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "0")
    assert [suite.get("skipped") for suite in root] == ["0", "0", "1"]
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message") == "8 ranks & more"
    assert "<Failed>" in (failure.text or "")


def run_with(on_update: OnUpdate) -> None:
    reactions = {"start": lambda _: [pod_event("container-started", "elastic-0"), *world_events(FOUR, master=MASTER)]}
    rehearse(
        "job",
        objects("torchrun-elastic/job"),
        SCENARIOS["form"],
        Options(patience=20),
        on_update,
        session_type=lambda objects, **options: FakeSession(objects, reactions, **options),
    )


def test_without_a_terminal_each_event_is_a_line() -> None:
    outputs: list[str] = []
    lines = Lines(outputs.append)
    lines.title = "job form"
    run_with(lines)
    assert outputs == [
        "job form: 1.0 s elastic-0 container-started\n",
        "job form: 5.0 s a world of 4 on elastic-0, elastic-1, elastic-2, elastic-3\n",
    ]


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_the_table_is_redrawn_in_place_without_wrapping_and_cleared(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainc.rehearse.output.live._INTERVAL", 0)
    outputs: list[str] = []
    table = Table(outputs.append, Colors(), lambda: (columns, 24))
    table.title = "job form"
    run_with(table)
    table(None, None)
    screen, widest = _screen("".join(outputs))
    assert widest < columns
    assert screen == []
    if columns > 40:  # names are not shortened
        last = [text for text in outputs if "elastic-3" in text][-1]
        assert re.search(r"elastic-3 +Running +yes +0 +3\b", last)


def test_a_replaced_pod_is_one_row_and_counts_as_a_restart() -> None:
    pods = FakeSession(objects("torchrun-elastic/job"), {}).pods
    failed, replacement = (
        pods[1].replace(phase="Failed", restarts=1),
        pods[1].replace(name="elastic-1-new", phase="Running"),
    )
    rows = _newest((pods[0], failed, pods[2], replacement))
    assert [(row.name, row.restarts) for row in rows] == [("elastic-0", 0), ("elastic-1-new", 2), ("elastic-2", 0)]


def test_the_table_of_many_pods_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainc.rehearse.output.live._INTERVAL", 0)
    outputs: list[str] = []
    table = Table(outputs.append, Colors(), lambda: (80, 11))
    run_with(table)
    assert max(text.count("\n") for text in outputs) < 11
    assert any("and 1 more" in text for text in outputs)


def _screen(output: str) -> tuple[list[str], int]:
    """Return the lines of a terminal after some output, and their largest width."""
    lines: list[str] = []
    row = widest = 0
    for up, clear, rest in re.findall(r"\x1b\[(\d+)F|\x1b\[([JK])|([^\x1b]+)", output):
        if up:
            row -= int(up)
        elif clear == "J":
            lines = lines[:row]
        elif rest:
            for line in rest.split("\n")[:-1] or [rest]:
                if line:
                    lines[row:] = [line, *lines[row + 1 :]]
                    widest = max(widest, sum(width for _, width in cells(line)))
            row += rest.count("\n")
    return lines, widest
