"""`trainc rehearse`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import argument, option


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
    namespace: str | None = options.NAMESPACE,
    set: list[str] | None = options.SETS,
    kubernetes_version: str | None = options.VERSION,
    cluster_domain: str | None = options.DOMAIN,
    target: list[str] | None = options.RELEASES,
    message_format: str | None = options.MESSAGE_FORMAT,
    strict: bool = options.STRICT,
    select: list[str] | None = options.SELECT,
    ignore: list[str] | None = options.IGNORE,
) -> int:
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
        return list_scenarios()
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
    return rehearse_jobs(files or [], set or [], chosen, messages, scenario or [], rehearsal, format, output)
