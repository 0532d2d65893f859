"""Runtime state of a pod, written by its kubelet and read by its controller."""

from __future__ import annotations

import uuid
from typing import Any

from trainc.plan.fields import Object
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse.process import Process
from trainc.systems.shared.lifecycle import PodFailure


class ContainerStatus:
    """State of one container; `manifest` is its entry in the pod's spec."""

    def __init__(self, manifest: Object, sidecar: bool = False) -> None:
        self.manifest, self.sidecar = manifest, sidecar
        self.name = str(manifest.get("name", ""))
        self.process: Process | None = None
        self.restarts = 0
        self.started = self.ready = False
        self.exit_code: int | None = None  # of the last run that has exited
        self.finished = False  # never restarted again


class Pod:
    """State of one pod; all changes are made under the cluster's lock."""

    def __init__(self, definition: PodDefinition, number: int, server: bool) -> None:
        self.definition, self.number, self.server = definition, number, server
        self.uid = str(uuid.uuid4())
        self.ip = ""
        self.phase = "Pending"
        self.reason = ""
        self.ready = False
        self.in_dns = True
        self.is_schedulable = True
        self.deleting = self.gone = False
        self.disrupted = False  # evicted rather than deleted: has the condition DisruptionTarget
        self.grace: float | None = None
        self.counted = False  # by its controller
        self.statuses: list[ContainerStatus] = []
        self.env: dict[str, str] = {}
        self.argv: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Full name, with a random suffix if its controller adds one."""
        return self.definition.name

    @property
    def is_finished(self) -> bool:
        """Return whether the pod is gone, has succeeded or has failed."""
        return self.gone or self.phase in ("Succeeded", "Failed")

    @property
    def exit_code(self) -> int | None:
        """Exit code of the first container that failed, or else of the first one."""
        codes = [status.exit_code for status in self.statuses if status.exit_code is not None]
        return next((code for code in codes if code), codes[0] if codes else None)

    @property
    def failure(self) -> PodFailure:
        """Exit codes of its containers, and its conditions."""
        exits = tuple((each.name, each.exit_code) for each in self.statuses if each.exit_code is not None)
        return PodFailure(exits=exits, conditions=(("DisruptionTarget", "True"),) if self.disrupted else ())

    def state(self) -> dict[str, Any]:
        """Return the fields of its PodState."""
        return {
            "name": self.name,
            "index": self.definition.index,
            "phase": "Terminating" if self.deleting and not self.is_finished else self.phase,
            "ready": self.ready,
            "restarts": sum(status.restarts for status in self.statuses),
            "ip": self.ip,
            "uid": self.uid,
            "hostname": self.definition.hostname,
            "env": self.env,
            "argv": self.argv,
            "owner": self.definition.owner,
            "server": self.server,
            "exit_code": self.exit_code if self.is_finished else None,
        }
