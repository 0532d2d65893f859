"""`trainc list`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.parameters import InvalidParameter, option
from trainc.systems.registry import DEFAULT
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.compilation import Cluster, Configuration, Values
    from trainc.cli.messages import Messages


def command(
    files: list[str] | None = options.PROJECT_JOBS,
    filter: list[str] | None = option(
        None,
        "--filter",
        is_list=True,
        metavar="FIELD=VALUE",
        help="Only jobs for which it holds: gpus>64, fabric=none, owner=vision, label.stage=prod. Repeatable.",
    ),
    backend: str | None = options.BACKEND,
    values: Values = options.VALUES,
    format: str = options.output_format("text", "text", "json", "markdown"),
    output: str = options.OUTPUT,
    jobs: int | None = options.JOBS,
    cluster: Cluster = options.CLUSTER,
    project: Configuration = options.PROJECT,
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """List the jobs of files with their GPUs and GPU-hours.

    One row for each job, at its largest size: pods, GPUs, time limit, fabric, owner. The files may be job files and
    manifests. `kubectl get pod -l trainc.dev/job -L trainc.dev/job` lists what runs.

    Fields of --filter: pods, gpus, hours, gpu-hours with = != > >= < <=; job, namespace, file, system, cluster, fabric,
    queue, owner, label.NAME with = and !=, and * for any characters. `none` is a missing value, and no time limit.

    trainc list jobs/ --filter 'gpus>64' --filter fabric=none
    """
    from trainc.cli.commands.list_.rows import list_jobs
    from trainc.cli.output import write_text
    from trainc.compiled import Outcome
    from trainc.diagnostics.diagnostic import in_order
    from trainc.fleet.filters import InvalidFilter, parse_filter

    try:
        filters = [parse_filter(each) for each in filter or []]
    except InvalidFilter as problem:
        raise InvalidParameter(str(problem), "--filter") from None
    inputs, projects = project.stating(backend).showing().inputs(files)
    rows, diagnostics = list_jobs(inputs, values.of(projects), cluster.target(backend or DEFAULT), jobs)
    rows = [row for row in rows if all(each.accepts(row) for each in filters)]
    outcome = Outcome(jobs=[], diagnostics=in_order(diagnostics))
    passes = messages.of_project(projects).replace(quiet=True).report(outcome, inputs, "; the other jobs are listed")
    write_text(_format(rows, format), output, inputs)
    return OK if passes else WRONG_INPUT


def _format(rows: list[FleetJob], form: str) -> str:
    from trainc.cli.terminal import text_width
    from trainc.fleet.formats import report, to_json

    if form == "json":
        return to_json(rows)
    if form == "markdown":
        from trainc.report.markdown import markdown

        return markdown([report(rows)])
    from trainc.report.text import text

    return text([report(rows)], text_width())


if TYPE_CHECKING:
    from trainc.fleet.job import FleetJob
