"""Start, readiness, restarts and deletion of pods, as by a kubelet."""

from __future__ import annotations

from typing import Any

from tests.rehearsal.run import Run, container, job, run_job, service
from trainc.rehearse.session import Session


def test_init_containers_run_in_order_before_the_others() -> None:
    inits = [container(f"sleep 0.3; echo {name}", name=name) for name in ("a", "b")]
    run = run_job(job("echo main", pod={"initContainers": inits}))
    assert run.lines() == ["a", "b", "main"]
    assert [event.container for event in run.events_of("init-started")] == ["a", "b"]


def test_a_failed_init_container_fails_a_pod_that_never_restarts() -> None:
    run = run_job(job("echo main", pod={"initContainers": [container("exit 3", name="a")]}))
    assert run.lines() == []
    assert run.events_of("pod-failed")[0].data == {"reason": "Error", "exit_code": 3}


def test_a_failed_init_container_restarts_with_its_pods_policy() -> None:
    script = "echo try; [ -e /v/once ] || { touch /v/once; exit 1; }"
    mounts = [{"name": "v", "mountPath": "/v"}]
    pod = {
        "restartPolicy": "OnFailure",
        "initContainers": [container(script, name="a", volumeMounts=mounts)],
        "volumes": [{"name": "v", "emptyDir": {}}],
    }
    run = run_job(job("echo main", pod=pod, spec={"backoffLimit": 6}), pace=100)
    assert run.lines() == ["try", "try", "main"]


def test_exit_codes_and_signals_are_distinguished() -> None:
    run = run_job(job("exit 137"))
    assert run.events_of("container-exited")[0].data == {"exit_code": 137, "signal": 0, "init": False}
    # The first process of a namespace can't kill itself by most signals, so it crashes.
    run = run_job(job(main={"command": ["python3", "-c", "import ctypes; ctypes.string_at(0)"]}))
    assert run.events_of("container-exited")[0].data == {"exit_code": 139, "signal": 11, "init": False}


def test_a_container_restarts_in_its_pod_with_backoff() -> None:
    pod = {"restartPolicy": "OnFailure", "volumes": [{"name": "v", "emptyDir": {}}]}
    script = "touch /var/tmp/mine; echo x >> /v/n; echo $(ls /var/tmp) $(wc -l < /v/n); [ $(wc -l < /v/n) = 3 ]"
    main = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    run = run_job(job(script, pod=pod, main=main, spec={"backoffLimit": 6}), pace=50)
    assert run.lines() == ["mine 1", "mine 2", "mine 3"]
    assert [event.data["restarts"] for event in run.events_of("container-restarted")] == [1, 2]
    assert len({event.pod for event in run.events if event.pod}) == 1
    ends, starts = run.events_of("container-exited"), run.events_of("container-restarted")
    pauses = [start.at - end.at for end, start in zip(ends, starts, strict=False)]
    assert pauses[0] >= 10 / 50
    assert pauses[1] >= 20 / 50


WAIT = "while :; do sleep 0.05; done"
TRAPS = f"trap 'echo SIGTERM; {{0}}' TERM; echo up; {WAIT}"


def run_and_delete(script: str, **more: Any) -> Run:
    with Session(job(script, **more)) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("up")
        session.delete()
        run.wait_for("pod-deleted")
    return run


def test_the_first_process_gets_sigterm_and_has_its_grace_period() -> None:
    run = run_and_delete(TRAPS.format("sleep 0.5; echo saved; exit 0"), pod={"terminationGracePeriodSeconds": 20})
    assert run.lines() == ["up", "SIGTERM", "saved"]
    assert run.events_of("container-exited")[0].data["exit_code"] == 0


def test_a_process_that_exceeds_its_grace_period_is_killed() -> None:
    run = run_and_delete(TRAPS.format("true"), pod={"terminationGracePeriodSeconds": 1})
    assert run.events_of("container-exited")[0].data == {"exit_code": 137, "signal": 9, "init": False}
    assert any("SIGKILL" in event.text for event in run.events_of("note"))


def test_a_first_process_without_a_handler_never_sees_sigterm() -> None:
    """The kernel ignores it for the first process of a namespace: https://man7.org/linux/man-pages/man7/pid_namespaces.7.html"""
    run = run_and_delete("echo up; exec sleep 100", pod={"terminationGracePeriodSeconds": 1})
    assert run.events_of("container-exited")[0].data["signal"] == 9


def test_the_pre_stop_hook_runs_before_sigterm() -> None:
    hook = {"preStop": {"exec": {"command": ["sh", "-c", "echo hook > /proc/1/fd/1; sleep 0.3"]}}}
    run = run_and_delete(TRAPS.format("exit 0"), main={"lifecycle": hook})
    assert run.lines() == ["up", "hook", "SIGTERM"]


def test_a_pod_is_ready_when_its_probe_succeeds() -> None:
    probe = {"exec": {"command": ["test", "-e", "/tmp/well"]}, "periodSeconds": 1}
    script = "sleep 0.5; touch /tmp/well; while [ ! -e /tmp/end ]; do sleep 0.05; done"
    with Session(job(script, main={"readinessProbe": probe}), pace=10) as session:
        run = Run(session)
        session.start()
        started = run.wait_for("container-started")
        ready = run.wait_for("pod-ready")
        assert ready.at - started.at >= 0.5
        assert run.pod(0).ready


def test_a_container_ends_after_a_probe_that_exceeded_its_timeout() -> None:
    command = ["sh", "-c", "touch /tmp/probed; exec sleep 99"]
    probe = {"exec": {"command": command}, "timeoutSeconds": 3, "periodSeconds": 1}
    run = run_job(job("until [ -e /tmp/probed ]; do sleep 0.1; done; sleep 4", main={"readinessProbe": probe}))
    assert run.events_of("job-complete")


def test_a_service_resolves_to_ready_pods_only() -> None:
    probe = {"tcpSocket": {"port": 80}, "periodSeconds": 1}
    serve = "import socket, time; time.sleep(1); s = socket.socket(); s.bind(('', 80)); s.listen(); time.sleep(99)"
    main = {"command": ["python3", "-c", serve], "readinessProbe": probe}
    resolve = "for n in ready early; do getent hosts $n > /dev/null && echo $n; done; "
    resolve += "until getent hosts ready; do sleep 0.1; done"
    objects = [
        *job(main=main, sidecars=[container(resolve, name="resolver")]),
        service("ready", publish_not_ready=False),
        service("early"),
    ]
    with Session(objects, pace=10) as session:
        run = Run(session)
        session.start()
        run.wait_for_line("ready.default.svc.cluster.local")
    assert run.lines(container="resolver")[0] == "early"


def test_a_sidecar_starts_first_and_ends_last() -> None:
    mounts = [{"name": "v", "mountPath": "/v"}]
    # The next container starts after the startup probe; without a probe it would start beside the script.
    sidecar = container(
        f"trap 'echo SIGTERM; echo bye; exit 0' TERM; echo up > /v/state; {WAIT}",
        name="side",
        restartPolicy="Always",
        volumeMounts=mounts,
        startupProbe={"exec": {"command": ["test", "-s", "/v/state"]}, "periodSeconds": 1},
    )
    pod = {"initContainers": [sidecar], "volumes": [{"name": "v", "emptyDir": {}}]}
    run = run_job(job("echo sidecar is $(cat /v/state)", pod=pod, main={"volumeMounts": mounts}))
    assert run.lines() == ["sidecar is up", "SIGTERM", "bye"]
    assert run.events_of("pod-succeeded")


def test_a_failed_liveness_probe_restarts_the_container() -> None:
    probe = {"exec": {"command": ["false"]}, "initialDelaySeconds": 30, "periodSeconds": 1, "failureThreshold": 2}
    main = {"livenessProbe": probe}
    pod = {"restartPolicy": "OnFailure"}
    with Session(job(TRAPS.format("exit 1"), main=main, pod=pod, spec={"backoffLimit": 6}), pace=20) as session:
        run = Run(session)
        session.start()
        run.wait_for("container-restarted")
    assert run.lines()[:2] == ["up", "SIGTERM"]


def test_a_container_without_a_command_is_skipped_with_a_note() -> None:
    fetch = {"name": "fetch", "image": "rclone/rclone:1", "args": ["copy", "s3:data", "/data"]}
    upload = {"name": "upload", "image": "fluent/fluent-bit:3", "restartPolicy": "Always"}
    run = run_job(job("echo trained", pod={"initContainers": [fetch, upload]}))
    assert run.lines() == ["trained"]
    assert [(event.container, event.text) for event in run.events_of("note", "demo-0")] == [
        (name, "not run: its command is only in its image") for name in ("fetch", "upload")
    ]
