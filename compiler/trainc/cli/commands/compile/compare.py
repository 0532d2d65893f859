"""`trainc compile --check`: compare files with what would be written."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import partial

from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.invocation import without
from trainc.cli.leftovers import leftovers
from trainc.cli.notices import notify
from trainc.cli.output import Destination, manifest_files
from trainc.cli.streams import to_stderr, to_stdout
from trainc.cli.writer import read_file
from trainc.cli.writer.staging import is_unfinished
from trainc.compiled import Compiled
from trainc.diagnostics.cells import visible
from trainc.diagnostics.formats.github import annotation
from trainc.secrets.mask import Mask
from trainc.source.load import load
from trainc.source.node import plain
from trainc.span import Source

_Report = Callable[..., None]


def compare(jobs: list[Compiled], destination: Destination, *, has_all_jobs: bool, annotates: bool) -> int:
    """Print the differences; return the exit code. Raises OSError for a file that can't be read.

    `has_all_jobs`: all jobs of the folder are compiled, so that other manifests in it are left over. `annotates`:
    the problems are annotations of GitHub Actions.
    """
    texts = manifest_files(jobs, destination)
    report = partial(_report, annotates)
    stale = [path for path, text in texts.items() if _is_stale(path, text, report)]
    if is_unfinished(destination.folder):
        report("unfinished-write", destination.folder, "has an unfinished write")
        stale.append(destination.folder)
    left = leftovers(destination.path, texts) if has_all_jobs else []
    for path in left:
        report("manifest-left-over", path, "is left over: no job compiles to it")
    if not stale and not left:
        return OK
    notify("update-command", _update("--prune" if left else ""), severity="note")
    return WRONG_INPUT


def _report(annotates: bool, name: str, path: str, problem: str, severity: str = "error") -> None:
    message = f"{visible(path)} {problem}"
    if annotates and severity == "error":
        to_stderr(annotation("error", name.replace("-", " "), message, path))
    else:
        notify(name, message, f"{message}\n", severity=severity, file=path)


def _is_stale(path: str, compiled: str, report: _Report) -> bool:
    """Return whether a file is missing or has another text, and print what differs."""
    try:
        written = read_file(path)
    except FileNotFoundError:
        report("manifest-missing", path, "is missing")
        return True
    if written == compiled:
        return False
    report("manifest-out-of-date", path, "is out of date")
    documents = [*_documents(written), *_documents(compiled)]
    if any(map(_has_secret, documents)):
        report("difference-not-shown", path, "contains a Secret: the difference is not shown", "note")
        return True
    lines = difflib.unified_diff(
        written.encode("utf-8", "replace").decode().splitlines(keepends=True),
        compiled.splitlines(keepends=True),
        path,
        f"{path} (compiled)",
    )
    mask = Mask(written, compiled, *documents)
    to_stdout("".join(visible(mask(line).removesuffix("\n")) + "\n" for line in lines))
    return True


def _update(instead: str) -> str:
    """Return the advice to run the command without --check, or with another flag in its place."""
    command = without("--check", instead)
    how = f"with {instead} in place of" if instead else "without"
    return f"run `{command}` to update" if command else f"run the same command {how} --check to update"


def _has_secret(document: object) -> bool:
    """Return whether a document, or an object of a List, is a Secret, whose values may have any form."""
    if not isinstance(document, dict):
        return False
    items = document.get("items")
    return document.get("kind") == "Secret" or (isinstance(items, list) and any(map(_has_secret, items)))


def _documents(text: str) -> list[object]:
    """Return the YAML documents of a text as plain values; those before a syntax error."""
    return [plain(document) for document in load(Source("", text))[0]]
