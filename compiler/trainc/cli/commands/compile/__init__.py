"""`trainc compile`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import flag, option
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values


class Options(Record):
    """Compile jobs to Kubernetes manifests.

    trainc compile job.yaml | kubectl apply -f -
    """

    files: list[str] | None = options.PROJECT_JOBS
    backend: str | None = options.BACKEND
    output: str | None = option(
        None,
        "--output",
        "-o",
        metavar="-|FILE|DIR/",
        help="Write manifests here; DIR/ gets one file per job.  "
        "[default: manifests of trainc.yaml for its jobs, else -]",
    )
    format: str | None = options.output_format(
        None, "yaml", "json", help="YAML documents or one JSON List.  [default: by -o, else yaml]"
    )
    values: Values = options.VALUES
    entry: str | None = options.CLUSTER_ENTRY
    cluster: Cluster = options.CLUSTER
    project: Configuration = options.PROJECT
    messages: Messages = options.MESSAGES
    generate_ssh_key: str | None = option(
        None,
        "--generate-ssh-key",
        metavar="FILE",
        help="Write a Secret with a new ssh key, for launch.deepspeed.transport: ssh, to a new file. Don't commit it.",
    )
    jobs_only: bool = options.JOBS_ONLY
    jobs: int | None = options.JOBS
    changed_since: str | None = options.CHANGED_SINCE
    summary: bool = flag("--summary", help="Print a summary on stderr.")
    check: bool = flag("--check", help="Write nothing; exit 1 if the files of -o are out of date or left over.")
    prune: bool = flag("--prune", help="Remove manifests from -o DIR/ whose job is gone from the input directories.")
    dry_run: bool = flag("--dry-run", help="Print what --prune would remove; write nothing.")
    source_map: str | None = option(
        None,
        "--source-map",
        metavar="FILE",
        help="Write the origin of every line of the manifests to FILE, in JSON: field, default or rule.",
    )
    comments: bool = flag("--comments", help="Write the origin of every line as a comment into the manifests.")
    verify: bool = flag(
        "--verify",
        help="Write nothing unless all back ends, and the file itself, start the same world; report differences.",
    )
    resolved: bool = flag("--resolved", help="Print the whole jobs, with defaults and --set, instead of manifests.")

    @property
    def writes_nothing(self) -> bool:
        """Return whether manifests are only compared."""
        return self.check or self.dry_run
