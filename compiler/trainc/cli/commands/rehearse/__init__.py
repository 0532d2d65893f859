"""`trainc rehearse`."""

from __future__ import annotations

from pathlib import Path

from trainc.cli import options
from trainc.cli.parameters import argument, group, option
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values
    from trainc.rehearse.options import Options as RehearsalOptions


def _rehearsal(
    image: str | None,
    nproc: int | None,
    pods: int | None,
    python: str | None,
    keep: str | None,
    patience: float,
    timeout: float,
) -> RehearsalOptions:
    from trainc.rehearse.options import Options as RehearsalOptions

    return RehearsalOptions(
        python=python,
        image=Path(image) if image else None,
        pods=pods,
        processes=nproc,
        keep=Path(keep) if keep else None,
        patience=patience,
        timeout=timeout,
    )


_REHEARSAL = group(
    _rehearsal,
    image=option(None, "--image", metavar="DIR", help="Directory with files of the image, laid over this machine's."),
    nproc=option(None, "--nproc", metavar="N", minimum=1, help="Processes per pod.", kind=int),
    pods=option(None, "--pods", metavar="N", minimum=1, help="Maximum number of pods.", kind=int),
    python=option(None, "--python", metavar="PATH", help="Python with torch for the pods.  [default: trainc's own]"),
    keep=option(None, "--keep", metavar="DIR", help="Write the pods' output, environment and files there."),
    patience=option(
        90.0, "--patience", metavar="SECONDS", minimum=1, help="Maximum time without progress.", kind=float
    ),
    timeout=option(1800.0, "--timeout", metavar="SECONDS", minimum=1, help="Maximum time of a scenario.", kind=float),
)


class Options(Record):
    """Run manifests with real launchers, without a cluster.

    Compares the result with the plan. Requires Linux and a Python with torch.

    trainc rehearse job.yaml --scenario lose-pod
    """

    files: list[str] | None = argument(
        None, metavar="FILE...", show_default=False, help="Job files; - is standard input.", is_list=True
    )
    backend: str | None = options.BACKEND
    scenario: list[str] | None = option(
        None,
        "--scenario",
        "-s",
        metavar="NAME|FILE",
        help="Scenario name, all, list, or a YAML file of steps; repeatable.  [default: form, finish]",
        is_list=True,
    )
    program: str | None = option(
        None,
        "--program",
        metavar="FILE|probe",
        help="Program to run instead of the job's, with its directory.  [default: probe, which runs an all-reduce]",
    )
    rehearsal: RehearsalOptions = _REHEARSAL
    format: str = options.output_format("text", "text", "json", "junit")
    output: str = options.OUTPUT
    values: Values = options.VALUES
    cluster: Cluster = options.CLUSTER
    project: Configuration = options.PROJECT
    messages: Messages = options.MESSAGES
