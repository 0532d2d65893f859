"""Where manifests go: standard output, a file, or a folder with a file for each job; whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator

import typer

from trainc.driver import Compiled
from trainc.emit.manifest import to_json, to_yaml


def write(jobs: list[Compiled], output: str, form: str) -> None:
    """Write all manifests. OSError when they can't be written, and then none are."""
    if output.endswith(("/", os.sep)) or os.path.isdir(output):
        os.makedirs(output, exist_ok=True)
        write_files({os.path.join(output, name): text for name, text in _by_job(jobs, form)})
        return
    text = _text(jobs, form)
    if output == "-":
        write_stdout(text)
    else:
        write_files({output: text})


def write_stdout(text: str) -> None:
    """All at once and at once to the reader, in UTF-8 whatever the locale is."""
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def write_files(texts: dict[str, str]) -> None:
    """Write beside, then rename: a reader sees the old file or the new one, and on an error all old ones."""
    written: list[tuple[str, str]] = []
    try:
        for path, text in texts.items():
            target = os.path.realpath(path)
            if os.path.exists(target) and not os.path.isfile(target):
                # A device or a pipe can't be replaced by a file.
                with open(target, "wb") as file:
                    file.write(text.encode())
                continue
            handle, beside = tempfile.mkstemp(prefix=".trainc-", dir=os.path.dirname(target))
            written.append((beside, target))
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            os.chmod(beside, _mode(target))
        for beside, target in written:
            os.replace(beside, target)
    finally:
        for beside, _ in written:
            if os.path.exists(beside):
                os.unlink(beside)


def _mode(path: str) -> int:
    """The file's own mode, or that of a new file."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _text(jobs: list[Compiled], form: str) -> str:
    manifests = [manifest for job in jobs for manifest in job.manifests()]
    return to_json(manifests) if form == "json" else to_yaml(manifests)


def _by_job(jobs: list[Compiled], form: str) -> Iterator[tuple[str, str]]:
    names = [job.job.name for job in jobs]
    for job in jobs:
        name = job.job.name
        if names.count(name) > 1:
            # Two namespaces may hold jobs of one name.
            name = f"{job.job.namespace or 'default'}-{name}"
            if name in names:
                raise typer.BadParameter(f"two jobs would both be {name}.{form}", param_hint="--output")
        yield f"{name}.{form}", _text([job], form)
