"""Options of `trainc compile`."""

from typing import Annotated, Literal

import typer

from trainc.cli import options
from trainc.systems.registry import DEFAULT


def command(
    files: options.Files,
    backend: options.Backend = DEFAULT,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="-|FILE|DIR/", help="Write manifests here; DIR/ gets one file per job."),
    ] = "-",
    format: Annotated[
        Literal["yaml", "json"], typer.Option("--format", "-f", help="YAML documents or one JSON List.")
    ] = "yaml",
    namespace: options.Namespace = None,
    set: options.Sets = None,
    kubernetes_version: options.Version = None,
    cluster_domain: options.Domain = None,
    message_format: options.MessageFormat = None,
    strict: options.Strict = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
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

    messages = options.messages(message_format, strict, select, ignore)
    target = options.target(backend, namespace, kubernetes_version, cluster_domain)
    done = compile_jobs(files, set or [], target, output, format, messages, summary, check, generate_ssh_key, verify)
    raise typer.Exit(done)
