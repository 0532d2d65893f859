"""Snapshot of all messages of bad/, so that a change of wording is visible in review."""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.corpus import BAD, FOLDER, OWN_SYSTEM, POLICY, diagnose, read_expectation
from tests.support.files import assert_snapshot
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic


def entry(file: str, diagnostic: Diagnostic) -> str:
    """Return the text of a diagnostic: its position on the first line, its messages below."""
    lines = [f"{file} {diagnostic.span.line}:{diagnostic.span.column} {diagnostic.severity}"]
    lines.append(f"  {diagnostic.message}")
    lines += [f"  {name}: {text}" for name in ("expected", "help") if (text := getattr(diagnostic, name))]
    lines += [f"  {related.span.line}:{related.span.column}: {related.message}" for related in diagnostic.related]
    return "".join(f"{visible(line)}\n" for line in lines)


def snapshot() -> Iterator[str]:
    """Yield all entries, by code and then by file."""
    folders = {"": BAD, "own_system/": OWN_SYSTEM, "policy/": POLICY}
    files = [(f"{folder}{file.name}", file) for folder, members in folders.items() for file in members]
    entries = [(d.code.id, name, d) for name, file in files for d in diagnose(file, read_expectation(file).target)]
    heading = None
    for id, name, diagnostic in sorted(entries, key=lambda item: item[:2]):
        if id != heading:
            yield f"\n{diagnostic.code!r}\n\n" if heading else f"{diagnostic.code!r}\n\n"
            heading = id
        yield entry(name, diagnostic)


def test_messages_equal_the_snapshot(update_golden: bool) -> None:
    assert_snapshot(FOLDER / "messages.txt", "".join(snapshot()), update=update_golden, test=__file__)
