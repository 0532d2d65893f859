"""`trainc check --baseline FILE` and `--write-baseline FILE`: known findings, which are not reported until touched.

A finding is known by its code, its file, and the lines of its position and of the positions that it is related to: it
survives when lines move, but not when a value changes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator

from trainc.cli.input_files import read_files
from trainc.cli.invocation import without
from trainc.cli.notices import notify
from trainc.cli.output import write_text
from trainc.cli.parameters import InvalidConfiguration, InvalidParameter
from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.report import count_of
from trainc.source.load import MANIFESTS_BYTES, load
from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, scalar_text
from trainc.span import Span
from trainc.well_known import API_VERSION

KIND = "Baseline"
_OPTION, _WRITE = "--baseline", "--write-baseline"
_MAX_TEXT = 200  # characters of a line; a longer text is known by its hash
Key = tuple[str, str, tuple[str, ...]]  # code, file relative to the baseline, lines


class Baseline:
    """Known findings of a file, with their numbers. Lines that have moved are the same; changed ones are not."""

    def __init__(self, name: str) -> None:
        """Read a file. Raises InvalidParameter if it can't be read, and InvalidConfiguration if it is invalid."""
        self._name = name
        self._counts = Counter(dict(_entries(name)))

    def new(self, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """Return the diagnostics that are not known."""
        left = self._counts.copy()
        unknown: list[Diagnostic] = []
        for diagnostic in diagnostics:
            key = _key(diagnostic, self._name)
            if left[key] and not is_violation(diagnostic):
                left[key] -= 1
            else:
                unknown.append(diagnostic)
        self._left = left
        return unknown

    def report_gone(self, files: list[str]) -> None:
        """Print the number of known findings of these files that are gone; after `new`."""
        names = {_file(name, self._name) for name in files}
        gone = sum(number for (_, file, _), number in self._left.items() if file in names)
        if gone:
            message = f"{count_of(gone, 'finding')} of {visible(self._name)} {'are' if gone > 1 else 'is'} gone"
            command = without(_OPTION, _WRITE) or f"trainc check {_WRITE} {visible(self._name)}"
            help_ = f"run `{command}` to shorten it"
            notify("baseline-outdated", message, f"{message}: {help_}\n", severity="note", help=help_)


def write_baseline(name: str, diagnostics: list[Diagnostic], inputs: list[str]) -> None:
    """Write diagnostics as known findings, and print their number. Raises OSError if the file can't be written."""
    diagnostics = [each for each in diagnostics if not is_violation(each)]
    counts = Counter(_key(each, name) for each in diagnostics)
    lines = [json.dumps(_entry(key, number), ensure_ascii=False) for key, number in sorted(counts.items())]
    findings = "".join(f"\n{line}{',' if number < len(lines) else ''}" for number, line in enumerate(lines, 1))
    head = f'"apiVersion": {json.dumps(API_VERSION)}, "kind": {json.dumps(KIND)}'
    write_text(f'{{{head}, "findings": [{findings}\n]}}\n', name, inputs)
    count = count_of(len(diagnostics), "finding")
    notify("baseline-written", f"wrote {count} to {visible(name)}", severity="note", file=name)


def is_violation(diagnostic: Diagnostic) -> bool:
    """Return whether a finding is an error of the policy, which only `ignores` of the project file excuse."""
    return diagnostic.severity == "error" and diagnostic.code in codes.POLICY


def _entry(key: Key, number: int) -> dict[str, object]:
    code, file, lines = key
    return {"code": code, "file": file, "lines": list(lines), **({"count": number} if number > 1 else {})}


def _key(diagnostic: Diagnostic, baseline: str) -> Key:
    spans = [diagnostic.span, *(each.span for each in diagnostic.related)]
    own = [span for span in spans if span.source.name == diagnostic.span.source.name]
    return diagnostic.code.id, _file(diagnostic.span.source.name, baseline), tuple(map(_text, own))


def _file(name: str, baseline: str) -> str:
    """Return the path of a file relative to the baseline, so that it is the same in any working directory."""
    folder = os.path.dirname(os.path.abspath(baseline))
    return os.path.relpath(os.path.abspath(name), folder).replace(os.sep, "/")


def _text(span: Span) -> str:
    """Return the text of the lines of a span, without indentation and with secrets hidden."""
    lines = [span.source.line(number).strip() for number in range(span.line, span.end_line + 1)]
    text = "\n".join(filter(None, lines)).encode("utf-8", "replace").decode()
    return text if len(text) <= _MAX_TEXT else f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _entries(name: str) -> Iterator[tuple[Key, int]]:
    sources, problems = read_files([name], MANIFESTS_BYTES)
    if problems:
        help_ = f"; `trainc check {_WRITE} {visible(name)}` writes it" if not os.path.lexists(name) else ""
        raise InvalidParameter(f"{name}: {problems[0].message}{help_}", _OPTION)
    documents, problems = load(sources[0], MANIFESTS_BYTES)
    if problems:
        raise InvalidConfiguration(*problems)
    tree: Node = documents[0] if documents else Mapping({}, Span(sources[0], 1, 1, 1, 2))
    if not isinstance(tree, Mapping) or scalar_text(tree.get("kind")) != KIND:
        raise _invalid(f"the file is not a baseline: it has no `kind: {KIND}`", tree.span.first)
    findings = tree.get("findings")
    if not isinstance(findings, Sequence):
        raise _invalid("`findings` must be a list", tree.where("findings"))
    if len(mappings(findings)) < len(findings.items):
        raise _invalid("each finding must be a mapping", findings.span.first)
    for item in mappings(findings):
        lines, count = item.get("lines"), item.get("count")
        number = count.value if isinstance(count, Scalar) else 1
        code, file = scalar_text(item.get("code")), scalar_text(item.get("file"))
        if not code or not file or not isinstance(lines, Sequence) or not isinstance(number, int) or number < 1:
            raise _invalid("a finding has `code`, `file`, `lines` and a positive `count`", item.span.first)
        yield (code, file, tuple(map(scalar_text, lines.items))), number


def _invalid(message: str, where: Span) -> InvalidConfiguration:
    help_ = f"run `trainc check {_WRITE} {visible(where.source.name)}` to write it again"
    return InvalidConfiguration(error(codes.INVALID_BASELINE, message, where, help=help_))
