"""Output of manifests: standard output, a file, or a folder with one file per job."""

from __future__ import annotations

import os

import typer

from trainc.cli.streams import to_stdout
from trainc.driver import Compiled
from trainc.emit.manifest import to_json, to_yaml

_STDOUT = ("-", "/dev/stdout", "/dev/fd/1")


def write(jobs: list[Compiled], output: str, form: str) -> None:
    """Write all manifests or, with an OSError, none."""
    if output in _STDOUT:
        to_stdout(_text(jobs, form))
        return
    from trainc.cli.files import write_device, write_files

    if _is_device(output):
        write_device(output, _text(jobs, form))
        return
    texts = files(jobs, output, form)
    if _is_folder(output):
        _make_folder(output)
    write_files(texts)


def write_text(text: str, output: str) -> None:
    """Write a text to standard output or a file. Raises OSError if it can't be written."""
    if output in _STDOUT:
        to_stdout(text)
        return
    from trainc.cli.files import write_device, write_files

    if _is_device(output):
        write_device(output, text)
    else:
        write_files({output: text})


def files(jobs: list[Compiled], output: str, form: str) -> dict[str, str]:
    """Return the texts of all files to write, by path."""
    if output in _STDOUT or _is_device(output):
        raise typer.BadParameter("--check requires a file or a folder", param_hint="--output")
    if _is_folder(output):
        return {os.path.join(output, name): text for name, text in _by_job(jobs, form).items()}
    return {output: _text(jobs, form)}


def _is_folder(output: str) -> bool:
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def _is_device(output: str) -> bool:
    special = os.path.exists(output) and not os.path.isfile(output)
    return output.startswith("/dev/") or (special and not _is_folder(output))


def _make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, path) from None


def _text(jobs: list[Compiled], form: str) -> str:
    manifests = [manifest for job in jobs for manifest in job.manifests()]
    return to_json(manifests) if form == "json" else to_yaml(manifests)


def _by_job(jobs: list[Compiled], form: str) -> dict[str, str]:
    names = [job.job.name for job in jobs]
    texts = {}
    for job in jobs:
        name = job.job.name
        if names.count(name) > 1:
            # Jobs in different namespaces may have the same name.
            name = f"{job.job.namespace or 'default'}-{name}"
            if name in names:
                raise typer.BadParameter(f"two jobs have the same file name {name}.{form}", param_hint="--output")
        texts[f"{name}.{form}"] = _text([job], form)
    return texts
