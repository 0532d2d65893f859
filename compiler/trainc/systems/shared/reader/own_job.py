"""Simplify a job that is read from trainc's own output."""

from __future__ import annotations

from trainc.source.node import Mapping, scalar_text
from trainc.systems.registry import System
from trainc.systems.shared.reader.own_output import is_own
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.simplify import emitted_objects, simplify, simplify_exactly
from trainc.systems.shared.reader.tree import child
from trainc.target import Target
from trainc.well_known import JOB_LABEL


def simplify_own(job: Mapping, document: Mapping, report: TranslationReport, system: System) -> Mapping:
    """Return a job without the fields that make no difference on its system.

    Objects next to it that the back end emits, too, are parts of the job.
    """
    target = Target().for_resource(system.traits, scalar_text(document.get("apiVersion")))
    others = [each for each in report.other_objects if _belongs_to(each, document)]
    pods = [each for each in report.peers if each in others]
    simplify_job = simplify_exactly if system.traits.operator else simplify
    job = simplify_job(job, [document, *others], target)
    emitted = emitted_objects(job, target)
    for each in others:
        if _key(each) in emitted and each not in pods:
            report.replaced_objects += [each] if each not in report.replaced_objects else []
            if not system.traits.operator:  # schemas and controllers of operators have no such parts
                report.parts += [each] if each not in report.parts else []
    return job


def _belongs_to(other: Mapping, document: Mapping) -> bool:
    same = [("metadata", "labels", JOB_LABEL), ("metadata", "namespace")]
    return is_own(other) and all(scalar_text(child(other, *p)) == scalar_text(child(document, *p)) for p in same)


def _key(node: Mapping) -> tuple[str, str]:
    return scalar_text(node.get("kind")), scalar_text(child(node, "metadata", "name"))
