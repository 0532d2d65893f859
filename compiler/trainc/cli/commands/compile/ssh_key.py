"""`--generate-ssh-key`: the Secret with the workers' key, in a new file that only its owner may read."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from shlex import quote

from trainc.cli.notices import notify
from trainc.cli.output import Destination, Writer, write
from trainc.cli.parameters import InvalidParameter
from trainc.cli.signals import interruptible
from trainc.cli.writer import new_private_file
from trainc.compiled import Compiled
from trainc.emit.manifest import to_yaml
from trainc.systems.shared.objects.files import secret

OPTION = "--generate-ssh-key"


def key_writer(path: str, output: str, check: bool) -> Writer:
    """Return a function like `write` that also writes the key. Raises InvalidParameter for an unusable path."""
    _check_options(path, output, check)
    return partial(_write_with_key, path)


def _check_options(path: str, output: str, check: bool) -> None:
    """Raise InvalidParameter for a path where a key must not be written."""
    if check:
        raise InvalidParameter("--check writes nothing", OPTION)
    if path == "-" or path.endswith("/"):
        raise InvalidParameter("the key needs a file of its own", OPTION)
    if os.path.lexists(path):
        raise InvalidParameter(f"{path} exists; trainc never overwrites a key", OPTION)
    if os.path.realpath(path) == os.path.realpath(output):
        raise InvalidParameter(f"{path} is the file of the manifests", OPTION)
    folder = os.path.realpath(os.path.dirname(path) or ".")
    if (output.endswith("/") or os.path.isdir(output)) and folder == os.path.realpath(output):
        raise InvalidParameter(f"{output} is the directory of the manifests, which others may read", OPTION)


def _write_with_key(path: str, jobs: list[Compiled], destination: Destination, removed: Collection[str]) -> None:
    """Write the manifests and the key's file, and print the warning about it. Raises the errors of `_written`."""
    with _written(path, jobs, destination.is_stream) as (warning, help_):
        write(jobs, destination, removed)
    text = f"warning: {warning}\n  = help: {help_}\n"
    notify("private-key", warning, text, severity="warning", file=path, help=help_)


@contextmanager
def _written(path: str, jobs: list[Compiled], to_stream: bool) -> Iterator[tuple[str, str]]:
    """Write the key's file, and remove it if the manifests can't be written. Yields the warning and its help.

    A signal waits for the manifests' files, but not for the reader of a stream.

    Raises InvalidParameter when no job needs a key; OSError when it can't be generated or written.
    """
    # Jobs of a namespace that name the same Secret share it.
    needed = {(each.job.namespace, each.job.key_secret): each.job for each in jobs if each.job.key_secret}
    if not needed:
        raise InvalidParameter("no job needs a key: none starts its processes over ssh with keys of its own", OPTION)
    text = to_yaml([secret(job, name, new_key()) for (_, name), job in needed.items() if name])
    with new_private_file(path, text), interruptible() if to_stream else nullcontext():
        yield _warning(path, sorted({name for _, name in needed if name}))


def new_key() -> str:
    """Return a new private key in OpenSSH's format. Raises OSError when ssh-keygen fails."""
    with tempfile.TemporaryDirectory(prefix="trainc-") as folder:
        path = os.path.join(folder, "key")
        # Without a comment ssh-keygen writes the user's name and host.
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "trainc", "-f", path]
        try:
            # S603: the command is constant except for the temporary path.
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603  # no shell
        except FileNotFoundError:
            raise OSError(errno.ENOENT, "ssh-keygen (OpenSSH) is not installed") from None
        if done.returncode:
            reason = " ".join(done.stderr.decode("utf-8", "replace").split())
            raise OSError(errno.EIO, f"ssh-keygen failed: {reason}")
        with open(path, encoding="ascii") as file:
            return file.read()


def _warning(path: str, names: list[str]) -> tuple[str, str]:
    """Return the warning and its help."""
    secrets = f"the Secret{'s' if len(names) > 1 else ''} {', '.join(names)}"
    return (
        f"{path} holds a private key ({secrets}): don't commit it",
        f"kubectl create -f {quote(path)}, once; from now on compile without {OPTION}, "
        "and with the Secret's name as sshSecret",
    )
