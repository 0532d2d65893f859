"""Run a job's manifests and record their events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from trainc.plan.fields import Object
from trainc.rehearse.events import Event, PodState
from trainc.rehearse.session import Session

SECONDS = 60  # timeout of each wait; none takes so long
RUN_UNTIL_SIGTERM = "trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done"


class Run:
    """A session and its events so far."""

    def __init__(self, session: Session, seconds: float = SECONDS) -> None:
        self.session, self.seconds = session, seconds
        self.events: list[Event] = []

    def wait_until(self, matches: Callable[[Event], bool]) -> Event:
        """Wait for the next matching event. Raises AssertionError at the timeout.

        If a virtual machine is paused, for example to move it, the pause counts as one second.
        """
        for _ in range(round(self.seconds)):
            for event in self.session.events(1.0):
                self.events.append(event)
                if matches(event):
                    return event
        events = "\n".join(map(str, self.events))
        raise AssertionError(f"no such event; events:\n{events}\nprocesses of the machine:\n{_processes()}")

    def wait_for(self, kind: str, pod: str = "") -> Event:
        """Wait for the next event of a kind, of a pod with a name prefix."""
        return self.wait_until(lambda event: event.kind == kind and event.pod.startswith(pod))

    def wait_for_line(self, text: str, pod: str = "") -> Event:
        """Wait for the next line of output that contains a text."""
        return self.wait_until(lambda event: event.kind == "line" and text in event.text and event.pod.startswith(pod))

    def pod(self, index: int) -> PodState:
        """Return the newest pod of an index."""
        return [pod for pod in self.session.pods if pod.index == index and not pod.server][-1]

    def lines(self, pod: str = "", container: str = "", stream: str = "") -> list[str]:
        """Return the lines of output so far."""
        return [
            event.text
            for event in self.events
            if event.kind == "line"
            and event.pod.startswith(pod)
            and (not container or event.container == container)
            and (not stream or event.data["stream"] == stream)
        ]

    def events_of(self, kind: str, pod: str = "") -> list[Event]:
        """Return the events of a kind so far."""
        return [event for event in self.events if event.kind == kind and event.pod.startswith(pod)]


def _processes() -> str:
    """Count the machine's processes by state, kernel function in which they wait, and command line."""
    found: Counter[str] = Counter()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if command:  # not a thread of the kernel
                found[f"{state} {(folder / 'wchan').read_text()} {command[:100]}"] += 1
    return "\n".join(f"{count} {process}" for process, count in found.most_common(50))


def run_job(objects: list[Object], **options: Any) -> Run:
    """Run a job until it completes or fails."""
    with Session(objects, **options) as session:
        run = Run(session)
        session.start()
        run.wait_until(lambda event: event.kind in ("job-complete", "job-failed"))
        run.events += session.events(0.2)
    return run


def container(script: str, name: str = "main", **fields: Any) -> Object:
    """Return a container that runs a shell script."""
    return {"name": name, "image": "example.org/none", "command": ["sh", "-c", script], **fields}


def job(script: str = "true", pods: int = 1, **more: Any) -> list[Object]:
    """Return an Indexed Job `demo` and its headless Service.

    `more` updates the Job's `spec`, its `pod` spec and its container `main`; `sidecars` and `objects` add to them.
    """
    spec = {"subdomain": "demo", "restartPolicy": "Never", **more.get("pod", {})}
    spec["containers"] = [container(script, **more.get("main", {})), *more.get("sidecars", [])]
    template = {"metadata": {"labels": {"app": "demo"}}, "spec": spec}
    head = {"completionMode": "Indexed", "completions": pods, "parallelism": pods, "backoffLimit": 0}
    return [
        service("demo"),
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "demo"},
            "spec": {**head, **more.get("spec", {}), "template": template},
        },
        *more.get("objects", []),
    ]


def service(name: str, publish_not_ready: bool = True) -> Object:
    """Return a headless Service of all pods of `demo`."""
    spec = {"clusterIP": "None", "selector": {"app": "demo"}, "publishNotReadyAddresses": publish_not_ready}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def config_map(name: str, data: dict[str, str]) -> Object:
    """Return a ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
