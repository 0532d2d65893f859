"""Diagnostics of rules in the terms of another system's file: its names of fields, and only cures that exist there.

Rules write a field's name in backticks, or as a path like `launch.torchrun.maxRestarts`. The reader of a system has the
names in its files (NAMES). A help is a list of alternatives: those with a field that the file cannot have are left out.
"""

from __future__ import annotations

import re
from functools import cache

from trainc.diagnostics import codes
from trainc.diagnostics.advice import text_of
from trainc.diagnostics.diagnostic import Diagnostic, Related
from trainc.judge.position import span_at
from trainc.launchers.registry import field_flags
from trainc.schema.fields import paths
from trainc.source.node import Mapping
from trainc.span import Span
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.systems.shared.reader.field_names import ONLY_IN_JOB_FILES, POD_NAMES

# Names that trainc sets in the pods of its own jobs.
_OF_JOB_FILES = (codes.RESERVED_ENV, codes.RESERVED_LABEL, codes.POD_TEMPLATE_CONFLICT, codes.POD_TEMPLATE_OVERRIDE)
# A name at the start of a code span with what follows it there; or a path or a name in camelCase outside of one.
_STEP = "[A-Za-z][A-Za-z0-9]*"
_CODE = rf"`(?P<code>{_STEP}(?:\.{_STEP})*)(?P<rest>(?:: [^`]*)?)`"
_BARE = rf"(?<![\w`.$/-])(?P<bare>[a-z][A-Za-z0-9]*(?:\.{_STEP})+|[a-z]+[A-Z]\w*)(?![\w`(/-]|\.\w)"
_MENTION = re.compile(f"{_CODE}|{_BARE}")
_ASIDE = re.compile(r" \([^()]*\)")
_OTHER_SYSTEM = re.compile("--generate-ssh-key")
_VERBS = frozenset(
    (
        *("add", "choose", "create", "delete", "determine", "disable", "give", "label", "lower", "make", "mount"),
        *("move", "name", "pass", "pin", "put", "raise", "read", "reduce", "remove", "rename", "request", "run"),
        *("set", "split", "start", "stop", "use", "write"),
    )
)


def in_terms_of_file(diagnostics: list[Diagnostic], job: ForeignJob, in_own_system: bool) -> list[Diagnostic]:
    """Return diagnostics with the names of the file; in the job's own system those that hold there."""
    names = {**field_flags(), **POD_NAMES, **getattr(job.system.part("reader"), "NAMES", {})}
    if in_own_system:
        diagnostics = [each for each in diagnostics if each.code not in _OF_JOB_FILES]
    return [_in_terms_of(diagnostic, job.document, names, in_own_system) for diagnostic in diagnostics]


def in_terms_of_names(diagnostic: Diagnostic, names: dict[str, str]) -> Diagnostic:
    """Return a diagnostic with other names of fields. No edit of a job file fits another file."""
    return diagnostic.replace(
        message=_translated(diagnostic.message, names)[0],
        help=_translated(diagnostic.help, names)[0] if diagnostic.help else None,
        related=tuple(each.replace(message=_translated(each.message, names)[0]) for each in diagnostic.related),
        remedy=None,
    )


def _in_terms_of(diagnostic: Diagnostic, document: Mapping, names: dict[str, str], in_own_system: bool) -> Diagnostic:
    related = (
        Related(span=each.span, message=_translated(each.message, names)[0])
        for each in diagnostic.related
        if not _is_start(each.span, document)  # a value that only the translation has
    )
    others, span = tuple(related), diagnostic.span
    if _is_start(span, document):  # of no field; what it conflicts with may have a position
        span = others[0].span if others else span_at(document, ("metadata", "name"))
        others = others[1:]
    return diagnostic.replace(
        message=_translated(diagnostic.message, names)[0],
        span=span,
        help=_possible(_advice(diagnostic, in_own_system), names, in_own_system),
        related=others,
        remedy=diagnostic.remedy if in_own_system else None,  # no edit of a file for another system than its own
    )


def _is_start(span: Span, document: Mapping) -> bool:
    return (span.source, span.line, span.column) == (document.span.source, document.span.line, document.span.column)


def _advice(diagnostic: Diagnostic, in_own_system: bool) -> str:
    """Return the help of a diagnostic; in the job's own system without the alternatives that are other systems."""
    if not in_own_system or not diagnostic.advice:
        return diagnostic.help or ""
    return text_of(tuple(each for each in diagnostic.advice if not each.backends)) or ""


def _possible(help_: str, names: dict[str, str], in_own_system: bool) -> str | None:
    """Return the alternatives of a help that are possible in the file; each needs a verb if it is the first."""
    help_ = _ASIDE.sub(lambda aside: aside[0] if _translated(aside[0], names)[1] else "", help_)
    kept: list[str] = []
    for alternative in help_.split(", or "):
        text, is_complete = _translated(alternative, names)
        has_verb = alternative.partition(" ")[0] in _VERBS or bool(kept) or help_.startswith(alternative)
        if is_complete and has_verb and not (in_own_system and _OTHER_SYSTEM.search(alternative)):
            kept.append(text)
    return ", or ".join(kept) or None


def _translated(text: str, names: dict[str, str]) -> tuple[str, bool]:
    """Return a text with the names in the file, and whether the file can have all of its fields."""
    missing: list[str] = []

    def replace(match: re.Match[str]) -> str:
        mention, rest = match["code"] or match["bare"], match["rest"] or ""
        name = _name(mention, names) if match["bare"] or _is_field(mention, bool(rest)) else mention
        if name is not None and name.startswith("--") and rest:
            return f"`{name}={rest[2:]}`"
        if name is None or (rest and not name.endswith(mention.rpartition(".")[2])):
            missing.append(mention)
            return match[0]
        return f"`{name}{rest}`" if match["code"] else name

    return _MENTION.sub(replace, text), not missing


def _is_field(code: str, has_value: bool) -> bool:
    """Return whether the text of a code span is a field, and not a word of the user that happens to be one."""
    return "." in code or code != code.lower() or has_value or code in _paths()


def _name(mention: str, names: dict[str, str]) -> str | None:
    """Return the name of a field in the file, the mention itself if no job file has it, None if the file cannot."""
    path = mention.removeprefix("spec.")
    known = [each for each in _paths() if each == path or each.endswith(f".{path}")]
    if not known:
        parent, _, field = path.rpartition(".")
        inner = _name(parent, names) if parent else mention
        return mention if inner in (parent, mention) else inner and f"{inner}.{field}".lstrip(".")
    found = [name for name in (_name_of_path(each, names) for each in known) if name is not None]
    if not found:
        return None
    is_same = any(name == path or (path == mention and name.endswith(f".{path}")) for name in found)
    return path if is_same else found[0]


def _name_of_path(path: str, names: dict[str, str]) -> str | None:
    """Return the name of a path, or that of the field around it with the rest of the path."""
    steps = path.split(".")
    for length in range(len(steps), 0, -1):
        outer = ".".join(steps[:length])
        if outer in names:
            return ".".join(filter(None, (names[outer], *steps[length:])))
        if outer in ONLY_IN_JOB_FILES:
            return None
    return None


@cache
def _paths() -> tuple[str, ...]:
    """Return the paths of all fields of a job file, without `spec.` and brackets, outer fields first."""
    unique = (path.removeprefix("spec.").replace("[]", "") for path in paths())
    # A mode repeats fields of the job.
    return tuple(dict.fromkeys(path for path in unique if path.count(".") < 2 or not path.startswith("mode.")))
