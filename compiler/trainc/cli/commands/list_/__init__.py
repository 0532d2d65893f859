"""`trainc list`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import option
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


class Options(Record):
    """List the jobs of files with their GPUs and GPU-hours.

    One row for each job, at its largest size: pods, GPUs, time limit, fabric, owner. The files may be job files and
    manifests. `kubectl get pod -l trainc.dev/job -L trainc.dev/job` lists what runs.

    Fields of --filter: pods, gpus, hours, gpu-hours with = != > >= < <=; job, namespace, file, system, cluster, fabric,
    queue, owner, label.NAME with = and !=, and * for any characters. `none` is a missing value, and no time limit.

    trainc list jobs/ --filter 'gpus>64' --filter fabric=none
    """

    files: list[str] | None = options.PROJECT_JOBS
    filter: list[str] | None = option(
        None,
        "--filter",
        is_list=True,
        metavar="FIELD=VALUE",
        help="Only jobs for which it holds: gpus>64, fabric=none, owner=vision, label.stage=prod. Repeatable.",
    )
    report: options.ReportOptions = options.report("json", "markdown", jobs=options.JOBS)
    messages: Messages = options.MESSAGE_FORMAT
