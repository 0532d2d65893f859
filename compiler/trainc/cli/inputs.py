"""Files, --set and target options of a command, read and compiled."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from trainc.cli.directories import ListedFile
from trainc.cli.parameters import InvalidParameter
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error, in_order
from trainc.driver import Outcome, compile_inputs
from trainc.frontend import Input, read_sources
from trainc.record import Record
from trainc.source.load import MAXIMUM_BYTES, decode
from trainc.span import STDIN, Source, Span
from trainc.target import InvalidTarget, Target, parse_target
from trainc.typenames import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trainc.source.overrides import Override

Build = Callable[[list[Input], Target], Outcome]
JobContents = Literal["names", "manifests", "summaries"]
MANY = 64  # files; for fewer, another process costs more than it saves


class Cluster(Record):
    """Options that describe the cluster; `releases` are versions of controllers, NAME=VERSION."""

    namespace: str | None = None
    version: str | None = None
    domain: str | None = None
    releases: list[str] = []

    def target(self, backend: str) -> Target:
        """Return the target of a back end. Raises InvalidParameter for an invalid value."""
        try:
            return parse_target(backend, self.version, self.namespace, self.domain, self.releases)
        except InvalidTarget as problem:
            raise InvalidParameter(str(problem), problem.option) from None


class Scale(Record):
    """Processes for many files, by default one for each processor, and whether progress may be shown."""

    jobs: int | None = None
    shows_progress: bool = False


def compile_many(
    files: list[str], sets: list[str], target: Target, build: Build, scale: Scale, contents: JobContents
) -> Outcome:
    """Compile files like `compile_files`, many of them in several processes; the result is the same.

    `contents` are the parts that jobs must have in the outcome: names, also manifests, or also notes for summaries.
    """
    if len(files) >= MANY and all(map(_can_be_read_again, files)):
        from trainc.cli.chunks import compile_chunks

        outcome = compile_chunks(files, sets, target, build, scale, contents)
        if outcome is not None:
            return outcome
    return compile_files(files, sets, target, build)


def _can_be_read_again(name: str) -> bool:
    """Return whether a file can be read twice, unlike a stream. A missing file counts as readable."""
    return name != "-" and (os.path.isfile(name) or os.path.isdir(name) or not os.path.exists(name))


def compile_files(files: list[str], sets: list[str], target: Target, build: Build = compile_inputs) -> Outcome:
    """Compile files; errors of unreadable files are in the outcome."""
    return compiler(files, sets, build)(target)


def compiler(files: list[str], sets: list[str], build: Build = compile_inputs) -> Callable[[Target], Outcome]:
    """Read files once, and return a function that compiles them for a target, by `build`."""
    return source_compiler(*read_files(files), sets, build)


def source_compiler(
    sources: list[Source], errors: list[Diagnostic], sets: list[str], build: Build = compile_inputs
) -> Callable[[Target], Outcome]:
    """Return a function that compiles sources for a target; `errors` are those of files that can't be read."""
    overrides: list[Override] = []
    if sets:
        from trainc.schema.overrides import parse_overrides

        try:
            overrides = parse_overrides(sets)
        except Rejected as rejected:
            failed = Outcome(jobs=[], diagnostics=in_order(rejected.diagnostics))
            return lambda target: failed
    inputs = read_sources(sources, overrides)
    skipped: list[str] = []
    if build is compile_inputs and any(
        item.diagnostics and isinstance(item.source.name, ListedFile) for item in inputs
    ):
        from trainc.cli.skipped import inputs_with_jobs

        inputs, skipped = inputs_with_jobs(inputs)

    def compile_for(target: Target) -> Outcome:
        outcome = build(inputs, target)
        if errors:
            outcome = Outcome(jobs=[], diagnostics=in_order([*errors, *outcome.diagnostics]))
        return outcome.replace(skipped=skipped) if skipped else outcome

    return compile_for


def read_files(files: list[str], limit: int = MAXIMUM_BYTES) -> tuple[list[Source], list[Diagnostic]]:
    """Return the texts of files, and an error for each file that can't be read or is larger than the limit.

    A file named twice is read once. Raises InvalidParameter for a launch command in place of files.
    """
    sources: list[Source] = []
    errors: list[Diagnostic] = []
    for name in dict.fromkeys(files):
        try:
            # One byte more than the limit: a device or a pipe has no size, and may have no end.
            sources.append(decode(STDIN if name == "-" else name, _read(name, limit + 1), limit))
        except OSError as problem:
            start = Span(Source(name, ""), 1, 1, 1, 2)
            message, help_ = f"cannot read the file: {(problem.strerror or str(problem)).lower()}", None
            if isinstance(problem, IsADirectoryError):
                message = "the directory contains no .yaml or .yml file"
            elif isinstance(problem, FileNotFoundError):
                help_ = _missing_file(name, files)
            errors.append(error(codes.UNREADABLE_FILE, message, start, help=help_))
        except Rejected as rejected:
            errors += rejected.diagnostics
    return sources, errors


def _missing_file(name: str, files: list[str]) -> str | None:
    """Return the help about a missing file, which may be a directory. Raises InvalidParameter for a launch command."""
    if name == files[0]:
        from trainc.cli.unknown_command import launch_command_as_files

        error = launch_command_as_files(files)
        if error is not None:
            raise error
    if name.startswith("-") or os.path.splitext(name)[1]:
        return None
    return f"if it was a directory whose last job was deleted, {keep_directory(name)}"


def keep_directory(name: str) -> str:
    """Return the help for a directory that git removed with its last file."""
    import shlex

    folder = shlex.quote(os.path.normpath(name))
    return f"run `mkdir -p {folder} && touch {folder}/.gitkeep`: git keeps no empty directory"


def _read(name: str, size: int) -> bytes:
    if name == "-":
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read(size)
    with open(name, "rb") as file:
        return file.read(size)
