"""Options of `trainc compile`."""

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
        typer.Option("--output", "-o", metavar="-|FILE|DIR/", help="Write manifests here; DIR/ gets one file per job."),
    ] = "-",
    format: Annotated[
        Literal["yaml", "json"], typer.Option("--format", "-f", help="YAML documents or one JSON List.")
    ] = "yaml",
    namespace: Namespace = None,
    set: Sets = None,
    kubernetes_version: Version = None,
    cluster_domain: Domain = None,
    message_format: MessageFormat = None,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
    generate_ssh_key: Annotated[
        str | None,
        typer.Option(
            "--generate-ssh-key",
            metavar="FILE",
            help="Write a Secret with a new ssh key, for launch.deepspeed.transport: ssh, to a new file. "
            "Don't commit it.",
        ),
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Print a summary on stderr.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if the files of -o are out of date.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Write nothing unless all back ends start the same world; report differences."),
    ] = False,
) -> None:
    """Compile jobs to Kubernetes manifests.

    trainc compile job.yaml | kubectl apply -f -
    """
    from trainc.cli.compile import compile_jobs

    messages = message_options(message_format, strict, select, ignore)
    target = target_options(backend, namespace, kubernetes_version, cluster_domain)
    done = compile_jobs(files, set or [], target, output, format, messages, summary, check, generate_ssh_key, verify)
    raise typer.Exit(done)
