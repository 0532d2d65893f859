"""Diagnostics of rules for another system's file: its names of fields, and only alternatives of a help that it has.

The reader of a system has the names in its files (NAMES), POD_NAMES those that all pods have.
"""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.message import Message, Names, Phrase
from trainc.judge.position import span_at
from trainc.launchers.registry import field_flags
from trainc.source.node import Mapping
from trainc.span import Span
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.well_known import QUEUE_LABEL, QUEUE_PRIORITY_LABEL

_SAME = (
    *("image", "imagePullPolicy", "imagePullSecrets", "workingDir", "securityContext", "env", "envFrom"),
    *("resources.requests", "resources.limits", "volumes"),
)
# Fields of sections that a pod has without the section.
_UNNESTED = {
    "scheduling": (
        *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName", "schedulerName"),
    ),
    "lifecycle": ("terminationGracePeriodSeconds",),
    "network": ("hostNetwork",),
}
POD_NAMES: dict[str, str] = {
    **{name: name for name in _SAME},
    **{f"{section}.{name}": name for section, names in _UNNESTED.items() for name in names},
    "metadata": "metadata",
    "podTemplate": "template",
    "podTemplate.spec": "",
    "run": "args",
    "resources": "resources",
    "resources.cpu": "resources.requests.cpu",
    "resources.memory": "resources.limits.memory",
    "resources.gpu": "resources.limits",
    "scheduling.queue": f"metadata.labels[{QUEUE_LABEL}]",
    "scheduling.queue.name": f"metadata.labels[{QUEUE_LABEL}]",
    "scheduling.queue.priorityClass": f"metadata.labels[{QUEUE_PRIORITY_LABEL}]",
}
# Fields of a job file below a named one that a pod does not have.
ONLY_IN_JOB_FILES = (
    *("run.python", "run.module", "run.exec", "run.entrypoint", "resources.ephemeralStorage"),
    *("resources.gpu.count", "resources.gpu.resource", "resources.gpu.memory", "resources.gpu.cores"),
    "launch.torchrun.rendezvous.managed",
    *("volumes.claim", "volumes.mounts", "volumes.mountPath", "volumes.subPath", "volumes.readOnly"),
)


# Names that trainc sets in the pods of its own jobs.
_OF_JOB_FILES = (codes.RESERVED_ENV, codes.RESERVED_LABEL, codes.POD_TEMPLATE_CONFLICT, codes.POD_TEMPLATE_OVERRIDE)


def in_terms_of_file(diagnostics: list[Diagnostic], job: ForeignJob, in_own_system: bool) -> list[Diagnostic]:
    """Return diagnostics with the names of the file; in the job's own system those that hold there."""
    names = names_of({**field_flags(), **POD_NAMES, **getattr(job.system.part("reader"), "NAMES", {})})
    if in_own_system:
        diagnostics = [_without_backends(each) for each in diagnostics if each.code not in _OF_JOB_FILES]
    return [_with_positions(in_terms_of(each, names), job.document, in_own_system) for each in diagnostics]


def in_terms_of(diagnostic: Diagnostic, names: Names) -> Diagnostic:
    """Return a diagnostic with other names of fields, and with the alternatives whose fields have one."""
    advice = (_named(each, names) for each in diagnostic.advice)
    return diagnostic.replace(
        text=_named(diagnostic.text, names),
        advice=tuple(each for each in advice if isinstance(each, str) or each.is_possible),
        related=tuple(each.replace(text=_named(each.text, names)) for each in diagnostic.related),
    )


def names_of(names: dict[str, str]) -> Names:
    """Return the names of fields by paths; a field below one with a name has the rest of its path in the file, too."""

    def name_of(path: str, shown: str) -> str | None:
        name = _nearest(path, names)
        # Messages about job files shorten paths: so do these, if the file has the same name.
        return shown if name is not None and f".{name}".endswith(f".{shown}") else name

    return name_of


def _nearest(path: str, names: dict[str, str]) -> str | None:
    steps = path.split(".")
    for length in range(len(steps), 0, -1):
        outer = ".".join(steps[:length])
        if outer in names:
            return ".".join(filter(None, (names[outer], *steps[length:])))
        if outer in ONLY_IN_JOB_FILES:
            return None
    return None


def _named(text: Phrase, names: Names) -> Phrase:
    return text.named(names) if isinstance(text, Message) else text


def _without_backends(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic without the alternatives that are other systems."""
    advice = tuple(each for each in diagnostic.advice if isinstance(each, str) or not each.backends)
    return diagnostic.replace(advice=advice)


def _with_positions(diagnostic: Diagnostic, document: Mapping, in_own_system: bool) -> Diagnostic:
    """Return a diagnostic with positions in the file only: a value that only the translation has is at its start."""
    related = tuple(each for each in diagnostic.related if not _is_start(each.span, document))
    span = diagnostic.span
    if _is_start(span, document):  # of no field; what it conflicts with may have a position
        span = related[0].span if related else span_at(document, ("metadata", "name"))
        related = related[1:]
    remedy = diagnostic.remedy if in_own_system else None  # no edit of a file for another system than its own
    return diagnostic.replace(span=span, related=related, remedy=remedy)


def _is_start(span: Span, document: Mapping) -> bool:
    return (span.source, span.line, span.column) == (document.span.source, document.span.line, document.span.column)
