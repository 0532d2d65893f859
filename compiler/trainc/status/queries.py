"""Commands of kubectl that print what `trainc status` reads.

Events have no labels, so each job needs at least two calls: its objects by label, and all events of the namespace.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from trainc.record import Record
from trainc.systems.registry import of_kind
from trainc.well_known import JOB_LABEL

Query = tuple[str, ...]
# Kinds of the other objects that a plan follows from.
_OTHERS = ("service", "configmap", "horizontalpodautoscaler", "deployment", "pod")
_UNLABELED = ("event", "service", "horizontalpodautoscaler")
_WORKLOADS = "workload.kueue.x-k8s.io"


class Subject(Record):
    """Job in a cluster; `has_label` is whether trainc wrote it, so that all its objects have the label with its name.

    An empty namespace is that of kubectl's context, an empty API group the first of the kind's system. `is_queued` is
    whether Kueue admits it.
    """

    kind: str
    name: str
    namespace: str = ""
    has_label: bool = False
    is_queued: bool = False
    group: str = ""


def queries(subjects: Iterable[Subject]) -> list[Query]:
    """Return the command lines for all jobs, each once."""
    return list(dict.fromkeys(query for subject in subjects for query in _queries(subject)))


def shell_line(commands: Sequence[Query]) -> str:
    """Return the commands and trainc as one line for a shell."""
    return f"({'; '.join(map(shlex.join, commands))}) | trainc status"


def _queries(subject: Subject) -> list[Query]:
    system = of_kind(subject.kind, f"{subject.group}/")
    resource = subject.kind.lower()
    if system is not None:
        group = subject.group or system.traits.api_versions[0].rpartition("/")[0]
        resource = f"{system.kind.lower()}.{group}" if "." in group else system.kind.lower()
    # The managed fields tell whether an object that never ends by itself was scaled to zero, or is paused.
    managed = ("--show-managed-fields",) if system is not None and not system.traits.ends else ()
    workloads = (_WORKLOADS,) if subject.is_queued else ()
    delegate, templates = (system.traits.delegate, system.traits.templates) if system else ("", ())
    delegates = [_get(subject, delegate, "--field-selector", f"metadata.name={subject.name}")] if delegate else []
    if subject.has_label:
        kinds = ",".join(dict.fromkeys((resource, *templates, *_OTHERS)))
        own = _get(subject, kinds, "-l", f"{JOB_LABEL}={subject.name}", *managed)
        return [own, *delegates, _get(subject, ",".join(("event", *workloads)))]
    label = system.traits.job_label if system else ""
    selector = ("-l", f"{label}={subject.name}") if label else ()
    return [
        _get(subject, resource, subject.name, *managed),
        *delegates,
        _get(subject, "pod", *selector),
        _get(subject, ",".join((*_UNLABELED, *templates, *workloads))),
    ]


def _get(subject: Subject, *words: str) -> Query:
    namespace = ("-n", subject.namespace) if subject.namespace else ()
    return ("kubectl", "get", *words, *namespace, "-o", "json")
