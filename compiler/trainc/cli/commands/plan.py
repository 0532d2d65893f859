"""Options of `trainc plan`."""

from typing import Annotated, Literal

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
    namespace: Namespace = None,
    set: Sets = None,
    kubernetes_version: Version = None,
    cluster_domain: Domain = None,
    message_format: MessageFormat = None,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
) -> None:
    """Show the pods, names, ranks, variables and resources of a job, and what follows a failure.

    trainc plan job.yaml -o plan.svg
    """
    from trainc.cli.plan import show

    messages = message_options(message_format, strict, select, ignore)
    target = target_options(backend, namespace, kubernetes_version, cluster_domain)
    raise typer.Exit(show(files, set or [], target, format, output, messages, manifests))
