"""Small jobs for rehearsals with real launchers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import trainc
from tests.support.build import job_text
from trainc.plan.fields import Object
from trainc.plan.plan import Plan
from trainc.rehearse.events import Event
from trainc.rehearse.observer import Observer
from trainc.rehearse.options import Options
from trainc.rehearse.rehearse import rehearse
from trainc.rehearse.scenarios.registry import SCENARIOS, Scenario
from trainc.rehearse.verdict import Verdict

# Divides the waits that Kubernetes adds.
PACE = 5.0
LIFECYCLE = {"terminationGracePeriodSeconds": 10}

C10D = {"launch": {"torchrun": {"nprocPerNode": 2}}, "workers": 2, "lifecycle": LIFECYCLE}
FIXED_SIZE = {"launch": {"torchrun": {}}, "workers": 2, "lifecycle": LIFECYCLE}
ELASTIC = {
    "launch": {"torchrun": {"maxRestarts": 5, "rendezvous": {"backend": "c10d", "conf": {"last_call_timeout": 3}}}},
    "workers": 3,
    "elastic": {"minReplicas": 2, "maxReplicas": 3},
    "lifecycle": LIFECYCLE,
}
ELASTIC_PAIR = {**ELASTIC, "workers": 2, "elastic": {"minReplicas": 1, "maxReplicas": 2}}
METRIC = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
AUTOSCALED = {
    # Without workers: the autoscaler starts at its minimum.
    **{name: value for name, value in ELASTIC_PAIR.items() if name != "workers"},
    "elastic": {"minReplicas": 1, "maxReplicas": 2, "metrics": [{"type": "Resource", "resource": METRIC}]},
    "resources": {"cpu": 1, "memory": "1Gi"},
}
STATIC = {
    "launch": {"torchrun": {"rendezvous": {"backend": "static"}}},
    "workers": 2,
    "lifecycle": LIFECYCLE,
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
ETCD_PAIR = {"launch": {"torchrun": {"rendezvous": {"backend": "etcd-v2", "managed": True}}}, "workers": 2}
DEEPSPEED = {"launch": {"deepspeed": {"slotsPerWorker": 2}}, "workers": 2, "lifecycle": LIFECYCLE}
DEEPSPEED_SSH = {
    "launch": {"deepspeed": {"transport": "ssh", "sshSecret": "keys"}},
    "resources": {"gpu": 1},
    "workers": 2,
    "lifecycle": LIFECYCLE,
}
DEEPSPEED_PAIR = {"launch": {"deepspeed": {}}, "workers": 2}
ACCELERATE = {"launch": {"accelerate": {"nprocPerNode": 2}}, "workers": 2, "lifecycle": LIFECYCLE}
ACCELERATE_RESTARTS = {**ACCELERATE, "launch": {"accelerate": {"maxRestarts": 2}}}
ACCELERATE_SINGLE = {**ACCELERATE, "launch": {"accelerate": {}}, "workers": 1}
ACCELERATE_DEEPSPEED = {**ACCELERATE, "launch": {"accelerate": {"deepspeed": {"zeroStage": 3}}}}
ACCELERATE_ELASTIC = {
    "launch": {"accelerate": {"maxRestarts": 5}},
    "workers": 3,
    "elastic": {"minReplicas": 2, "maxReplicas": 3},
    "lifecycle": LIFECYCLE,
}
MPIRUN = {
    "launch": {"mpirun": {"port": 29500}},
    "workers": 2,
    "env": {"NCCL_DEBUG": "INFO"},
    "lifecycle": LIFECYCLE,
}
MPIRUN_SSH = {**MPIRUN, "launch": {"mpirun": {"port": 29500, "sshSecret": "keys"}}}
RAY = {
    "launch": {"ray": {"numCpus": 1, "objectStoreMemory": "100Mi"}},
    "workers": 2,
    "sharedMemory": "256Mi",
    "lifecycle": LIFECYCLE,
}
RAY_ELASTIC = {**RAY, "elastic": {"minReplicas": 1, "maxReplicas": 2}}
BASIC = {"launch": {"basic": {}}, "workers": 2, "lifecycle": LIFECYCLE}
JAX = {"launch": {"jax": {}}, "workers": 2, "lifecycle": LIFECYCLE}
JAX_PROCESSES = {"launch": {"jax": {"nprocPerNode": 2}}, "workers": 2, "lifecycle": LIFECYCLE}
BASIC_PROCESSES = {
    "launch": {"basic": {"nprocPerNode": 2}},
    "workers": 2,
    "volumes": [{"name": "shared", "mountPath": "/shared", "persistentVolumeClaim": {"claimName": "shared"}}],
    "shareFile": {"directory": "/shared/rendezvous"},
}


def objects(spec: dict[str, Any], backend: str = "job", **metadata: str) -> list[Object]:
    """Return the manifests of a job with these fields."""
    result = trainc.compile(job_text(metadata, **spec).encode(), backend=backend)
    assert result.ok, result.diagnostics
    return result.objects()


def run_scenario(
    name: str | Scenario,
    spec: dict[str, Any] | list[Object],
    python: str,
    backend: str = "job",
    expected: Plan | None = None,
    patience: float = 90.0,
    program: Path | None = None,
) -> Verdict:
    """Return the verdict of a scenario; its events go to the test's output."""

    def print_event(_: Observer | None, event: Event | None) -> None:
        if event is not None and event.kind != "dns":
            print(f"{event.at:6.1f} {event.pod} {event.kind} {event.text.rstrip()} {event.data}", file=sys.stderr)

    manifests = spec if isinstance(spec, list) else objects(spec, backend)
    options = Options(python=python, pace=PACE, expected=expected, patience=patience, timeout=300, program=program)
    return rehearse("mnist", manifests, SCENARIOS[name] if isinstance(name, str) else name, options, print_event)


def failed_expectations(verdict: Verdict) -> list[tuple[str, tuple[str, ...]]]:
    """Return the failed expectations with their evidence, or why there are none."""
    failed = [(check.expectation, check.evidence) for check in verdict.checks if not check.ok]
    return failed if verdict.checks else [(verdict.outcome, (verdict.reason,))]
