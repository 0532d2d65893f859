"""`trainc rehearse`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import argument, option
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.inputs import Cluster
    from trainc.cli.messages import Messages


def command(
    files: list[str] | None = argument(
        None, metavar="FILE...", show_default=False, help="Job files; - is standard input.", is_list=True
    ),
    backend: str = options.BACKEND,
    scenario: list[str] | None = option(
        None,
        "--scenario",
        "-s",
        metavar="NAME|FILE",
        help="Scenario name, all, list, or a YAML file of steps; repeatable.  [default: form, finish]",
        is_list=True,
    ),
    program: str | None = option(
        None,
        "--program",
        metavar="FILE|probe",
        help="Program to run instead of the job's, with its directory.  [default: probe, which runs an all-reduce]",
    ),
    image: str | None = option(
        None, "--image", metavar="DIR", help="Directory with files of the image, laid over this machine's."
    ),
    nproc: int | None = option(None, "--nproc", metavar="N", minimum=1, help="Processes per pod.", kind=int),
    pods: int | None = option(None, "--pods", metavar="N", minimum=1, help="Maximum number of pods.", kind=int),
    python: str | None = option(
        None, "--python", metavar="PATH", help="Python with torch for the pods.  [default: trainc's own]"
    ),
    keep: str | None = option(
        None, "--keep", metavar="DIR", help="Write the pods' output, environment and files there."
    ),
    patience: float = option(
        90.0, "--patience", metavar="SECONDS", minimum=1, help="Maximum time without progress.", kind=float
    ),
    timeout: float = option(
        1800.0, "--timeout", metavar="SECONDS", minimum=1, help="Maximum time of a scenario.", kind=float
    ),
    format: str = option("text", "--format", "-f", help="Output format.", choices=("text", "json", "junit")),
    output: str = option("-", "--output", "-o", metavar="-|FILE", help="Output file."),
    set: list[str] | None = options.SETS,
    cluster: Cluster = options.CLUSTER,
    messages: Messages = options.MESSAGES,
) -> int:
    """Run manifests with real launchers, without a cluster.

    Compares the result with the plan. Requires Linux and a Python with torch.

    trainc rehearse job.yaml --scenario lose-pod
    """
    from pathlib import Path

    from trainc.cli.rehearse import list_scenarios, program_file, rehearse_jobs
    from trainc.rehearse.rehearse import Options

    if scenario == ["list"]:
        return list_scenarios()
    chosen = cluster.target(backend)
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
    return rehearse_jobs(files or [], set or [], chosen, messages, scenario or [], rehearsal, format, output)
