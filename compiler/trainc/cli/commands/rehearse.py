"""`trainc rehearse`."""

from typing import Annotated, Literal

import typer

from trainc.cli import options
from trainc.systems.registry import DEFAULT


def command(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", show_default=False, help="Job files; - is standard input.")
    ] = None,
    backend: options.Backend = DEFAULT,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario",
            "-s",
            metavar="NAME|FILE",
            help="Scenario name, all, list, or a YAML file of steps; repeatable.  [default: form, finish]",
        ),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            metavar="FILE|probe",
            help="Program to run instead of the job's, with its directory.  [default: probe, which runs an all-reduce]",
        ),
    ] = None,
    image: Annotated[
        str | None,
        typer.Option("--image", metavar="DIR", help="Directory with files of the image, laid over this machine's."),
    ] = None,
    nproc: Annotated[int | None, typer.Option("--nproc", metavar="N", min=1, help="Processes per pod.")] = None,
    pods: Annotated[int | None, typer.Option("--pods", metavar="N", min=1, help="Maximum number of pods.")] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", help="Python with torch for the pods.  [default: trainc's own]"),
    ] = None,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="DIR", help="Write the pods' output, environment and files there.")
    ] = None,
    patience: Annotated[
        float, typer.Option("--patience", metavar="SECONDS", min=1, help="Maximum time without progress.")
    ] = 90.0,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=1, help="Maximum time of a scenario.")
    ] = 1800.0,
    format: Annotated[Literal["text", "json", "junit"], typer.Option("--format", "-f", help="Output format.")] = "text",
    output: Annotated[str, typer.Option("--output", "-o", metavar="-|FILE", help="Output file.")] = "-",
    namespace: options.Namespace = None,
    set: options.Sets = None,
    kubernetes_version: options.Version = None,
    cluster_domain: options.Domain = None,
    target: options.Releases = None,
    message_format: options.MessageFormat = None,
    strict: options.Strict = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
) -> None:
    """Run manifests with real launchers, without a cluster.

    Compares the result with the plan. Requires Linux and a Python with torch.

    trainc rehearse job.yaml --scenario lose-pod
    """
    from pathlib import Path

    from trainc.cli.inputs import read_target
    from trainc.cli.messages import Messages
    from trainc.cli.rehearse import list_scenarios, program_file, rehearse_jobs
    from trainc.rehearse.rehearse import Options

    if scenario == ["list"]:
        raise typer.Exit(list_scenarios())
    messages = Messages(form=message_format, strict=strict, select=select or [], ignore=ignore or [])
    chosen = read_target(backend, namespace, kubernetes_version, cluster_domain, target)
    rehearsal = Options(
        python=python,
        program=program_file(program),
        image=Path(image) if image else None,
        pods=pods,
        processes=nproc,
        keep=Path(keep) if keep else None,
        patience=patience,
        timeout=timeout,
    )
    raise typer.Exit(rehearse_jobs(files or [], set or [], chosen, messages, scenario or [], rehearsal, format, output))
