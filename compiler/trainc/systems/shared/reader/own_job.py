"""Jobs that are read from trainc's own output."""

from __future__ import annotations

from trainc.source.node import Mapping, mappings, scalar_text
from trainc.systems.registry import System
from trainc.systems.shared.reader.own_fields import with_own_fields
from trainc.systems.shared.reader.own_objects import with_object_fields
from trainc.systems.shared.reader.own_output import is_own
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child
from trainc.well_known import JOB_LABEL

# Made from fields or local files that no manifest has: the job refers to them as to other people's objects.
_SEPARATE_KINDS = ("ComputeDomain",)


def read_own(job: Mapping, document: Mapping, report: TranslationReport, system: System) -> Mapping:
    """Return a job with the fields for which trainc's objects stand, which are parts of the job."""
    objects = [each for each in report.other_objects if _is_of_job(each, document, job)]
    report.own_objects = [document, *objects]
    for each in objects:
        if each not in report.peers:
            report.replaced_objects += [each] if each not in report.replaced_objects else []
            if not system.traits.operator:  # schemas and controllers of operators have no such parts
                report.parts += [each] if each not in report.parts else []
    return with_own_fields(with_object_fields(job, report.own_objects), report.own_objects)


def _is_of_job(each: Mapping, document: Mapping, job: Mapping) -> bool:
    """Return whether trainc emitted an object for a job that does not refer to it by its name."""
    same = [("metadata", "labels", JOB_LABEL), ("metadata", "namespace")]
    if not is_own(each) or any(scalar_text(child(each, *path)) != scalar_text(child(document, *path)) for path in same):
        return False
    volumes = mappings(child(job, "spec", "volumes"))
    files = [scalar_text(child(volume, "configMap", "name")) for volume in volumes]
    kind, name = scalar_text(each.get("kind")), scalar_text(child(each, "metadata", "name"))
    return kind not in _SEPARATE_KINDS and (kind != "ConfigMap" or name not in files)
