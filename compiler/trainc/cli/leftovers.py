"""Manifests in a folder of `-o DIR/` whose job is gone or was renamed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from trainc.cli.input_files import ListedFile, is_pattern
from trainc.cli.invocation import keep_directory
from trainc.cli.notices import notify
from trainc.cli.output import file_identity, is_folder
from trainc.cli.parameters import InvalidParameter
from trainc.cli.streams import to_stdout
from trainc.diagnostics.cells import visible
from trainc.source.load import MEBIBYTE, load
from trainc.source.node import Node, scalar_text
from trainc.span import Source
from trainc.systems.shared.objects.labels import COMPILER, MANAGED_BY
from trainc.systems.shared.reader.tree import child, items
from trainc.well_known import JOB_LABEL

_EXTENSIONS = (".yaml", ".yml", ".json")  # of files that kubectl applies
_MAXIMUM_BYTES = 64 * MEBIBYTE  # several times the 10,000 Pods of a job


PRUNE = "--prune"


def check_prune(prune: bool, output: str, inputs: list[str], check: bool) -> None:
    """Raise InvalidParameter for an output or inputs from which it doesn't follow what is left over."""
    if not prune:
        raise InvalidParameter("requires --prune", "--dry-run")
    if check:
        raise InvalidParameter("conflicts with --check, which reports such files", PRUNE)
    if not is_folder(output):
        raise InvalidParameter("requires -o DIR/", PRUNE)
    missing = [name for name in inputs if name != "-" and not os.path.lexists(name) and not is_pattern(name)]
    if missing:
        problem = f"{visible(missing[0])} does not exist; if its last job was deleted, {keep_directory(missing[0])}"
        raise InvalidParameter(problem, PRUNE)
    if not all(map(os.path.isdir, inputs)):
        raise InvalidParameter("requires directories as inputs: single files are not all jobs of the directory", PRUNE)


def leftovers(folder: str, current: Iterable[str]) -> list[str]:
    """Return the compiled files in a folder that are not among the current ones; none of them is a link."""
    written = {file_identity(path) for path in current}
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [os.path.join(folder, name) for name in names if name.endswith(_EXTENSIONS) and not name.startswith(".")]
    return [
        path
        for path in paths
        if stat.S_ISREG(os.lstat(path).st_mode) and file_identity(path) not in written and is_compiled(path)
    ]


def print_removed(paths: list[str], dry_run: bool = False) -> None:
    """Print the files that are removed, or would be."""
    if dry_run:
        to_stdout("".join(f"would remove {visible(path)}\n" for path in paths))
        return
    for path in paths:
        notify("manifest-removed", f"removed {visible(path)}", severity="note", file=path)


def without_compiled(files: list[str], folder: str) -> list[str]:
    """Return the files without those that an earlier run wrote into the folder, inside a directory of jobs."""
    parents = {os.path.dirname(name) for name in files if isinstance(name, ListedFile)}
    same = {parent for parent in parents if os.path.samefile(parent or os.curdir, folder)}
    return [
        name
        for name in files
        if not (isinstance(name, ListedFile) and os.path.dirname(name) in same and is_compiled(name))
    ]


def is_compiled(path: str) -> bool:
    """Return whether trainc wrote a file.

    Its first object has the labels of a job's objects, or the file has the name that trainc gives it for one of its
    objects: a job may override the label `managed-by`, and begin with objects of its user.
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(_MAXIMUM_BYTES)
    if JOB_LABEL not in text:
        return False
    stem = os.path.splitext(os.path.basename(path))[0]
    for number, item in enumerate(_objects(load(Source(path, text), _MAXIMUM_BYTES)[0])):
        job = scalar_text(child(item, "metadata", "labels", JOB_LABEL))
        manager = scalar_text(child(item, "metadata", "labels", MANAGED_BY))
        namespace = scalar_text(child(item, "metadata", "namespace")) or "default"
        if job and (stem in (job, f"{namespace}-{job}") or (number == 0 and manager == COMPILER)):
            return True
    return False


def _objects(documents: list[Node]) -> Iterator[Node]:
    for document in documents:
        yield from items(child(document, "items")) or [document]
