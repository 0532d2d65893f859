"""Options of `trainc import`."""

from typing import Annotated

import typer


def command(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Other systems' job files; - is standard input.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="-|FILE", help="Output file.")] = "-",
) -> None:
    """Convert another system's job to a job file.

    Reads PyTorchJob, DeepSpeedJob, PyTorchTrainingJob, ElasticJob and tlaunchrun commands.

    trainc import pytorchjob.yaml -o job.yaml

    trainc import tlaunchrun -- --lpjob_name mnist torchrun --nnodes 1:2 train.py
    """
    from trainc.cli.import_ import import_jobs

    raise typer.Exit(import_jobs(files, output))
