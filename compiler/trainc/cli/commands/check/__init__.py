"""`trainc check`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import flag, option
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values


class Options(Record):
    """Check job files; no output if there is nothing to report.

    Jobs of other systems are checked as they run there.

    The formats json, sarif and junit are documents: they are always written, to standard output.
    """

    files: list[str] | None = options.PROJECT_JOBS
    backend: str | None = options.backend(
        None, "System to check for.  [default: that of the file; for trainc's own jobs that of trainc.yaml, else job]"
    )
    values: Values = options.VALUES
    jobs_only: bool = options.JOBS_ONLY
    jobs: int | None = options.JOBS
    changed_since: str | None = options.CHANGED_SINCE
    entry: str | None = options.CLUSTER_ENTRY
    cluster: Cluster = options.CLUSTER
    project: Configuration = options.PROJECT
    messages: Messages = options.MESSAGES
    fix: bool = flag("--fix", help="Apply safe fixes to the files.")
    diff: bool = flag("--diff", help="Print what --fix would change; write nothing.")
    unsafe_fixes: bool = flag("--unsafe-fixes", help="Also fixes that may change the job.")
    baseline: str | None = option(
        None, "--baseline", metavar="FILE", help="Don't report the findings of FILE until their lines change."
    )
    write_baseline: str | None = option(
        None, "--write-baseline", metavar="FILE", help="Write all findings to FILE, for --baseline."
    )
