"""Verdicts of a real API server, with the operators' webhooks, about mutants of goldens, next to those of `check`."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.cluster.api import CREATED, Api, ApiError, Object
from tests.cluster.goldens import GOLDENS, key, objects
from tests.cluster.planned import without_marks
from tests.support.manifest_mutants import Mutant, mutant
from tests.support.openapi_values import Schema, Types
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import check_inputs
from trainc.frontend import read_sources
from trainc.plan.models import native_objects
from trainc.span import Source
from trainc.target import Target

# Kinds whose mutants are judged, and how often each is chosen.
KINDS = {"Job": 3, "Pod": 3, "StatefulSet": 3, "PyTorchJob": 3, "JobSet": 3, "MPIJob": 2, "TrainJob": 2}
SYSTEMS = ("job", "pods", "statefulset", "pytorchjob", "jobset", "mpijob", "trainjob")
NEIGHBOURS = {"TrainJob": "TrainingRuntime"}  # documents without which an object can't be judged
_SECONDS = 20  # until the webhook of an operator knows an object
# Verdicts about the cluster's state, which no manifest has.
STATES = (
    *("no PriorityClass with name", "integer value of priority", "error looking up service account"),
    *("RuntimeClass", "exceeded quota", "specified clusterTrainingRuntime must be created", "feature gate is disabled"),
)
ACCEPTED = (CREATED, 409)  # an object of the name may exist


class Verdict(NamedTuple):
    """Mutant, the message with which the cluster rejects it (empty if it doesn't), and the errors of `check`."""

    mutant: Mutant
    message: str
    errors: list[Diagnostic]

    @property
    def is_missed(self) -> bool:
        """Return whether `check` accepts what the cluster rejects."""
        return bool(self.message) and not self.errors

    @property
    def is_false_claim(self) -> bool:
        """Return whether `check` says that the cluster rejects what it accepts."""
        return not self.message and any(each.code is codes.REJECTED_BY_API_SERVER for each in self.errors)

    def __str__(self) -> str:
        errors = "; ".join(each.message for each in self.errors)
        return f"{self.mutant}\n  API server: {self.message[:300] or 'accepted'}\n  check: {errors or 'no error'}"


def openapi_types(api: Api) -> Types:
    """Return the types of all kinds of the server."""
    schemas: Schema = {}
    for path in sorted(api.call("GET", "/openapi/v3")["paths"]):
        if path.startswith("api"):
            schemas |= api.call("GET", f"/openapi/v3/{path}").get("components", {}).get("schemas", {})
    return Types(schemas)


def verdicts(api: Api, namespace: str, seed: int, count: int) -> Iterator[Verdict]:
    """Yield the verdicts about mutants of goldens; those that depend on the cluster's state are left out."""
    types, random = openapi_types(api), Random(seed)
    sources = _sources(namespace)
    while count:
        kind = random.choices(list(KINDS), list(KINDS.values()))[0]
        golden, index = random.choice(sources[kind])
        changed = mutant(key(golden), _near(objects(golden, namespace), index), 0, types, random)
        message = _rejection(api, changed.documents, namespace)
        if not any(state in message for state in STATES):
            known = _known_errors(golden, index)
            errors = [each for each in _errors(changed.documents) if (each.code.id, each.message) not in known]
            yield Verdict(changed, message, errors)
            count -= 1


def _sources(namespace: str) -> dict[str, list[tuple[Path, int]]]:
    """Return the documents of each kind by golden and index."""
    sources = defaultdict(list)
    for golden in GOLDENS:
        if golden.stem in SYSTEMS:
            for index, document in enumerate(objects(golden, namespace)):
                sources[document["kind"]].append((golden, index))
    return sources


def _near(documents: list[Object], index: int) -> list[Object]:
    """Return a document, and those without which it can't be judged."""
    kind = NEIGHBOURS.get(documents[index]["kind"])
    return [documents[index], *(each for each in documents if each["kind"] == kind)]


def _rejection(api: Api, documents: list[Object], namespace: str) -> str:
    """Return why the server rejects the first document, or what the plan says is created of it."""
    for each in documents[1:]:
        with suppress(ApiError):  # a warning
            api.apply(each)
    message = api.rejection(documents[0], namespace, ACCEPTED)
    deadline = time.monotonic() + _SECONDS
    unknown = [f'"{each["metadata"]["name"]}" not found' for each in documents[1:]]
    while any(each in message for each in unknown) and time.monotonic() < deadline:
        time.sleep(0.1)
        message = api.rejection(documents[0], namespace, ACCEPTED)
    if message or documents[0]["kind"] in ("Job", "Pod", "StatefulSet"):
        return message
    for created in native_objects(documents)[len(documents) :]:
        if created["kind"] in ("Job", "Pod", "StatefulSet", "Service"):
            plain = without_marks(created)
            plain["metadata"] = {**plain["metadata"], "namespace": namespace, "ownerReferences": []}
            if message := api.rejection(plain, namespace, ACCEPTED):
                return f"{created['kind']}: {message}"
    return ""


def _errors(documents: list[Object]) -> list[Diagnostic]:
    text = "\n---\n".join(json.dumps(each, indent=1, ensure_ascii=False) for each in documents)
    outcome = check_inputs(read_sources([Source("job.yaml", f"{text}\n")]), Target())
    return [each for each in outcome.diagnostics if each.severity == "error"]


@cache
def _known_errors(golden: Path, index: int) -> set[tuple[str, str]]:
    """Return the errors without the change: of a single document, for example, that its Service is missing."""
    return {(each.code.id, each.message) for each in _errors(_near(objects(golden, "default"), index))}
