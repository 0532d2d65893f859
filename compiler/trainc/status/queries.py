"""Commands of kubectl that print what `trainc status` reads, and that stop a job or run it again.

Events have no labels, so each job needs at least two calls: its objects by label, and all events of the namespace.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from trainc.record import Record
from trainc.systems.registry import DEFAULT, of_kind
from trainc.well_known import JOB_LABEL


class Lookup(Record):
    """Word of a query that ends with the output of another command; `before` is its beginning."""

    before: str
    command: tuple[str, ...]


Query = tuple[str | Lookup, ...]
# Kinds of the other objects that a plan follows from.
_OTHERS = ("service", "configmap", "horizontalpodautoscaler", "deployment", "pod")
_UNLABELED = ("event", "service", "horizontalpodautoscaler")
_WORKLOADS = "workload.kueue.x-k8s.io"


class Subject(Record):
    """Job in a cluster; `has_label` is whether trainc wrote it, so that all its objects have the label with its name.

    An empty namespace is that of kubectl's context, an empty API group the first of the kind's system. `is_queued` is
    whether Kueue admits it. `pods_of` is the value of its pods' label that its status has, empty if it is not known.
    """

    kind: str
    name: str
    namespace: str = ""
    has_label: bool = False
    is_queued: bool = False
    group: str = ""
    pods_of: str = ""

    @property
    def resource(self) -> str:
        """Kind as kubectl takes it, with its API group if it is an operator's: Volcano also has a kind Job."""
        system = of_kind(self.kind, f"{self.group}/")
        if system is None:
            return self.kind.lower()
        group = self.group or system.traits.api_versions[0].rpartition("/")[0]
        return f"{system.kind.lower()}.{group}" if "." in group else system.kind.lower()

    @property
    def selector(self) -> tuple[str, ...]:
        """Options of kubectl for the pods of the job; empty if they have no label of their own."""
        system = of_kind(self.kind, f"{self.group}/")
        label = JOB_LABEL if self.has_label else system.traits.job_label if system else ""
        if not label and self.pods_of and system:
            return ("-l", f"{system.traits.status_label[0]}={self.pods_of}")
        return ("-l", f"{label}={self.name}") if label else ()

    @property
    def in_namespace(self) -> tuple[str, ...]:
        """Option of kubectl for the namespace."""
        return ("-n", self.namespace) if self.namespace else ()


def queries(subjects: Iterable[Subject]) -> list[Query]:
    """Return the command lines for all jobs, each once."""
    return list(dict.fromkeys(query for subject in subjects for query in _queries(subject)))


def shell_line(commands: Sequence[Query]) -> str:
    """Return the commands and trainc as one line for a shell."""
    return f"({'; '.join(map(_shell_command, commands))}) | trainc status"


def _shell_command(query: Query) -> str:
    return " ".join(
        shlex.quote(word) if isinstance(word, str) else f'{word.before}"$({shlex.join(word.command)})"'
        for word in query
    )


def _queries(subject: Subject) -> list[Query]:
    system, resource = of_kind(subject.kind, f"{subject.group}/"), subject.resource
    # The managed fields tell whether an object that never ends by itself was scaled to zero, or is paused.
    managed = ("--show-managed-fields",) if system is not None and not system.traits.ends else ()
    workloads = (_WORKLOADS,) if subject.is_queued else ()
    delegate, templates = (system.traits.delegate, system.traits.templates) if system else ("", ())
    delegates = [_get(subject, delegate, "--field-selector", f"metadata.name={subject.name}")] if delegate else []
    if subject.has_label:
        kinds = ",".join(dict.fromkeys((resource, *templates, *_OTHERS)))
        own = _get(subject, kinds, *subject.selector, *managed)
        return [own, *delegates, _get(subject, ",".join(("event", *workloads)))]
    return [
        _get(subject, resource, subject.name, *managed),
        *delegates,
        *_pods(subject),
        _get(subject, ",".join((*_UNLABELED, *templates, *workloads))),
    ]


def _pods(subject: Subject) -> Iterator[Query]:
    """Yield the queries of a job's pods: all pods of the namespace if no label selects them.

    If the value of their label is in the job's status, the query looks it up, and another query has the launcher's pod,
    which lacks this label.
    """
    system = of_kind(subject.kind, f"{subject.group}/")
    label, field = system.traits.status_label if system else ("", "")
    if subject.selector or not system or not label:
        yield _get(subject, "pod", *subject.selector)
        return
    path = f"jsonpath={{.status.{field}}}"
    lookup = ("kubectl", "get", subject.resource, subject.name, *subject.in_namespace, "-o", path)
    yield _get(subject, "pod", "-l", Lookup(before=f"{label}=", command=lookup))
    launcher, value = system.traits.launcher_label
    yield _get(subject, "pod", "-l", f"{launcher}={value or subject.name}")


def _get(subject: Subject, *words: str | Lookup) -> Query:
    return ("kubectl", "get", *words, *subject.in_namespace, "-o", "json")


def follow_command(subject: Subject, pods: int | None = None) -> str:
    """Return the command that follows the logs of all pods; without their number it is for up to 100."""
    most = f"--max-log-requests={max(5, pods or 100)}"
    return shlex.join(("kubectl", "logs", "-f", *subject.selector, "--prefix", most, *subject.in_namespace))


def resume_command(subject: Subject) -> str:
    """Return the command that ends a pause; empty if no field of the job pauses it."""
    system = of_kind(subject.kind, f"{subject.group}/")
    if system is None or not system.traits.pause:
        return ""
    words = ("kubectl", "patch", subject.kind.lower(), subject.name, *subject.in_namespace)
    return shlex.join((*words, "--type", "merge", "-p", system.traits.resume_patch))


def delete_command(subject: Subject) -> str:
    """Return the command that deletes what has the pods. Services and volumes stay: the next run uses them again."""
    is_bare = subject.resource == "pod" and subject.selector
    which = subject.selector if is_bare else (subject.name,)
    return shlex.join(("kubectl", "delete", subject.resource, *which, *subject.in_namespace))


def run_again_command(subject: Subject, file: str = "") -> str:
    """Return the command that deletes the job and applies it again from its file."""
    apply = shlex.join(("kubectl", "apply", "-f", "-", *subject.in_namespace))
    if not subject.has_label:
        apply = shlex.join(("kubectl", "apply", "-f", file or "FILE", *subject.in_namespace))
        return f"{delete_command(subject)} && {apply}"
    return f"{delete_command(subject)} && {shlex.join(compile_command(subject, file))} | {apply}"


def compile_command(subject: Subject, file: str = "") -> tuple[str, ...]:
    """Return the command that compiles a job for its system."""
    system = of_kind(subject.kind, f"{subject.group}/")
    backend = ("-b", system.name) if system and system.name != DEFAULT else ()
    return ("trainc", "compile", file or "FILE", *backend)
