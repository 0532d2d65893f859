"""Options of `trainc check`."""

import typer

from trainc.cli import options
from trainc.systems.registry import DEFAULT


def command(
    files: options.Files,
    backend: options.Backend = DEFAULT,
    namespace: options.Namespace = None,
    set: options.Sets = None,
    kubernetes_version: options.Version = None,
    cluster_domain: options.Domain = None,
    message_format: options.MessageFormat = None,
    strict: options.Strict = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
) -> None:
    """Check job files; no output if there is nothing to report.

    The formats json, sarif and junit are documents: they are always written, to standard output.
    """
    from trainc.cli.compile import check_jobs

    messages = options.messages(message_format, strict, select, ignore)
    target = options.target(backend, namespace, kubernetes_version, cluster_domain)
    raise typer.Exit(check_jobs(files, set or [], target, messages))
