"""Options of `trainc check`."""

import typer

from trainc.cli.options import (
    BackendOption,
    Domain,
    Files,
    Ignore,
    MessageFormat,
    Namespace,
    Select,
    Sets,
    Strict,
    Version,
    message_options,
    target_options,
)
from trainc.systems.registry import DEFAULT


def command(
    files: Files,
    backend: BackendOption = DEFAULT,
    namespace: Namespace = None,
    set: Sets = None,
    kubernetes_version: Version = None,
    cluster_domain: Domain = None,
    message_format: MessageFormat = None,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
) -> None:
    """Check job files; no output if there is nothing to report.

    The formats json, sarif and junit are documents: they are always written, to standard output.
    """
    from trainc.cli.compile import check_jobs

    messages = message_options(message_format, strict, select, ignore)
    target = target_options(backend, namespace, kubernetes_version, cluster_domain)
    raise typer.Exit(check_jobs(files, set or [], target, messages))
