"""Text and JSON of a status."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest

from tests.support.examples import ROOT
from tests.unit.status.recordings import FOLDER, of_kind, recorded, status, statuses
from trainc.diagnostics.cells import cells
from trainc.report import text as text_printer
from trainc.status.formats.html_page import html_page
from trainc.status.formats.json_document import to_json
from trainc.status.formats.report import report
from trainc.status.status import JobStatus, redact_statuses

PAGE = (ROOT / "docs" / "status.md").read_text("utf-8")
NAMES = sorted(file.stem for file in FOLDER.glob("*.json"))


def text(status: JobStatus, width: int) -> str:
    return text_printer.text([report(status)], width)


def lines(name: str) -> list[str]:
    return text(status(name), 80).splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_lines_fit_into_80_columns_except_commands(name: str) -> None:
    long = [line for line in lines(name) if sum(width for _, width in cells(line)) > 80]
    assert [line for line in long if "$ kubectl" not in line] == []


def test_workers_in_the_same_state_share_a_row() -> None:
    shown = lines("elastic")
    assert "mnist-0 … 3 (4 workers)   0–31  Running         0  0 s  4 nodes" in shown
    assert "mnist-4 … 5 (2 workers)      –  Pending         0  0 s  –" in shown


def test_a_timeout_in_the_past_is_overdue() -> None:
    job = status("quota")
    (waits,) = job.consequences
    assert waits.until is not None
    late = job.replace(now=waits.until + timedelta(seconds=1))
    assert ["(overdue)" in " ".join(text(each, 80).split()) for each in (job, late)] == [False, True]


def test_the_page_shows_a_recorded_status() -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown == text(status("backoff"), 80)


def test_control_characters_are_escaped() -> None:
    objects = recorded("image")
    for pod in of_kind(objects, "Pod"):
        pod["status"]["containerStatuses"][0]["state"]["waiting"]["message"] = "a\x1b[2Jb\u202ec"
    shown = text(statuses(objects)[0], 80)
    assert "ImagePullBackOff: a\\u001b[2Jb\\u202ec" in shown


def test_html_has_the_picture_with_the_state_of_each_worker() -> None:
    shown = html_page([status("backoff")])
    assert shown.startswith("<!doctype html>")
    assert re.findall(r'class="fill-(good|bad)" fill="#\w+" font-weight="650"[^>]*>([^<]*)<', shown) == [
        ("good", "Running"),
        ("bad", "exit-code"),
    ]
    assert '<span class="bad">●</span> mnist-1<small>exit code 1</small>' in shown


def test_html_escapes_messages_and_runs_nothing() -> None:
    objects = recorded("image")
    for pod in of_kind(objects, "Pod"):
        pod["status"]["containerStatuses"][0]["state"]["waiting"]["message"] = "<script>alert(1)</script>"
    shown = html_page(statuses(objects))
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "default-src 'none'" in shown


def keys(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(keys, value))
    return set(value) | set().union(*map(keys, value.values())) if isinstance(value, dict) else set()


def test_every_json_key_is_documented() -> None:
    documents = [json.loads(to_json(statuses(recorded(name)))) for name in NAMES]
    documented = set(re.findall(r"`(\w+)`", PAGE.partition("## JSON")[2]))
    assert keys(documents) - documented == set()


def test_json_has_the_fields_of_a_t9k_status() -> None:
    """https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md#deepspeedjob-状态"""
    (job,) = json.loads(to_json([status("backoff")]))
    assert job["phase"] == "Running"
    kinds = ["Initialized", "Running", "ReplicaFailure", "Completed", "Failed", "Paused"]
    assert [each["type"] for each in job["conditions"]] == kinds
    assert [each["status"] for each in job["conditions"]] == ["True", "True", "True", "False", "False", "False"]
    assert set(job["conditions"][0]) == {"type", "status", "lastTransitionTime", "reason", "message"}
    (task,) = job["tasks"]
    assert (task["type"], task["restartCount"]) == ("worker", 0)
    assert [(each["name"], each["phase"]) for each in task["status"]] == [
        ("mnist-0-tl65m", "Running"),
        ("mnist-1-gcpdq", "Failed"),
    ]
    assert all(each["uid"] for each in task["status"])
    assert task["status"][1]["containers"][0]["exitCode"] == 1
    counts = {"creating": 0, "deleted": 0, "failed": 1, "pending": 0, "running": 1, "succeeded": 0, "unknown": 0}
    assert job["aggregate"] == counts


def test_secrets_that_messages_repeat_are_hidden() -> None:
    objects = recorded("image")
    secret = "hunter2-hunter2"
    for each in of_kind(objects, "Job"):
        container = each["spec"]["template"]["spec"]["containers"][0]
        container["env"].append({"name": "DB_PASSWORD", "value": secret})
    for pod in of_kind(objects, "Pod"):
        pod["status"]["containerStatuses"][0]["state"]["waiting"]["message"] = f"can't log in with {secret}"
    redacted = redact_statuses(statuses(objects), plan_too=True)
    assert secret not in text(redacted[0], 80) + to_json(redacted) + html_page(redacted)
    assert "can't log in with ‹hidden›" in to_json(redacted)
