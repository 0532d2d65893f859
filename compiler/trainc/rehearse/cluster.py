"""What all parts of a rehearsal share: the pods, the time, what has happened, and one lock."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from trainc.plan.container import RuntimeValues
from trainc.plan.fields import Object
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse import network
from trainc.rehearse.api_server import certificate
from trainc.rehearse.config_contents import Contents, resolve_contents
from trainc.rehearse.dns_records import Endpoint, dns_records
from trainc.rehearse.events import Program
from trainc.rehearse.image_substitute import Interpreter, shims
from trainc.rehearse.pod import Pod

Told = Callable[[dict[str, Any]], None]


class PodLifecycle(Protocol):
    """What leads a pod's life: its kubelet."""

    def run(self) -> None:
        """Until the pod is gone."""

    def delete(self, grace: float | None, disrupted: bool = False) -> None:
        """Begin to end it."""


class Settings:
    """How a rehearsal is done."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.python = Interpreter(executable=given["python"], folders=tuple(given["folders"]))
        self.program = Program(file=Path(given["program"])) if given["program"] else None
        self.silent: bool = given["silent"]
        self.layers: list[str] = [given["image"]] if given["image"] else []
        self.pace: float = given["pace"]
        self.env: dict[str, str] = {**self.python.env, **given["env"]}


class Cluster:
    """`tell` is given what goes to the one who rehearses."""

    def __init__(self, objects: list[Object], settings: Settings, scratch: Path, tell: Told) -> None:
        self.objects, self.settings, self.scratch = objects, settings, scratch
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.pods: list[Pod] = []
        self.delays: dict[int, float] = {}
        self.dns_delays: dict[str, float] = {}
        self.closing = False
        self.root = scratch / "root"  # a mount point, in each container's own namespace
        self.root.mkdir()
        self.shims = shims(settings.python.executable, scratch / "bin")
        self._tell, self._began = tell, time.monotonic()
        self.account = scratch / "account"
        self.has_account = certificate(self.account)
        self.contents: Contents
        self.contents, notes = resolve_contents(objects)
        for note in notes:
            self.report("note", text=note)
        self._lives: dict[str, PodLifecycle] = {}
        self._born: Callable[[Pod], PodLifecycle]
        self._asked: dict[tuple[str, str], tuple[str, ...] | None] = {}

    def begin(self, born: Callable[[Pod], PodLifecycle]) -> None:
        """Set the clock to zero."""
        self._began, self._born = time.monotonic(), born

    @property
    def now(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    def report(self, kind: str, pod: Pod | None = None, container: str = "", text: str = "", **data: Any) -> None:
        """An event, and the state of its pod."""
        with self.lock:
            name = pod.name if pod else ""
            event = {"at": self.now, "kind": kind, "pod": name, "container": container, "text": text, "data": data}
            self._tell({"event": event, "state": pod.state() if pod and kind not in ("line", "dns") else None})
            self.changed.notify_all()

    def sleep(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Wait, but no longer than until something is so; returns whether it is."""
        with self.changed:
            return self.changed.wait_for(lambda: until() or self.closing, seconds) and until()

    def notify(self) -> None:
        """Let everybody look again."""
        with self.lock:
            self.changed.notify_all()

    def create(self, definition: PodDefinition, server: bool = False) -> Pod:
        """What a controller does; the kubelet takes it from there."""
        with self.lock:
            number = len(self.pods) + 1
            pod = Pod(definition, number, server, self.now)
            self.pods.append(pod)
            self.report("pod-created", pod, owner=definition.owner, index=definition.index)
            self._lives[pod.uid] = life = self._born(pod)
        threading.Thread(target=life.run, daemon=True).start()
        return pod

    def delete(self, pod: Pod, grace: float | None, disrupted: bool = False) -> None:
        """What `kubectl delete pod` does; None is the pod's own grace period. Returns at once."""
        self._lives[pod.uid].delete(grace, disrupted)

    def known(self, pod: Pod) -> RuntimeValues:
        """What a pod's variables and volumes can be told."""
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

    def lookup(self, name: str, asker: str) -> list[str] | None:
        """For the DNS."""
        with self.lock:
            late = self.dns_delays.get(name.partition(".")[0], 0) or self.dns_delays.get(name, 0)
            there = [one for one in self.pods if one.ip and not one.is_finished and one.known]
            ends = [Endpoint(pod=one.definition, ip=one.ip, ready=one.ready and not one.deleting) for one in there]
            found = None if late > self.now else dns_records(self.objects, ends).get(name)
            pod = next((one for one in self.pods if one.ip == asker and not one.gone), None)
            answer = None if found is None else tuple(found)
            if pod and self._asked.get((pod.name, name), ()) != answer:
                self._asked[pod.name, name] = answer
                shown = ", ".join(answer) if answer else "no such name"
                self.report("dns", pod, text=f"{name}: {shown}", name=name, answer=answer)
            return found
