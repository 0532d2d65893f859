"""Diagnostics of one translation, and scalars of the wrong YAML type, which are accepted where the intent is clear.

kubectl reads YAML 1.1: https://github.com/kubernetes-sigs/yaml/blob/v1.4.0/goyaml.v2/resolve.go
"""

from __future__ import annotations

import re
from typing import Any

from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, note, warning
from trainc.diagnostics.message import Help
from trainc.diagnostics.remedy import Remedy, remove, replace
from trainc.ir.launch import Hosts
from trainc.schema.hints import SWITCHES
from trainc.schema.paths import node_at
from trainc.source.node import Mapping, Node, Scalar, plain
from trainc.span import Span, Text
from trainc.systems.shared.pod_counts import excess

# Numbers in YAML 1.1 that are strings in YAML 1.2.
_YAML11_NUMBERS = re.compile(r"0[0-7]+|0b[01]+|[-+]?[0-9]+_[0-9_]*")


class TranslationReport:
    """Diagnostics of one translation.

    `other_objects` are the objects of the input that are not jobs; the reader adds those that the job makes obsolete
    to `replaced_objects`, and those that are part of the job, like its runtime, to `parts`. `own_objects` are the
    document and all others that trainc emitted for the job, empty for jobs of others. `peers` are the other documents
    of its kind that make one job with it. `job` is the translated job, also if there are errors. `faults` are
    findings about the document in its own system, which the translated job does not have. `equivalent` is the document
    of another system whose translation the job is, if trainc emits no such job for its own. `elsewhere` are the
    diagnostics that hold only for a translation to another system. `is_own` if trainc emitted the document, so that the
    job states all defaults; `debug_annotation` then has the command that starts the program in mode debug. `limit` is
    the error of a job with too many pods. `launcher_env` are variables that the job's launch sets, for a launcher in
    its program, `hosts` the host names of its workers, which users choose. `largest_job` is the number of pods of the
    largest Kubernetes Job if the workers are those of several.
    """

    def __init__(self, other_objects: list[Mapping] | None = None, peers: list[Mapping] | None = None) -> None:
        self.other_objects = other_objects or []
        self.peers = peers or []
        self.replaced_objects: list[Mapping] = []
        self.own_objects: list[Mapping] = []
        self.parts: list[Mapping] = []
        self.diagnostics: list[Diagnostic] = []
        self.job: Mapping | None = None
        self.faults: list[Diagnostic] = []
        self.elsewhere: list[Diagnostic] = []
        self.equivalent: Mapping | None = None
        self.limit: Diagnostic | None = None
        self.launcher_env: Node | None = None
        self.hosts: Hosts | None = None
        self.largest_job: int | None = None
        self.is_own = False
        self.debug_annotation: Text | None = None

    @property
    def failed(self) -> bool:
        """Return whether an error was added."""
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    def add_error(self, message: str, span: Span, *, expected: str | None = None, help: str | None = None) -> None:
        """Add an error: the other system rejects the value too, or trainc cannot interpret it."""
        self.diagnostics.append(error(codes.IMPORT_INVALID, message, span, expected=expected, help=help))

    def add_change(self, message: str, span: Span, help: Help | None = None, *, elsewhere: bool = False) -> None:
        """Add a note: the job has the same meaning, expressed differently; or only on other systems (`elsewhere`)."""
        self.diagnostics.append(note(codes.IMPORT_CHANGED_FIELD, message, span, help=help))
        if elsewhere:
            self.elsewhere.append(self.diagnostics[-1])

    def add_correction(
        self,
        message: str,
        span: Span,
        help: str | None = None,
        code: codes.Code = codes.WRONG_TYPE,
        remedy: Remedy | None = None,
    ) -> None:
        """Add a warning: the intent is clear; `code` says how the other system rejects or ignores the value."""
        self.diagnostics.append(warning(codes.IMPORT_CORRECTED, message, span, help=help))
        severity = warning if code is codes.IGNORED_BY_OPERATOR else error
        self.faults.append(severity(code, message, span, help=help, remedy=remedy))

    def add_ignored(self, message: str, span: Span, help: str | None = None) -> None:
        """Add a warning of the other system: the field has no effect there. The default of the help is to remove it."""
        remedy = remove(span, safe=True) if help is None else None
        help = help or "remove it"
        self.faults.append(warning(codes.IGNORED_BY_OPERATOR, message, span, help=help, remedy=remedy))

    def add_dropped(self, path: str, span: Span, why: str = "", help: str | None = None) -> None:
        """Add a warning: trainc has no equivalent of the field."""
        reason = f": {why}" if why else ""
        message = f"`{path}` is not carried over{reason}"
        self.diagnostics.append(warning(codes.IMPORT_DROPPED_FIELD, message, span, help=help))


def report_excess(document: Mapping, report: TranslationReport) -> None:
    """Set the limit of a report if the job, its runtime or its autoscaler exceeds it.

    It is checked before the pods and their names are computed.
    """
    owner = plain(document)
    for node in (document, *report.other_objects):
        excessive = excess(owner if node is document else plain(node), owner)
        if excessive is not None:
            field = node_at(node, excessive.path) or node
            message, expected = excessive.message, excessive.expected
            report.limit = error(codes.INVALID_VALUE, message, field.span, expected=expected)
            report.diagnostics.append(report.limit)
            return


def is_plain(node: Scalar) -> bool:
    """Return whether a string is written without quotes and on one line."""
    same_line = node.span.line == node.span.end_line
    return same_line and node.span.end_column - node.span.column == len(node.text)


def yaml11_boolean(node: Scalar) -> bool | None:
    """Return the boolean that kubectl reads for `yes`, `off` and the like; None for any other scalar.

    `yes`, `Yes` and `YES` are booleans in YAML 1.1, `yEs` is a string.
    """
    text = node.text
    if not isinstance(node.value, str) or not is_plain(node) or text not in (text.lower(), text.title(), text.upper()):
        return None
    boolean = SWITCHES.get(text.lower())
    return boolean == "true" if boolean else None


def coerce_string(node: Node, path: str, report: TranslationReport) -> Node:
    """Return a scalar as the string that was typed, with a warning if the API server reads another type."""
    if not isinstance(node, Scalar) or node.value is None:
        return node
    kubectl_reads = ""
    if isinstance(node.value, str):
        boolean = yaml11_boolean(node)
        if boolean is not None:
            kubectl_reads = f", but kubectl reads {str(boolean).lower()}"
        elif is_plain(node) and _YAML11_NUMBERS.fullmatch(node.text):
            kubectl_reads = ", but kubectl reads a number"
        else:
            return node
    message, remedy = f"`{path}` must be a string{kubectl_reads}", replace(node.span, node.text, safe=True)
    report.add_correction(message, node.span, f'write "{node.text}"', remedy=remedy)
    return Scalar(node.text, node.text, node.span)


def coerce_scalar(node: Scalar, kind: type, path: str, report: TranslationReport) -> Any:
    """Return the value of a kind that a scalar of another type means, with a warning; None if it has no such value."""
    if kind is str:
        coerce_string(node, path, report)
        return node.text
    if not isinstance(node.value, str):
        return None
    if kind is int:
        number = parse_count(node.text)
        if number is not None:
            remedy = replace(node.span, number, safe=True)
            report.add_correction(f"`{path}` must be a whole number", node.span, f"write {number}", remedy=remedy)
        return number
    text = node.text.lower()
    if yaml11_boolean(node) is None and text in ("true", "false"):
        remedy = replace(node.span, text == "true", safe=True)
        report.add_correction(f"`{path}` must be true or false", node.span, f"write {text}", remedy=remedy)
        return text == "true"
    return yaml11_boolean(node)
