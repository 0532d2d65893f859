"""Documents with another kind or version: the error, and the job that was probably intended."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.remedy import Remedy, put, replace
from trainc.schema.hints import similar
from trainc.source.node import Entry, Mapping, Node, Scalar, scalar_text
from trainc.spec.other_formats import format_of
from trainc.systems.registry import group_help, of_kind, readable_kinds
from trainc.well_known import API_VERSION, GROUP, KIND, PROJECT_KIND, is_own_group

_REQUIRED = {"kind": KIND, "apiVersion": API_VERSION}


def kind_errors(document: Node) -> list[Diagnostic]:
    """Return the errors of the kind and version: one for a document of another kind, in place of one a field."""
    start = document.span.first
    if not isinstance(document, Mapping):
        return [error(codes.NOT_A_TRAINING_JOB, "a training job must be a mapping", start, expected=f"kind: {KIND}")]
    is_intended = _is_intended(document)
    errors = [_error(document, name, is_intended) for name in _REQUIRED if not _is_right(document, name)]
    return errors if is_intended else errors[:1]


def intended_job(document: Node) -> Mapping | None:
    """Return a document with the right kind and version if a job was probably intended; None for all others."""
    if not isinstance(document, Mapping) or not _is_intended(document):
        return None
    entries = dict(document.entries)
    for name, required in _REQUIRED.items():
        span = document.where(name)
        key = entries[name].key if name in entries else Scalar(name, name, span)
        entries[name] = Entry(key, Scalar(required, required, span))
    return Mapping(entries, document.span)


def _is_intended(document: Mapping) -> bool:
    """Return whether a document has a spec, and a kind or version that is misspelled or missing, of no other group."""
    kind, version = document.get("kind"), document.get("apiVersion")
    is_scalar = isinstance(kind, Scalar | None) and isinstance(version, Scalar | None)
    if not is_scalar or not isinstance(document.get("spec"), Mapping):
        return False
    group, slash, _ = scalar_text(version).rpartition("/")
    if is_own_group(scalar_text(version)):
        name = scalar_text(kind).lower()
        is_near = not name or name.endswith("job") or similar(name, [KIND.lower()], 0.75) is not None
        return is_near and not (_is_right(document, "kind") and _is_right(document, "apiVersion"))
    is_near = not slash or similar(group, [GROUP], 0.75) is not None
    return is_near and scalar_text(kind).lower() == KIND.lower()


def _is_right(document: Mapping, name: str) -> bool:
    value = document.get(name)
    return isinstance(value, Scalar) and value.value == _REQUIRED[name]


def _error(document: Mapping, name: str, is_intended: bool) -> Diagnostic:
    required, value = _REQUIRED[name], document.get(name)
    text = scalar_text(value)
    shown = f"`{text}`" if text else "empty" if isinstance(value, Scalar) else "a collection"
    message = f"`{name}` is {shown}, which trainc does not compile"
    help_: str | None = None
    remedy: Remedy | None = None
    where = document.where(name)
    if value is None:
        message, where = f"the document has no `{name}`", document.span.first
        if is_intended:
            help_, remedy = f"write `{name}: {required}`", put((name,), required, safe=name == "kind")
        elif len({"image", "launch", "run"} & document.entries.keys()) > 1:
            help_ = f"write these fields in `spec`, below `apiVersion: {API_VERSION}`, `kind: {KIND}` and `metadata`"
        elif known := format_of(document, where.source.name):
            message = f"the file is {known[0]}, which trainc does not compile"
            return error(codes.NOT_A_TRAINING_JOB, message, where, expected=f"{name}: {required}", help=known[1])
    elif is_intended or text.lower() == required.lower():
        help_ = f"write `{required}`"
        remedy = replace(value.span, required, safe=text.lower() == required.lower())
    system = of_kind(text, scalar_text(document.get("apiVersion"))) if name == "kind" and not is_intended else None
    if system and system.traits.foreign_description:
        message += f": {system.traits.foreign_description}"
        help_ = system.traits.foreign_help
    elif not help_ and name == "kind" and text == "CronJob":
        help_ = "check its `jobTemplate` as a Job"
    elif (
        not help_ and name == "kind" and text == PROJECT_KIND and is_own_group(scalar_text(document.get("apiVersion")))
    ):
        help_ = "name job files: a project file is found in the directories above them"
    elif not help_ and name == "kind" and (advice := group_help(scalar_text(document.get("apiVersion")))):
        help_ = advice
    elif not help_ and name == "kind" and text.endswith("Job") and text != "Job":
        help_ = f"use one of the job kinds that trainc reads: {', '.join(readable_kinds())}"
    expected = f"{name}: {required}"
    return error(codes.NOT_A_TRAINING_JOB, message, where, expected=expected, help=help_, remedy=remedy)
