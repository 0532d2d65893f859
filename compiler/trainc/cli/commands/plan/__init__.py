"""`trainc plan`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import flag
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values


class Options(Record):
    """Show a job's pods, ranks and failure handling.

    Also host names, environment, command lines and resources.

    trainc plan job.yaml -o plan.svg
    """

    files: list[str] | None = options.PROJECT_JOBS
    backend: str | None = options.BACKEND
    output: str = options.output("Output file: .svg, .html or .png for a picture, .json, .md, .mmd, .txt.")
    format: str | None = options.output_format(
        None, "text", "json", "markdown", "mermaid", help="Output format.  [default: by -o, else text]"
    )
    manifests: bool = flag("--manifests", help="Plan Kubernetes manifests instead of job files.")
    values: Values = options.VALUES
    jobs_only: bool = options.JOBS_ONLY
    entry: str | None = options.CLUSTER_ENTRY
    cluster: Cluster = options.CLUSTER
    project: Configuration = options.PROJECT
    messages: Messages = options.MESSAGES
