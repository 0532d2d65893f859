"""Options of `trainc plan`."""

from typing import Annotated, Literal

import typer

from trainc.cli import options
from trainc.systems.registry import DEFAULT


def command(
    files: options.Files,
    backend: options.Backend = DEFAULT,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="-|FILE", help="Output file; FILE.svg and FILE.html are pictures."),
    ] = "-",
    format: Annotated[
        Literal["text", "json", "markdown", "mermaid"] | None,
        typer.Option("--format", "-f", show_default=False, help="Output format.  [default: text]"),
    ] = None,
    manifests: Annotated[
        bool, typer.Option("--manifests", help="Plan Kubernetes manifests instead of job files.")
    ] = False,
    namespace: options.Namespace = None,
    set: options.Sets = None,
    kubernetes_version: options.Version = None,
    cluster_domain: options.Domain = None,
    message_format: options.MessageFormat = None,
    strict: options.Strict = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
) -> None:
    """Show the pods, names, ranks, variables and resources of a job, and what follows a failure.

    trainc plan job.yaml -o plan.svg
    """
    from trainc.cli.plan import show

    messages = options.messages(message_format, strict, select, ignore)
    target = options.target(backend, namespace, kubernetes_version, cluster_domain)
    raise typer.Exit(show(files, set or [], target, format, output, messages, manifests))
