"""Options of `trainc init`."""

from typing import Annotated, Literal

import typer

Launcher = Literal["basic", "torchrun", "deepspeed"]


def command(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Name of the job.")] = "my-job",
    launch: Annotated[
        Launcher, typer.Option("--launch", "-l", help="Launcher that starts the processes.")
    ] = "torchrun",
) -> None:
    """Print a commented job file to start from.

    trainc init mnist > mnist.yaml
    """
    from trainc.cli.init import starter

    raise typer.Exit(starter(name, launch))
