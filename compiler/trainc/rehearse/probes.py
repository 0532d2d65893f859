"""Probes of a container: started, ready, alive.

https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/
"""

from __future__ import annotations

import http.client
import signal
import socket
import ssl
import threading
from collections.abc import Callable

from trainc.plan.expand import expand
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.pod import ContainerStatus, Pod
from trainc.rehearse.process import Process


def watch(cluster: Cluster, pod: Pod, status: ContainerStatus, look: Callable[[], None]) -> None:
    """Probe a container for as long as it runs, in threads of their own; `look` is called when it changes."""
    process = status.process
    assert process
    if not mapping(status.given, "readinessProbe"):
        status.ready = status.started

    def started() -> None:
        status.started = True
        if not mapping(status.given, "readinessProbe"):
            ready(True)

    def ready(now: bool) -> None:
        with cluster.lock:
            status.ready = now and process.runs
            look()

    def kill(which: str) -> None:
        cluster.report("note", pod, status.name, f"its {which} has failed: it is stopped")
        process.send(signal.SIGTERM)
        grace = number(pod.definition.spec, "terminationGracePeriodSeconds")
        cluster.sleep(30 if grace is None else grace, lambda: not process.runs)
        process.kill()

    todo: tuple[tuple[str, Callable[[], None], Callable[[], None]], ...] = (
        ("startupProbe", started, lambda: kill("startupProbe")),
        ("readinessProbe", lambda: ready(True), lambda: ready(False)),
        ("livenessProbe", lambda: None, lambda: kill("livenessProbe")),
    )
    for which, well, ill in todo:
        probe = mapping(status.given, which)
        if probe:
            job = (cluster, status, process, probe, which, pod.ip, well, ill)
            threading.Thread(target=_repeat, args=job, daemon=True).start()


def _repeat(
    cluster: Cluster,
    status: ContainerStatus,
    process: Process,
    probe: Object,
    which: str,
    ip: str,
    well: Callable[[], None],
    ill: Callable[[], None],
) -> None:
    pace = cluster.settings.pace
    cluster.sleep((number(probe, "initialDelaySeconds") or 0) / pace, lambda: not process.runs)
    good = bad = 0
    while process.runs and not cluster.closing:
        if which == "startupProbe" or status.started:
            if _passes(status, process, probe, ip):
                good, bad = good + 1, 0
                if good >= (number(probe, "successThreshold") or 1):
                    well()
                    if which == "startupProbe":
                        return
            else:
                good, bad = 0, bad + 1
                if bad >= (number(probe, "failureThreshold") or 3):
                    ill()
        cluster.sleep((number(probe, "periodSeconds") or 10) / pace, lambda: not process.runs)


def _passes(status: ContainerStatus, process: Process, probe: Object, ip: str) -> bool:
    timeout = float(number(probe, "timeoutSeconds") or 1)
    if "exec" in probe:
        values = status.env
        words = [expand(str(word), values) for word in listed(probe, "exec", "command")]
        return process.execute(words, values, timeout) == 0
    how = mapping(probe, "httpGet") or mapping(probe, "tcpSocket")
    host = text(how, "host") or ip
    port = _port(status.given, at(how, "port"))
    try:
        if "tcpSocket" in probe:
            socket.create_connection((host, port), timeout).close()
            return True
        if "httpGet" in probe:
            return _answers(how, host, port, timeout)
    except (OSError, http.client.HTTPException):
        return False
    return True  # of a kind that isn't imitated


def _answers(how: Object, host: str, port: int, timeout: float) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    if text(how, "scheme") == "HTTPS":  # the kubelet doesn't check certificates
        unchecked = ssl._create_unverified_context()  # noqa: S323
        connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=unchecked)
    try:
        headers = {text(one, "name"): text(one, "value") for one in items(how, "httpHeaders")}
        connection.request("GET", text(how, "path") or "/", headers=headers)
        return 200 <= connection.getresponse().status < 400
    finally:
        connection.close()


def _port(given: Object, port: object) -> int:
    if isinstance(port, int):
        return port
    named = (number(one, "containerPort") for one in items(given, "ports") if text(one, "name") == port)
    return next((one for one in named if one), 0)
