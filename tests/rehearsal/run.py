"""Runs manifests to their end, and holds what happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainc.plan.fields import Object
from trainc.rehearse.events import Event, PodState
from trainc.rehearse.session import Session

SECONDS = 60  # after which a test has failed; none waits so long for anything


class Run:
    """What a rehearsal has told so far."""

    def __init__(self, session: Session, seconds: float = SECONDS) -> None:
        self.session, self.seconds = session, seconds
        self.events: list[Event] = []

    def until(self, wanted: Callable[[Event], bool]) -> Event:
        """The next event of this kind; fails if none comes."""
        for event in self.session.events(self.seconds):
            self.events.append(event)
            if wanted(event):
                return event
        raise AssertionError("it didn't come; there were:\n" + "\n".join(map(str, self.events)))

    def kind(self, kind: str, pod: str = "") -> Event:
        """The next event of a kind, of a pod whose name begins so."""
        return self.until(lambda one: one.kind == kind and one.pod.startswith(pod))

    def line(self, text: str, pod: str = "") -> Event:
        """The next line of output that has this in it."""
        return self.until(lambda one: one.kind == "line" and text in one.text and one.pod.startswith(pod))

    def pod(self, index: int) -> PodState:
        """The newest pod of an index."""
        return [one for one in self.session.pods if one.index == index and not one.server][-1]

    def lines(self, pod: str = "", container: str = "", stream: str = "") -> list[str]:
        """What was printed."""
        return [
            one.text
            for one in self.events
            if one.kind == "line"
            and one.pod.startswith(pod)
            and (not container or one.container == container)
            and (not stream or one.data["stream"] == stream)
        ]

    def all(self, kind: str, pod: str = "") -> list[Event]:
        """The events of a kind so far."""
        return [one for one in self.events if one.kind == kind and one.pod.startswith(pod)]


def ended(objects: list[Object], **how: Any) -> Run:
    """A job that has ended, and its pods with it."""
    with Session(objects, **how) as session:
        run = Run(session)
        session.start()
        run.until(lambda one: one.kind in ("job-complete", "job-failed"))
        run.events += session.events(0.2)
    return run


def container(script: str, name: str = "main", **more: Any) -> Object:
    """One that runs a shell script."""
    return {"name": name, "image": "example.org/none", "command": ["sh", "-c", script], **more}


def job(script: str = "true", pods: int = 1, **more: Any) -> list[Object]:
    """An Indexed Job `demo` with its headless Service. `more`: `spec` of the Job, `pod` of its pods, `main` of main."""
    spec = {"subdomain": "demo", "restartPolicy": "Never", **more.get("pod", {})}
    spec["containers"] = [container(script, **more.get("main", {})), *more.get("beside", [])]
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


def service(name: str, early: bool = True) -> Object:
    """A headless Service of all pods of `demo`."""
    spec = {"clusterIP": "None", "selector": {"app": "demo"}, "publishNotReadyAddresses": early}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def config_map(name: str, data: dict[str, str]) -> Object:
    """A ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
