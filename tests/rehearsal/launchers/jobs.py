"""Small jobs to rehearse with real launchers, and how their rehearsals are run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import trainc
from tests.support.build import text
from trainc.plan.fields import Object
from trainc.plan.plan import Plan
from trainc.rehearse.events import Event
from trainc.rehearse.observer import Observer
from trainc.rehearse.rehearse import Options, rehearse
from trainc.rehearse.scenarios.registry import Scenario, scenario
from trainc.rehearse.verdict import Verdict

# Waits of Kubernetes itself are divided by it.
PACE = 5.0
ENDS = {"terminationGracePeriodSeconds": 10}

C10D = {"launch": {"torchrun": {"nprocPerNode": 2}}, "workers": 2, "lifecycle": ENDS}
TWO = {"launch": {"torchrun": {}}, "workers": 2, "lifecycle": ENDS}
ELASTIC = {
    "launch": {"torchrun": {"maxRestarts": 5, "rendezvous": {"backend": "c10d", "conf": {"last_call_timeout": 3}}}},
    "workers": 3,
    "elastic": {"minReplicas": 2, "maxReplicas": 3},
    "lifecycle": ENDS,
}
PAIR = {**ELASTIC, "workers": 2, "elastic": {"minReplicas": 1, "maxReplicas": 2}}
METRIC = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
SCALED = {
    **PAIR,
    "elastic": {"minReplicas": 1, "maxReplicas": 2, "metrics": [{"type": "Resource", "resource": METRIC}]},
    "resources": {"cpu": 1, "memory": "1Gi"},
}
STATIC = {
    "launch": {"torchrun": {"rendezvous": {"backend": "static"}}},
    "workers": 2,
    "lifecycle": ENDS,
}
ETCD = {
    "launch": {
        "torchrun": {
            "maxRestarts": 5,
            "rendezvous": {"backend": "etcd-v2", "managed": True, "conf": {"last_call_timeout": 3}},
        }
    },
    "workers": 3,
    "elastic": {"minReplicas": 2, "maxReplicas": 3},
}
DEEPSPEED = {"launch": {"deepspeed": {"slotsPerWorker": 2}}, "workers": 2, "lifecycle": ENDS}
DEEPSPEED_SSH = {
    "launch": {"deepspeed": {"transport": "ssh", "sshSecret": "keys"}},
    "resources": {"gpu": 1},
    "workers": 2,
    "lifecycle": ENDS,
}
BASIC = {"launch": {"basic": {}}, "workers": 2, "lifecycle": ENDS}
BASIC_PROCESSES = {
    "launch": {"basic": {"nprocPerNode": 2}},
    "workers": 2,
    "volumes": [{"name": "shared", "mountPath": "/shared", "persistentVolumeClaim": {"claimName": "shared"}}],
    "shareFile": {"directory": "/shared/meeting"},
}


def objects(spec: dict[str, Any], backend: str = "job", **metadata: str) -> list[Object]:
    """The manifests of a job with these fields."""
    given = trainc.compile(text(metadata, **spec).encode(), backend=backend)
    assert given.ok, given.diagnostics
    return given.objects()


def rehearsed(
    name: str | Scenario,
    spec: dict[str, Any] | list[Object],
    python: str,
    backend: str = "job",
    expected: Plan | None = None,
    patience: float = 90.0,
    program: Path | None = None,
) -> Verdict:
    """The verdict of a scenario on this machine; what happens goes to the test's own output."""

    def shown(_: Observer | None, event: Event | None) -> None:
        if event is not None and event.kind != "dns":
            print(f"{event.at:6.1f} {event.pod} {event.kind} {event.text.rstrip()} {event.data}", file=sys.stderr)

    given = spec if isinstance(spec, list) else objects(spec, backend)
    options = Options(python=python, pace=PACE, expected=expected, patience=patience, timeout=300, program=program)
    return rehearse("mnist", given, scenario(name) if isinstance(name, str) else name, options, shown)


def wrong(verdict: Verdict) -> list[tuple[str, tuple[str, ...]]]:
    """What was other than it should be, and why nothing was judged."""
    found = [(one.expectation, one.evidence) for one in verdict.checks if not one.ok]
    return found if verdict.checks else [(verdict.outcome, (verdict.reason,))]
