"""Options of `trainc import`."""

from __future__ import annotations

from trainc.cli.parameters import REQUIRED, argument, option


def command(
    files: list[str] = argument(
        REQUIRED, metavar="FILE...", help="Other systems' job files; - is standard input.", is_list=True
    ),
    output: str = option("-", "--output", "-o", metavar="-|FILE", help="Output file."),
) -> int:
    """Convert another system's job to a job file.

    Reads PyTorchJob, JobSet, TrainJob, MPIJob, ElasticJob, DeepSpeedJob, PyTorchTrainingJob, AppWrapper and tlaunchrun
    commands.

    trainc import pytorchjob.yaml -o job.yaml

    trainc import tlaunchrun -- --lpjob_name mnist torchrun --nnodes 1:2 train.py
    """
    from trainc.cli.import_ import import_jobs

    return import_jobs(files, output)
