"""`trainc compile`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import flag, option
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.cli.settings import Cluster, Configuration, Values

_OUTPUT: str | None = option(
    None,
    "--output",
    "-o",
    metavar="-|FILE|DIR/",
    help="Write manifests here; DIR/ gets one file per job.  [default: manifests of trainc.yaml for its jobs, else -]",
)
_FORMAT: str | None = options.output_format(
    None, "yaml", "json", help="YAML documents or one JSON List.  [default: by -o, else yaml]"
)
_SSH_KEY: str | None = option(
    None,
    "--generate-ssh-key",
    metavar="FILE",
    help="Write a Secret with a new ssh key, for launch.deepspeed.transport: ssh, to a new file. Don't commit it.",
)
_SUMMARY = flag("--summary", help="Print a summary on stderr.")
_CHECK = flag("--check", help="Write nothing; exit 1 if the files of -o are out of date or left over.")
_PRUNE = flag("--prune", help="Remove manifests from -o DIR/ whose job is gone from the input directories.")
_DRY_RUN = flag("--dry-run", help="Print what --prune would remove; write nothing.")
_SOURCE_MAP: str | None = option(
    None,
    "--source-map",
    metavar="FILE",
    help="Write the origin of every line of the manifests to FILE, in JSON: field, default or rule.",
)
_COMMENTS = flag("--comments", help="Write the origin of every line as a comment into the manifests.")
_RESOLVED = flag("--resolved", help="Print the whole jobs, with defaults and --set, instead of manifests.")
_VERIFY = flag(
    "--verify",
    help="Write nothing unless all back ends, and the file itself, start the same world; report differences.",
)


def command(
    files: list[str] | None = options.PROJECT_JOBS,
    backend: str | None = options.BACKEND,
    output: str | None = _OUTPUT,
    format: str | None = _FORMAT,
    values: Values = options.VALUES,
    entry: str | None = options.CLUSTER_ENTRY,
    cluster: Cluster = options.CLUSTER,
    project: Configuration = options.PROJECT,
    messages: Messages = options.MESSAGES,
    generate_ssh_key: str | None = _SSH_KEY,
    jobs_only: bool = options.JOBS_ONLY,
    jobs: int | None = options.JOBS,
    changed_since: str | None = options.CHANGED_SINCE,
    summary: bool = _SUMMARY,
    check: bool = _CHECK,
    prune: bool = _PRUNE,
    dry_run: bool = _DRY_RUN,
    source_map: str | None = _SOURCE_MAP,
    comments: bool = _COMMENTS,
    verify: bool = _VERIFY,
    resolved: bool = _RESOLVED,
) -> int:
    """Compile jobs to Kubernetes manifests.

    trainc compile job.yaml | kubectl apply -f -
    """
    return _compile(locals())


def _compile(values: dict[str, Any]) -> int:
    from trainc.cli.commands.compile.job_compilation import Options, compile_jobs

    options = Options(**values)
    if options.entry == "all":
        from trainc.cli.commands.compile.every_cluster import compile_for_all_clusters

        return compile_for_all_clusters(options)
    return compile_jobs(options)
