"""A pod as it is now, which its kubelet changes and its controller looks at."""

from __future__ import annotations

import uuid
from typing import Any

from trainc.plan.fields import Object
from trainc.plan.pods import Pod as PodDefinition
from trainc.rehearse.process import Process


class ContainerStatus:
    """Of a container."""

    def __init__(self, given: Object, sidecar: bool = False) -> None:
        self.given, self.sidecar = given, sidecar
        self.name = str(given.get("name", ""))
        self.process: Process | None = None
        self.env: dict[str, str] = {}
        self.restarts = 0
        self.started = self.ready = False
        self.exit_code: int | None = None  # of the last run, once it has ended
        self.over = False  # it isn't started again


class Pod:
    """All changes are made under the cluster's lock."""

    def __init__(self, definition: PodDefinition, number: int, server: bool, now: float) -> None:
        self.definition, self.number, self.server, self.created = definition, number, server, now
        self.uid = str(uuid.uuid4())
        self.ip = ""
        self.phase = "Pending"
        self.reason = ""
        self.ready = False
        self.known = True  # to the DNS
        self.has_room = True
        self.deleting = self.gone = False
        self.disrupted = False  # evicted, and not simply deleted: the condition DisruptionTarget
        self.grace: float | None = None
        self.counted = False  # by its controller
        self.ended = 0.0
        self.statuses: list[ContainerStatus] = []
        self.env: dict[str, str] = {}
        self.argv: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its full name."""
        return self.definition.name

    @property
    def is_finished(self) -> bool:
        """Whether it has ended for good."""
        return self.gone or self.phase in ("Succeeded", "Failed")

    @property
    def exit_code(self) -> int | None:
        """Of its first container that failed, else of its first."""
        codes = [one.exit_code for one in self.statuses if one.exit_code is not None]
        return next((code for code in codes if code), codes[0] if codes else None)

    def state(self) -> dict[str, Any]:
        """For the record of it."""
        return {
            "name": self.name,
            "index": self.definition.index,
            "phase": "Terminating" if self.deleting and not self.is_finished else self.phase,
            "ready": self.ready,
            "restarts": sum(one.restarts for one in self.statuses),
            "ip": self.ip,
            "uid": self.uid,
            "hostname": self.definition.hostname,
            "env": self.env,
            "argv": self.argv,
            "owner": self.definition.owner,
            "server": self.server,
            "exit_code": self.exit_code if self.is_finished else None,
        }
