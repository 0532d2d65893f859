"""Startup, readiness and liveness probes of a container.

https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/
"""

from __future__ import annotations

import http.client
import ipaddress
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
from trainc.well_known import GRACE_PERIOD


def start_probes(cluster: Cluster, pod: Pod, status: ContainerStatus, on_change: Callable[[], None]) -> None:
    """Probe a container while it runs, in threads; `on_change` is called when its readiness may have changed."""
    process, pace = status.process, cluster.settings.pace
    assert process
    has_readiness_probe = bool(mapping(status.manifest, "readinessProbe"))
    if not has_readiness_probe:
        status.ready = status.started

    def set_ready(ready: bool) -> None:
        with cluster.lock:
            status.ready = ready and process.runs
            on_change()

    def fail(name: str) -> None:
        if name == "readinessProbe":
            set_ready(False)
            return
        cluster.report("note", pod, status.name, f"{name} failed: the container is stopped")
        process.send(signal.SIGTERM)
        grace = number(pod.definition.spec, "terminationGracePeriodSeconds")
        cluster.sleep(GRACE_PERIOD if grace is None else grace, lambda: not process.runs)
        process.kill()

    def repeat(name: str, probe: Object) -> None:
        cluster.sleep((number(probe, "initialDelaySeconds") or 0) / pace, lambda: not process.runs)
        successes = failures = 0
        while process.runs:
            if name == "startupProbe" or status.started:
                if _passes(status, process, probe, pod.ip):
                    successes, failures = successes + 1, 0
                    if successes >= (number(probe, "successThreshold") or 1):
                        status.started = True
                        if name == "readinessProbe" or (name == "startupProbe" and not has_readiness_probe):
                            set_ready(True)
                        if name == "startupProbe":
                            cluster.notify()  # the next init container waits for a sidecar's start
                            return
                else:
                    successes, failures = 0, failures + 1
                    if failures >= (number(probe, "failureThreshold") or 3):
                        fail(name)
            cluster.sleep((number(probe, "periodSeconds") or 10) / pace, lambda: not process.runs)

    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        probe = mapping(status.manifest, name)
        if probe:
            threading.Thread(target=repeat, args=(name, probe), daemon=True).start()


def _passes(status: ContainerStatus, process: Process, probe: Object, ip: str) -> bool:
    timeout = float(number(probe, "timeoutSeconds") or 1)
    if "exec" in probe:
        command = [expand(str(word), process.env) for word in listed(probe, "exec", "command")]
        return process.execute(command, timeout) == 0
    target = mapping(probe, "httpGet") or mapping(probe, "tcpSocket")
    host = text(target, "host") or ip
    port = _port(status.manifest, at(target, "port"))
    try:
        ipaddress.ip_address(host)  # this machine must not resolve a name
        if "tcpSocket" in probe:
            socket.create_connection((host, port), timeout).close()
            return True
        if "httpGet" in probe:
            return _get_succeeds(target, host, port, timeout)
    except (OSError, ValueError, http.client.HTTPException):
        return False
    return True  # an unsupported kind of probe


def _get_succeeds(target: Object, host: str, port: int, timeout: float) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=timeout)
    if text(target, "scheme") == "HTTPS":  # the kubelet doesn't check certificates
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=context)
    try:
        headers = {text(header, "name"): text(header, "value") for header in items(target, "httpHeaders")}
        connection.request("GET", text(target, "path") or "/", headers=headers)
        return 200 <= connection.getresponse().status < 400
    finally:
        connection.close()


def _port(manifest: Object, port: object) -> int:
    if isinstance(port, int):
        return port
    numbers = (number(entry, "containerPort") for entry in items(manifest, "ports") if text(entry, "name") == port)
    return next((value for value in numbers if value), 0)
