"""Input files: directories and patterns that name them, and their texts."""

from __future__ import annotations

import os
import stat
import sys

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.source.load import MAXIMUM_BYTES, decode
from trainc.span import STDIN, Source, Span
from trainc.well_known import PROJECT_FILE

EXTENSIONS = (".yaml", ".yml")  # those that kubectl reads, but for JSON


class ListedFile(str):
    """Name of a file that comes from a directory or a pattern, and isn't an argument itself."""

    __slots__ = ()


def list_files(name: str) -> list[str]:
    """Return the files of a directory or a pattern like `jobs/**/*.yaml`; the name itself if there is none.

    A pattern skips hidden files, as in a shell.
    """
    if os.path.isdir(name):
        return yaml_files(name)
    if os.path.lexists(name) or not is_pattern(name):
        return [name]
    from glob import glob

    matches = sorted(glob(name, recursive=True))
    return [ListedFile(file) for match in matches for file in list_files(match) if not os.path.isdir(file)] or [name]


def is_pattern(name: str) -> bool:
    """Return whether a name may be a pattern, which a shell did not expand."""
    return not {"*", "?", "["}.isdisjoint(name)


def yaml_files(directory: str) -> list[str]:
    """Return the YAML files below a directory in order; the directory itself if there is none.

    Hidden files and directories, pipes and devices are skipped, and links to directories aren't followed.
    """
    files: list[str] = []
    for parent, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        files += [
            ListedFile(os.path.join(parent, name))
            for name in sorted(names)
            if name.endswith(EXTENSIONS) and not name.startswith(".") and not _is_special(os.path.join(parent, name))
        ]
    return files or [directory]


def _is_special(name: str) -> bool:
    """Return whether a name is that of a pipe, a device or a socket: reading it may never end."""
    try:
        return not stat.S_ISREG(os.stat(name).st_mode)
    except OSError:  # the error is reported when it is read
        return False


def job_files(files: list[str], jobs_only: bool = False, allows_empty: bool = False) -> list[str]:
    """Return the files, and in place of a directory or a pattern those that it contains, by name.

    `jobs_only`: files without a job are skipped also if they are named. `allows_empty`: a directory without files is
    left out, else it is an error to read it. Raises InvalidParameter for a launch command in place of files.
    """
    require_files(files)
    if not jobs_only and not any(os.path.isdir(name) or is_pattern(name) for name in files):
        return files
    contents = [name for file in files for name in list_files(file)]
    if allows_empty:
        contents = [name for name in contents if not os.path.isdir(name)]
    return [ListedFile(name) for name in contents] if jobs_only else contents


def require_files(files: list[str]) -> None:
    """Raise InvalidParameter for a launch command in place of files, which only import reads."""
    if files and files[0] == "command" and not os.path.lexists(files[0]):
        from trainc.cli.launch_commands import typed_command

        raise typed_command(files[1:])


def project_files(files: list[str]) -> dict[str, str]:
    """Return the project file of each file, in the nearest directory above it that has one; else a file is left out.

    That of standard input is above the working directory. Paths are relative if that of the file is.
    """
    nearest: dict[str, str | None] = {}
    projects: dict[str, str] = {}
    here = os.getcwd()
    for name in files:
        folder = os.path.dirname(name)
        if folder not in nearest:
            nearest[folder] = _project_above(os.path.normpath(os.path.join(here, folder)))
        project = nearest[folder]
        if project is not None:
            projects[name] = project if os.path.isabs(name) else os.path.relpath(project, here)
    return projects


def _project_above(folder: str) -> str | None:
    """Return the project file in a directory, which is absolute, or the nearest above it."""
    while True:
        path = os.path.join(folder, PROJECT_FILE)
        if os.path.isfile(path):
            return path
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


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
                from trainc.cli.launch_commands import missing_file_help

                help_ = missing_file_help(name, files)
            errors.append(error(codes.UNREADABLE_FILE, message, start, help=help_))
        except Rejected as rejected:
            errors += rejected.diagnostics
    return sources, errors


def _read(name: str, size: int) -> bytes:
    if name == "-":
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read(size)
    with open(name, "rb") as file:
        return file.read(size)
