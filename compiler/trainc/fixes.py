"""Fixes of rules' findings: edits of the file, each verified by building the edited file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from trainc.compiled import Input, Outcome
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.remedy import Fix
from trainc.frontend import read_sources
from trainc.schema.edits import Editor, apply_edits
from trainc.schema.remedies import fix_of_remedy
from trainc.span import Source

MAX_BUILDS = 50  # of a file, which may have thousands of findings
Build = Callable[[list[Input]], Outcome]


def with_fixes(outcome: Outcome, inputs: list[Input], build: Build) -> Outcome:
    """Return an outcome whose diagnostics have the fixes of their remedies."""
    diagnostics = {id(each): each for each in outcome.diagnostics}
    for item in inputs:
        own = [each for each in outcome.diagnostics if each.remedy and each.span.source is item.source]
        diagnostics |= {id(each): each.replace(fix=fix) for each, fix in _fixes(own, item, build)}
    return outcome.replace(diagnostics=list(diagnostics.values()))


def _fixes(diagnostics: list[Diagnostic], item: Input, build: Build) -> Iterator[tuple[Diagnostic, Fix]]:
    """Yield the fixes after which the diagnostic is gone and no other is new."""
    if not diagnostics:
        return
    before, editor = _count(build([item])), Editor(item.source)
    for diagnostic in diagnostics[:MAX_BUILDS]:
        fix = (
            fix_of_remedy(diagnostic.remedy, editor, diagnostic.span) if diagnostic.remedy and diagnostic.help else None
        )
        if fix is not None:
            text = apply_edits(item.source, list(fix.edits))
            after = _count(build(read_sources([Source(item.source.name, text)], (), item.projects)))
            if after <= before - Counter([_key(diagnostic)]):
                yield diagnostic, fix


def _count(outcome: Outcome) -> Counter[tuple[str, str]]:
    return Counter(map(_key, outcome.diagnostics))


def _key(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code.id, diagnostic.message
