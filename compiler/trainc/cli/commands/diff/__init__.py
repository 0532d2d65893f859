"""`trainc diff`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import argument, flag, option
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


class Options(Record):
    """Show what a change does to a running job.

    Which objects change in place or must be re-created, and where training starts again.

    With --summary OLD may be the manifests that an older trainc has compiled, NEW the jobs.

    kubectl get job,svc -l trainc.dev/job=NAME -o yaml | trainc diff - FILE
    """

    files: list[str] | None = argument(
        None,
        is_list=True,
        metavar="OLD NEW|FILE...",
        show_default=False,
        help="Job files, manifests or directories. OLD may be -, the output of `kubectl get -o yaml`.  [default with "
        "--git: the jobs of trainc.yaml]",
    )
    git: str | None = option(
        None, "--git", metavar="REV", help="Compare each FILE at this revision with the working tree."
    )
    summary: bool = flag("--summary", help="Group the changes of all jobs by cause: field, default or rule.")
    report: options.ReportOptions = options.report("json", "markdown", "github", "sarif")
    messages: Messages = options.MESSAGE_FORMAT
