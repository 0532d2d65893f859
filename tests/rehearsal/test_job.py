"""Replacement, failure and completion of a Job's pods, as by the Job controller.

https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from __future__ import annotations

from typing import Any

from tests.rehearsal.run import RUN_UNTIL_SIGTERM, Run, job, run_job
from trainc.plan.fields import Object
from trainc.rehearse.session import Session

FAILS_IN_POD_1 = "[ $JOB_COMPLETION_INDEX = 1 ] && exit {0}; exit 0"


def test_each_index_has_its_own_pod() -> None:
    run = run_job(job("echo $JOB_COMPLETION_INDEX $(hostname)", pods=3))
    assert sorted(run.lines()) == ["0 demo-0", "1 demo-1", "2 demo-2"]
    assert run.events_of("job-complete")


def test_a_replacement_pod_has_a_new_name_and_the_same_hostname() -> None:
    volumes = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}
    main = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    script = "hostname; [ -e /v/once ] || { touch /v/once; exit 1; }"
    run = run_job(job(script, pod=volumes, main=main, spec={"backoffLimit": 6}), pace=50)
    assert run.lines() == ["demo-0", "demo-0"]
    assert len({event.pod for event in run.events_of("pod-created")}) == 2
    created, failed = run.events_of("pod-created")[1], run.events_of("pod-failed")[0]
    assert created.at - failed.at >= 10 / 50


def reason(run: Run) -> str:
    return str(run.events_of("job-failed")[0].data["reason"])


def test_exceeding_the_backoff_limit_fails_the_job() -> None:
    run = run_job(job("exit 1", spec={"backoffLimit": 1}), pace=100)
    assert (reason(run), len(run.events_of("pod-failed"))) == ("BackoffLimitExceeded", 2)


def test_container_restarts_count_as_failures() -> None:
    run = run_job(job("exit 1", pod={"restartPolicy": "OnFailure"}, spec={"backoffLimit": 2}), pace=100)
    assert reason(run) == "BackoffLimitExceeded"
    assert len(run.events_of("pod-created")) == 1


def per_index(**more: Any) -> Object:
    return {"backoffLimitPerIndex": 1, "backoffLimit": None, **more}


def test_one_failed_index_leaves_the_others() -> None:
    run = run_job(job(FAILS_IN_POD_1.format(1), pods=3, spec=per_index()), pace=100)
    assert reason(run) == "FailedIndexes"
    assert len(run.events_of("pod-succeeded")) == 2
    assert len(run.events_of("pod-failed", "demo-1")) == 2


def test_too_many_failed_indexes_end_the_others() -> None:
    script = "[ $JOB_COMPLETION_INDEX = 1 ] && exit 1; " + RUN_UNTIL_SIGTERM
    with Session(job(script, pods=2, spec=per_index(maxFailedIndexes=0, backoffLimitPerIndex=0)), pace=100) as session:
        run = Run(session)
        session.start()
        run.wait_for("job-failed")
        run.wait_for("pod-deleted", "demo-0")
    assert reason(run) == "MaxFailedIndexesExceeded"


def rules(*entries: Object) -> Object:
    return {"podFailurePolicy": {"rules": list(entries)}}


def test_a_failure_policy_fails_the_job_or_ignores_exit_codes() -> None:
    fail_job = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    assert reason(run_job(job("exit 42", spec={"backoffLimit": 6, **rules(fail_job)}))) == "PodFailurePolicy"
    fail_others = {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [42], "containerName": "main"}}
    run = run_job(job("exit 42", spec={"backoffLimit": 0, **rules(fail_others)}))
    assert reason(run) == "BackoffLimitExceeded"


def test_a_failure_policy_ignores_evictions_but_not_deletions() -> None:
    ignore = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    with Session(job(RUN_UNTIL_SIGTERM, spec=rules(ignore)), pace=100) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up")
        session.kill_pod(0, grace=0, evicted=True)
        run.wait_for("pod-deleted")
        run.wait_for_line("up")
        session.kill_pod(0, grace=0)
        run.wait_for("job-failed")
    assert reason(run) == "BackoffLimitExceeded"


def test_a_success_policy_terminates_the_other_pods() -> None:
    script = "[ $JOB_COMPLETION_INDEX = 0 ] && exit 0; " + RUN_UNTIL_SIGTERM
    with Session(job(script, pods=2, spec={"successPolicy": {"rules": [{"succeededIndexes": "0"}]}})) as session:
        run = Run(session)
        session.start()
        assert run.wait_for("job-complete").data["reason"] == "SuccessPolicy"
        assert run.events_of("pod-deleted", "demo-1") or run.wait_for("pod-deleted", "demo-1")


def test_a_deadline_fails_the_job() -> None:
    with Session(job(RUN_UNTIL_SIGTERM, spec={"activeDeadlineSeconds": 1})) as session:
        run = Run(session)
        session.start()
        run.wait_for("job-failed")
        assert run.events_of("pod-deleted") or run.wait_for("pod-deleted")
    assert reason(run) == "DeadlineExceeded"


def test_a_suspended_job_waits() -> None:
    with Session(job("echo up", spec={"suspend": True})) as session:
        run = Run(session)
        session.start()
        assert list(session.events(1)) == []
        session.resume()
        run.wait_for("job-complete")
    assert run.lines() == ["up"]


def test_parallelism_and_completions_scale_together() -> None:
    with Session(job(RUN_UNTIL_SIGTERM, pods=2, spec={"backoffLimit": 0})) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up", "demo-1")
        session.scale(3)
        run.wait_for_line("up", "demo-2")
        session.scale(1)
        run.wait_for("pod-deleted")
        run.wait_for("pod-deleted")
        assert [pod.index for pod in session.pods] == [0]
        assert session.finished is None


def test_parallelism_limits_running_pods() -> None:
    run = run_job(job("sleep 0.2", pods=3, spec={"parallelism": 1}))
    order = [event.kind for event in run.events if event.kind in ("pod-created", "pod-succeeded")]
    assert order == ["pod-created", "pod-succeeded"] * 3
