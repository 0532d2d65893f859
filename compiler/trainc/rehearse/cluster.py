"""Simulated cluster: pods, clock, events and one lock, shared by controllers, kubelets and DNS."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from trainc.plan.container import RuntimeValues
from trainc.plan.fields import Object
from trainc.plan.models import native_objects
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse import network
from trainc.rehearse.api_server import create_certificate
from trainc.rehearse.config_contents import Contents, resolve_contents
from trainc.rehearse.dns import Endpoint, dns_records
from trainc.rehearse.events import Program
from trainc.rehearse.image_substitute import Python, write_shims
from trainc.rehearse.pod import Pod


class PodRunner(Protocol):
    """Kubelet of one pod."""

    def run(self) -> None:
        """Run the pod until it has finished or is deleted."""

    def delete(self, grace: float | None, disrupted: bool) -> None:
        """End its containers and remove it; `grace` None is the pod's own grace period."""


class Settings:
    """Settings of a rehearsal, from the client's first message."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.python = Python(executable=settings["python"], folders=tuple(settings["folders"]))
        self.program = Program(file=Path(settings["program"])) if settings["program"] else None
        self.ranks_from_env: bool = settings["ranks_from_env"]
        self.layers: list[str] = [settings["image"]] if settings["image"] else []
        self.pace: float = settings["pace"]
        self.env: dict[str, str] = {**self.python.env, **settings["env"]}


class Cluster:
    """`write` sends a message to the client."""

    def __init__(
        self, objects: list[Object], settings: Settings, scratch: Path, write: Callable[[dict[str, Any]], None]
    ) -> None:
        self.objects, self.settings, self.scratch = objects, settings, scratch
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.pods: list[Pod] = []
        self.delays: dict[int, float] = {}
        self.dns_delays: dict[str, float] = {}
        self.shims = write_shims(settings.python.executable, scratch / "bin")
        self._write, self._started = write, time.monotonic()
        self.account = scratch / "account"
        self.has_account = create_certificate(self.account)
        self.contents: Contents
        self.contents, notes = resolve_contents(native_objects(objects))
        for note in notes:
            self.report("note", text=note)
        self._kubelets: dict[str, PodRunner] = {}
        self._kubelet_of: Callable[[Pod], PodRunner]
        self._answers: dict[tuple[str, str], list[str] | None] = {}

    def begin(self, kubelet_of: Callable[[Pod], PodRunner]) -> None:
        """Reset the clock to zero."""
        self._started, self._kubelet_of = time.monotonic(), kubelet_of

    @property
    def now(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def report(self, kind: str, pod: Pod | None = None, container: str = "", text: str = "", **data: Any) -> None:
        """Send an event and the state of its pod to the client."""
        with self.lock:
            name = pod.name if pod else ""
            event = {"at": self.now, "kind": kind, "pod": name, "container": container, "text": text, "data": data}
            self._write({"event": event, "state": pod.state() if pod and kind not in ("line", "dns") else None})
            self.changed.notify_all()

    def sleep(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Wait some seconds (None: forever), at most until a condition holds; return whether it holds."""
        with self.changed:
            return self.changed.wait_for(until, seconds)

    def notify(self) -> None:
        """Let all threads check their conditions again."""
        with self.lock:
            self.changed.notify_all()

    def create(self, definition: PodDefinition, server: bool = False) -> Pod:
        """Create a pod and start its kubelet."""
        with self.lock:
            pod = Pod(definition, len(self.pods) + 1, server)
            self.pods.append(pod)
            self.report("pod-created", pod, owner=definition.owner, index=definition.index, server=server)
            self._kubelets[pod.uid] = kubelet = self._kubelet_of(pod)
        threading.Thread(target=kubelet.run, daemon=True).start()
        return pod

    def delete(self, pod: Pod, grace: float | None, disrupted: bool = False) -> None:
        """Delete a pod like `kubectl delete pod`, without waiting; `grace` None is the pod's own grace period."""
        self._kubelets[pod.uid].delete(grace, disrupted)

    def runtime_values(self, pod: Pod) -> RuntimeValues:
        """Return the values of a pod's environment and volumes that are known only at run time."""
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        fields = {
            "status.podIP": pod.ip,
            "status.podIPs": pod.ip,
            "status.hostIP": network.GATEWAY,
            "status.hostIPs": network.GATEWAY,
            "metadata.uid": pod.uid,
            "spec.nodeName": f"node-{pod.definition.index}",
            "cpu": str(os.cpu_count() or 1),
            "memory": str(memory),
            "ephemeral-storage": str(memory // 2),
        }
        return RuntimeValues(fields=fields, contents=self.contents)

    def lookup(self, name: str, client: str) -> list[str] | None:
        """Answer a DNS query from a pod's address; None if the name doesn't exist."""
        with self.lock:
            delay = self.dns_delays.get(name.partition(".")[0], 0) or self.dns_delays.get(name, 0)
            endpoints = [
                Endpoint(pod=pod.definition, ip=pod.ip, ready=pod.ready and not pod.deleting)
                for pod in self.pods
                if pod.ip and not pod.is_finished and pod.in_dns
            ]
            answer = None if delay > self.now else dns_records(self.objects, endpoints).get(name)
            pod = next((pod for pod in self.pods if pod.ip == client and not pod.gone), None)
            if pod and self._answers.get((pod.name, name), []) != answer:
                self._answers[pod.name, name] = answer
                self.report("dns", pod, text=f"{name}: {', '.join(answer or ['NXDOMAIN'])}", name=name, answer=answer)
            return answer
