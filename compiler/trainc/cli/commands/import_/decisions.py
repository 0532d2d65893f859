"""Differences between another system's job and its translation, from the plans of both.

The translation is compiled for the same system, or for the default back end if trainc emits nothing for that system.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from trainc.compiled import Input
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, note
from trainc.driver import manifests
from trainc.foreign.field_names import POD_NAMES
from trainc.judge.position import steps_to
from trainc.plan.changes import changes
from trainc.plan.facts import TEMPLATE, Fact, job_facts
from trainc.plan.fields import items, text, with_name
from trainc.plan.sample import EVERY_POD
from trainc.schema.paths import Path
from trainc.secrets.text import redact
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain, scalar_text
from trainc.span import Place
from trainc.spec.job import TrainingJob
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.systems.shared.reader.job_document import without_server_fields
from trainc.systems.shared.reader.tree import child
from trainc.target import Target


class Decisions(NamedTuple):
    """Lines about what the translation does otherwise, and the places of the values that it changes."""

    lines: list[Diagnostic]
    places: set[Place]


def decisions(item: Input, lost: set[Place]) -> Decisions:
    """Return what the translations of a file's jobs do otherwise than the jobs themselves.

    `lost` are the places of fields that are not carried over: their lines say what changes.
    """
    collected = Decisions(lines=[], places=set())
    for job in item.foreign:
        if job.spec is not None and "model" in job.system.parts:
            for diagnostic, places in _of_job(job.as_emitted, job.spec, lost):
                collected.lines.append(diagnostic)
                collected.places.update(places)
    return collected


def _of_job(job: ForeignJob, spec: TrainingJob, lost: set[Place]) -> Iterator[tuple[Diagnostic, set[Place]]]:
    document, traits, is_emitted = without_server_fields(job.document), job.system.traits, "objects" in job.system.parts
    version = document.get("apiVersion")
    if is_emitted and isinstance(version, Scalar) and version.text != traits.api_versions[0]:
        message = f"`apiVersion`: `{traits.api_versions[0]}` instead of `{version.text}`"
        release = f"--target {traits.version_name}={version.text}" if version.text in traits.versions else ""
        help_ = f"compile with {release} to keep it" if release else None
        yield note(codes.IMPORT_CHANGED_FIELD, message, version.span, help=help_), {version.span.place}
    release = scalar_text(version)
    target = Target().for_resource(traits, release) if is_emitted else Target()
    head = {"apiVersion": release if release in traits.versions else traits.api_versions[0], "kind": traits.kind}
    original = with_name(_with_training_container({**plain(document), **head}, job), spec.metadata.name)
    parts = [plain(part) for part in job.parts]
    peers = [part for part in parts if part.get("kind") == traits.kind]  # Pods of one job, in their order
    beside = [plain(each) for each in job.report.replaced_objects if each not in job.report.parts]
    before = job_facts([*(part for part in parts if part not in peers), *beside, original, *peers])
    after = job_facts([manifest.data() for manifest in manifests(spec, target)])
    if not (before and after) and not traits.operator:
        return
    if not before or not after:
        rejections = job.system.part("model").operator_output(original, parts, EVERY_POD).faults
        reasons = ", ".join(each.message for each in rejections)
        why = redact(f"rejects the job: {reasons}") if reasons else "creates no pods"
        message = f"what trainc decides itself is not listed: {traits.operator} {why}"
        yield note(codes.IMPORT_CHANGED_FIELD, message, document.where("kind")), set()
        return
    for change in changes(before, after):
        paths = [_path(fact, job, document) for fact in change.facts]
        routes = [steps_to(document, path) for path in paths]
        # A field that the translation adds to one that is lost is another one.
        complete = [route for path, route in zip(paths, routes, strict=True) if len(route) > len(path) > 0]
        if any(place in lost for route in complete for step in route for place in step.places):
            continue
        exact = {step.span.place for route in routes if (step := route[-1]).is_value}
        yield note(codes.IMPORT_CHANGED_FIELD, change.message, routes[0][-1].span), exact


def _with_training_container(value: Any, job: ForeignJob) -> Any:
    """Return a document in which every pod template has a container with the name that the operator requires.

    Without it the operator rejects the job; the translation takes the first container.
    """
    name = job.system.traits.container
    if isinstance(value, list):
        return [_with_training_container(item, job) for item in value]
    if not name or not isinstance(value, dict):
        return value
    copy = {key: _with_training_container(inner, job) for key, inner in value.items()}
    containers = items(copy, "containers")
    if containers and all(text(container, "name") != name for container in containers):
        copy["containers"] = [{**containers[0], "name": name}, *containers[1:]]
    return copy


def _path(fact: Fact, job: ForeignJob, document: Mapping) -> Path:
    """Return the path of a fact in the document; of a field of a job file by its name in the system."""
    if fact.path[:1] == (TEMPLATE,):
        return (*(_template(document) or ()), *fact.path[1:])
    names = {**POD_NAMES, **getattr(job.system.part("reader"), "NAMES", {})}
    steps = fact.field.split(".")
    for length in range(len(steps), 0, -1):
        name = names.get(".".join(steps[:length]))
        if name is not None:
            return (*name.split("."), *steps[length:])
    return ()


def _template(node: Node, path: Path = ()) -> Path | None:
    """Return the path of the pod template; of several, that of the last role, whose template all workers get."""
    inside: list[tuple[str | int, Node]] = []
    if isinstance(node, Mapping):
        if isinstance(child(node, "spec", "containers"), Sequence):
            return path
        inside = list(node.items())
    elif isinstance(node, Sequence):
        inside = list(enumerate(node.items))
    paths = (_template(inner, (*path, step)) for step, inner in reversed(inside))
    return next((each for each in paths if each is not None), None)
