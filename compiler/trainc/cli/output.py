"""Output of manifests: standard output, a file, or a folder with one file per job."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable

from trainc.cli.parameters import InvalidParameter
from trainc.cli.streams import to_stdout
from trainc.compiled import Compiled
from trainc.emit.manifest import to_json, to_yaml
from trainc.record import Record

STDOUT = "-"
_STDOUT = (STDOUT, "/dev/stdout", "/dev/fd/1")
_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")


class Destination(Record):
    """Output of the manifests, their format, and the input files, which they must not replace."""

    path: str
    form: str
    inputs: list[str]

    @property
    def is_stream(self) -> bool:
        """Return whether no file can replace the output."""
        return is_stream(self.path)

    @property
    def is_folder(self) -> bool:
        """Return whether each job gets a file of its own."""
        return is_folder(self.path)

    @property
    def folder(self) -> str:
        """Return the folder of the files."""
        return self.path if self.is_folder else os.path.dirname(os.path.realpath(self.path))


Writer = Callable[[list[Compiled], Destination, Collection[str]], None]  # like `write`


def choose_format(output: str, requested: str | None, by_extension: dict[str, str], default: str) -> str:
    """Return the format that is requested, or else that of the output's extension, or the default.

    Raises InvalidParameter if both are known and differ, and for an unknown extension without a requested format.
    """
    extension = os.path.splitext(output)[1] if not is_stream(output) and not is_folder(output) else ""
    implied = by_extension.get(extension)
    if extension and not (requested or implied):
        expected = ", ".join(by_extension)
        raise InvalidParameter(f"unknown extension of `{output}`; expected {expected}, or --format", "--output")
    if requested and implied not in (None, requested):
        problem = f"`{requested}` conflicts with the extension of `--output {output}`"
        raise InvalidParameter(problem, "--format")
    return requested or implied or default


def write(jobs: list[Compiled], destination: Destination, removed: Collection[str] = ()) -> None:
    """Write all manifests and remove files of the folder, or, with an OSError, change nothing.

    Raises InvalidParameter for an output that is an input.
    """
    if destination.is_stream:
        write_text(_text(jobs, destination.form), destination.path, destination.inputs)
        return
    from trainc.cli.writer import write_files

    write_files(manifest_files(jobs, destination), destination.path if destination.is_folder else None, removed)


def write_text(text: str | bytes, output: str, inputs: list[str]) -> None:
    """Write a text or the bytes of a file to standard output or a file. Raises OSError if it can't be written."""
    if output in _STDOUT:
        to_stdout(text)
        return
    from trainc.cli.writer import write_device, write_files

    if _is_device(output):
        write_device(output, text)
    else:
        _refuse_inputs([output], inputs)
        write_files({output: text})


def manifest_files(jobs: list[Compiled], destination: Destination) -> dict[str, str]:
    """Return the texts of all files to write, by path. Raises InvalidParameter for a stream or an input."""
    if destination.is_stream:
        raise InvalidParameter("--check requires a file or a directory", "--output")
    texts = {path or "": text for path, text, _ in manifest_texts(jobs, destination)}
    _refuse_inputs(texts, destination.inputs)
    return texts


def manifest_texts(jobs: list[Compiled], destination: Destination) -> list[tuple[str | None, str, list[Compiled]]]:
    """Return the path of each file, None for a stream, with its text and its jobs."""
    path, form = destination.path, destination.form
    if not destination.is_folder:
        return [(None if destination.is_stream else path, _text(jobs, form), jobs)]
    texts = _by_job(jobs, form).items()
    return [(os.path.join(path, name), text, [job]) for (name, text), job in zip(texts, jobs, strict=True)]


def is_stream(output: str) -> bool:
    """Return whether the output is standard output, a pipe or a device, which no file can replace."""
    return output in _STDOUT or _is_device(output)


def is_folder(output: str) -> bool:
    """Return whether the output is a folder, which may be missing."""
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def _refuse_inputs(outputs: Iterable[str], inputs: list[str]) -> None:
    """Raise InvalidParameter for an output that is an input, also through links, or where case is ignored."""
    read = {file_identity(0 if name == "-" else name) for name in inputs} - {None}
    for path in outputs:
        if file_identity(path) in read:
            raise InvalidParameter(f"{path} is an input, which the manifests would replace", "--output")


def file_identity(file: str | int) -> tuple[int, int] | None:
    """Return device and inode of a regular file by its path or handle, None if there is none."""
    try:
        state = os.stat(file)
    except OSError:
        return None
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


def _is_device(output: str) -> bool:
    special = os.path.exists(output) and not os.path.isfile(output)
    return output.startswith(_STREAMS) or (special and not is_folder(output))


def _text(jobs: list[Compiled], form: str) -> str:
    manifests = [manifest for job in jobs for manifest in job.manifests()]
    return to_json(manifests) if form == "json" else to_yaml(manifests)


def _by_job(jobs: list[Compiled], form: str) -> dict[str, str]:
    names = Counter(job.name for job in jobs)
    texts = {}
    for job in jobs:
        name = job.name
        if names[name] > 1:
            # Jobs in different namespaces may have the same name.
            name = f"{job.namespace or 'default'}-{name}"
            if name in names:
                raise InvalidParameter(f"two jobs have the same file name {name}.{form}", "--output")
        texts[f"{name}.{form}"] = _text([job], form)
    return texts
