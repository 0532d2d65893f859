"""`trainc rehearse`: its options."""

from typing import Annotated, Literal

import typer

from trainc.cli.options import (
    BackendOption,
    Domain,
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
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", show_default=False, help="Job files; - is standard input.")
    ] = None,
    backend: BackendOption = DEFAULT,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario",
            "-s",
            metavar="NAME|FILE",
            help="What to rehearse: a name, all, list, or a YAML file of steps. May be repeated.  "
            "[default: form, finish]",
        ),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            metavar="FILE|probe",
            help="Program to run in place of the job's; its folder goes with it.  [default: probe, which says who it "
            "is and adds up]",
        ),
    ] = None,
    image: Annotated[
        str | None,
        typer.Option("--image", metavar="DIR", help="Folder that is laid over this machine's files, as the image's."),
    ] = None,
    nproc: Annotated[
        int | None, typer.Option("--nproc", metavar="N", min=1, help="Processes a pod, in place of the job's.")
    ] = None,
    pods: Annotated[
        int | None, typer.Option("--pods", metavar="N", min=1, help="Pods at most, in place of the job's.")
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", help="Python with torch that the pods use.  [default: trainc's own]"),
    ] = None,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="DIR", help="Keep the pods' output, environment and files there.")
    ] = None,
    patience: Annotated[
        float,
        typer.Option("--patience", metavar="SECONDS", min=1, help="Give up when nothing has moved for so long."),
    ] = 90.0,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=1, help="Give a scenario up after so long anyway.")
    ] = 1800.0,
    format: Annotated[
        Literal["text", "json", "junit"], typer.Option("--format", "-f", help="For people or for programs.")
    ] = "text",
    output: Annotated[str, typer.Option("--output", "-o", metavar="-|FILE", help="Where the verdict goes.")] = "-",
    namespace: Namespace = None,
    set: Sets = None,
    kubernetes_version: Version = None,
    cluster_domain: Domain = None,
    message_format: MessageFormat = None,
    strict: Strict = False,
    select: Select = None,
    ignore: Ignore = None,
) -> None:
    """Run a job's manifests with the real launchers on this machine, and compare what happens with the plan.

    trainc rehearse job.yaml --scenario lose-pod
    """
    from trainc.cli.rehearse import Wanted, rehearse_jobs

    messages = message_options(message_format, strict, select, ignore)
    target = target_options(backend, namespace, kubernetes_version, cluster_domain)
    wanted = Wanted(
        scenarios=scenario or [],
        program=program,
        image=image,
        processes=nproc,
        pods=pods,
        python=python,
        keep=keep,
        quiet=patience,
        longest=timeout,
        form=format,
        output=output,
    )
    raise typer.Exit(rehearse_jobs(files or [], set or [], target, wanted, messages))
