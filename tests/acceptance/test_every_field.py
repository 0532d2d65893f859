"""No field of a job file vanishes: it changes what a back end emits, or a diagnostic speaks of it."""

from __future__ import annotations

from functools import reduce
from operator import getitem
from typing import Any

import pytest

from tests.support.build import job_text
from tests.support.full_job import FULL
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import manifests, run
from trainc.frontend import read_sources
from trainc.schema.documents import JOB, document
from trainc.source.load import load
from trainc.source.node import plain
from trainc.span import Source
from trainc.systems.registry import NAMES
from trainc.target import Target

Object = dict[str, Any]
Path = tuple[str, ...]
FULL_SPEC: Object = plain(load(Source("full.yaml", FULL))[0][0])["spec"]
# Values of fields that the full job can't have beside its others, or that its back ends have by default.
OTHERS: Object = {
    "imagePullPolicy": "Always",
    "workers": 3,
    "mode": "debug",
    "launcherPod": {"mpiImplementation": "MPICH"},
    "cluster": "prod",
    "scheduling.queue": "team-a",
    "scheduling.runtime": "torch-tune",
    "lifecycle.backoffLimitPerIndex": 3,
    "lifecycle.exitCodes": {"fatal": [2]},
}
SECTIONS = ("", "scheduling", "network", "lifecycle")
REQUIRED = ("image", "launch", "run")
LAUNCHERS: Object = {"deepspeedjob": {"deepspeed": {}}, "mpijob": {"mpirun": {}}, "rayjob": {"ray": {}}}
CLUSTERS: dict[str, tuple[str, Object]] = {
    **{name: (name, {}) for name in NAMES},
    "trainjob with a runtime": ("trainjob", {"runtime": "torch-distributed"}),
}


def fields() -> dict[Path, Object]:
    """Return the schemas of the optional fields of the specification and of its sections of independent fields."""
    definitions = document(JOB)["definitions"]
    return {
        (*filter(None, [section]), name): schema
        for section in SECTIONS
        for name, schema in definitions[section.capitalize() or "Spec"]["properties"].items()
        if section or name not in (*REQUIRED, *SECTIONS)
    }


def values(path: Path, schema: Object) -> list[Any]:
    """Return all values of a field with few, else the full job's or another: one value may be a system's default."""
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [True, False]
    return [OTHERS[".".join(path)]] if ".".join(path) in OTHERS else [reduce(getitem, path, FULL_SPEC)]


def outcome(backend: str, spec: Object) -> tuple[str, list[Diagnostic]]:
    """Return the manifests, also of a rejected job, and the diagnostics."""
    source, target = Source("job.yaml", job_text({"namespace": "research"}, **spec)), Target(backend=backend)
    (item,) = read_sources([source])
    (job,) = item.specs
    return "".join(each.text for each in manifests(job, target)), run([source], target).diagnostics


def vanishes(path: Path, value: Any, backend: str, scheduling: Object) -> bool:
    """Return whether a job with the field has the manifests and the diagnostics of one without it."""
    launch = LAUNCHERS.get(backend, {"torchrun": {}})
    base: Object = {"launch": launch, "workers": 2, "resources": {"gpu": 1}, "scheduling": scheduling}
    *sections, field = path
    changed = {**base, path[0]: {**base.get(path[0], {}), field: value} if sections else value}
    (before, known), (after, diagnostics) = outcome(backend, base), outcome(backend, changed)
    new = {each.message for each in diagnostics} - {each.message for each in known}
    return before == after and not new


@pytest.mark.sample(10)
@pytest.mark.parametrize("path", fields(), ids=".".join)
def test_a_field_has_an_effect_or_a_diagnostic(path: Path) -> None:
    choices = values(path, fields()[path])
    vanished = [name for name, where in CLUSTERS.items() if all(vanishes(path, value, *where) for value in choices)]
    assert vanished == []
