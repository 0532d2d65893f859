"""Commands of a status: those that kubectl takes for the pods and objects of each system."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.unit.status.recordings import recorded, status
from trainc.status.commands import HANG_AFTER
from trainc.status.status import job_statuses
from trainc.status.times import newest


def commands(name: str) -> dict[str, str]:
    return {each.name: each.command for each in status(name).commands}


def test_a_running_job_can_be_followed_entered_stopped_and_run_again() -> None:
    assert commands("running") == {
        "logs": "kubectl logs -f mnist-0-jqszs -n running",
        "all logs": "kubectl logs -f -l trainc.dev/job=mnist --prefix --max-log-requests=5 -n running",
        "shell": "kubectl exec -it mnist-0-jqszs -n running -- sh",
        "stop": "kubectl delete job mnist -n running",
        "again": "kubectl delete job mnist -n running && trainc compile FILE | kubectl apply -f - -n running",
    }


def test_the_log_of_a_launcher_is_that_of_its_job() -> None:
    of_launcher = commands("mpijob-launcher")
    assert of_launcher["logs"] == "kubectl logs -f mnist-launcher-7p74v -n mpi"
    assert "all logs" not in of_launcher
    assert "trainc compile FILE -b mpijob" in of_launcher["again"]


def test_an_ended_job_has_no_shell() -> None:
    assert list(commands("per-index")) == ["logs", "delete", "again"]


def test_bare_pods_are_deleted_by_their_label() -> None:
    assert commands("pods")["stop"] == "kubectl delete pod -l trainc.dev/job=mnist -n pods"


def test_a_job_without_a_pod_can_be_stopped() -> None:
    assert list(commands("account")) == ["stop", "again"]


@pytest.mark.parametrize(("seconds", "is_old"), [(HANG_AFTER - 5, False), (HANG_AFTER + 5, True)])
def test_a_hang_is_explained_when_a_collective_would_have_timed_out(seconds: int, is_old: bool) -> None:
    objects = recorded("running")
    now = newest(objects)
    assert now
    (job,) = job_statuses(objects, now + timedelta(seconds=seconds))
    hangs = [each for each in job.commands if each.name == "hang"]
    assert bool(hangs) == is_old
    assert all("py-spy dump --pid ${p#/proc/}" in each.command for each in hangs)


def test_the_job_file_is_named() -> None:
    objects = recorded("running")
    now = newest(objects)
    assert now
    (job,) = job_statuses(objects, now, {"mnist": "my job.yaml"})
    assert "trainc compile 'my job.yaml' | kubectl apply" in job.commands[-1].command
