"""`trainc compile --check`: compare files with what would be written."""

from __future__ import annotations

import difflib

from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.output import files, folder_of
from trainc.cli.staging import is_unfinished
from trainc.cli.streams import to_stderr, to_stdout
from trainc.cli.transaction import regular_file
from trainc.diagnostics.cells import visible
from trainc.driver import Compiled
from trainc.secrets.mask import Mask
from trainc.source.load import load
from trainc.source.node import plain
from trainc.span import Source


def compare(jobs: list[Compiled], output: str, form: str, inputs: list[str]) -> int:
    """Print the differences; return the exit code. Raises OSError for a file that can't be read."""
    stale = 0
    for path, compiled in files(jobs, output, form, inputs).items():
        try:
            regular_file(path)
            with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                written = file.read()
        except FileNotFoundError:
            to_stderr(f"{visible(path)} is missing\n")
            stale += 1
            continue
        if written == compiled:
            continue
        stale += 1
        to_stderr(f"{visible(path)} is out of date\n")
        lines = difflib.unified_diff(
            written.encode("utf-8", "replace").decode().splitlines(keepends=True),
            compiled.splitlines(keepends=True),
            path,
            f"{path} (compiled)",
        )
        mask = Mask(written, compiled, *_documents(written), *_documents(compiled))
        to_stdout("".join(visible(mask(line).removesuffix("\n")) + "\n" for line in lines))
    if is_unfinished(folder_of(output)):
        to_stderr(f"{visible(folder_of(output))}: an unfinished write was found\n")
        stale += 1
    if stale:
        to_stderr("run the same command without --check to update\n")
    return WRONG_INPUT if stale else OK


def _documents(text: str) -> list[object]:
    """Return the YAML documents of a text as plain values; those before a syntax error."""
    return [plain(document) for document in load(Source("", text))[0]]
