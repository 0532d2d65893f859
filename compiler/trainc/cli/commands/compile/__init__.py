"""`trainc compile`."""

from __future__ import annotations

import os
from collections.abc import Callable

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.parameters import flag, option
from trainc.systems.registry import DEFAULT
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.cli.commands.compile.source_map import SourceMap
    from trainc.cli.commands.compile.verify import Verification
    from trainc.cli.compilation import Cluster, Configuration, JobContents, Values
    from trainc.cli.messages import Messages
    from trainc.cli.output import Destination
    from trainc.compiled import Compiled, Outcome
    from trainc.project.projects import Projects
    from trainc.target import Target

_EXTENSIONS = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}
STDOUT = "-"
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


def command(  # noqa: PLR0911, PLR0912, PLR0915  # the options in the order in which they act
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
    if entry == "all":
        return _for_all_clusters({**locals()})
    from trainc.cli.output import Destination, choose_format, is_folder, manifest_files

    cluster, backend = _on_cluster(entry, cluster, backend, project)
    may_lack_jobs = (check or prune) and (output is None or is_folder(output))
    listed, projects = project.stating(backend).inputs(files, jobs_only, allows_empty=may_lack_jobs)
    messages = messages.of_project(projects)
    _select_jobs(listed, projects, entry)
    has_all_jobs = all(map(os.path.isdir, files or [])) and (output is not None or not files)
    output = output or _project_output(projects, entry, is_default=not resolved and (check or not files))
    listed, values = _jobs(listed, output), values.of(projects)
    destination = Destination(path=output, form=choose_format(output, format, _EXTENSIONS, "yaml"), inputs=listed)
    target = _target(cluster.target(backend or DEFAULT), output, generate_ssh_key, writes_nothing=check or dry_run)
    if resolved:
        from trainc.cli.commands.compile.resolved import print_resolved

        on_manifests = {"--check": check, "--prune": prune, "--verify": verify, "--source-map": source_map}
        others = {"--comments": comments, "--format": format, "--summary": summary, "--changed-since": changed_since}
        return print_resolved(listed, values, target, output, messages, {**on_manifests, **others})
    origins = _source_map(source_map, comments, destination, writes_nothing=check or dry_run)
    on_stderr = {"--check": check, "--prune": prune, "--generate-ssh-key": generate_ssh_key}
    messages.require_stderr({**on_stderr, "--summary": summary, "--verify": verify}, with_json=True)
    if prune or dry_run:
        from trainc.cli.leftovers import check_prune, leftovers

        check_prune(prune, output, files or [], check)

    inputs = listed if changed_since is None else _changed(listed, changed_since, destination, values)
    contents: JobContents | None = None if generate_ssh_key or origins else "summaries" if summary else "manifests"
    verification = _verification(inputs, values) if verify else None
    compiler = verification.compile_for if verification else _compiler(inputs, values, jobs, messages, contents)
    outcome = compiler(target)
    has_all_jobs = has_all_jobs and destination.is_folder
    if (check or prune) and has_all_jobs and not outcome.ok:
        from trainc.cli.leftovers import without_last_job

        outcome = without_last_job(outcome)
    if not messages.report(outcome, inputs, "; nothing was written"):
        return WRONG_INPUT
    if listed and not inputs:
        return OK  # no job has changed, so that all manifests stay
    _require_one_cluster(outcome, entry, projects)
    if jobs_only:
        outcome = outcome.without_other_objects()
    if verification and not verification.verified(outcome, target, messages.quiet):
        return WRONG_INPUT
    if origins:
        outcome = origins.of(outcome)

    if check:
        from trainc.cli.commands.compile.compare import compare

        return compare(outcome.jobs, destination, has_all_jobs=has_all_jobs, annotates=messages.are_annotations)
    removed = leftovers(output, manifest_files(outcome.jobs, destination)) if prune else []
    if dry_run:
        _print_removed(removed, dry_run)
    else:
        _write(outcome.jobs, destination, removed, generate_ssh_key, origins)
        _print_removed([] if messages.quiet else removed)
    if summary and not dry_run:
        from trainc.cli.summary import print_summary

        print_summary(outcome.jobs, inputs, values, target, output)
    return OK


def _select_jobs(files: list[str], projects: Projects | None, cluster: str | None) -> None:
    if cluster is None:
        return
    from trainc.cli.cluster_files import select_jobs

    select_jobs(files, projects, cluster)


def _require_one_cluster(outcome: Outcome, cluster: str | None, projects: Projects | None) -> None:
    if cluster is not None or projects is None or projects.entries is None:
        return
    from trainc.cli.cluster_files import require_one_cluster

    require_one_cluster(outcome)


def _on_cluster(
    entry: str | None, cluster: Cluster, backend: str | None, project: Configuration
) -> tuple[Cluster, str | None]:
    """Return the options for a cluster, with the versions and the back end of its entry where none is stated."""
    if entry is None:
        return cluster, backend
    from trainc.cli.clusters import select_cluster, with_entry

    return with_entry(cluster, backend, select_cluster(entry, project.main))


def _for_all_clusters(values: dict[str, Any]) -> int:
    """Run the command with the same options for each cluster of the project file, if the jobs compile for all."""
    from trainc.cli.commands.compile.every_cluster import cluster_runs, compile_for_cluster, report

    runs = cluster_runs(values)
    outcomes = [compile_for_cluster(each) for each in runs]  # report the problems of all
    if not report(outcomes):
        return WRONG_INPUT
    messages = outcomes[0].messages
    messages = messages.replace(quiet=True, form=messages.form if messages.form == "json" else "full")  # are reported
    return max(command(**{**each, "messages": messages}) for each in runs)


def _project_output(projects: Projects | None, cluster: str | None, *, is_default: bool) -> str:
    """Return the output of a command that names none: that of the project for all its jobs, else standard output.

    A cluster of the project has a directory of its own, as with `--cluster all`.
    """
    if projects is None or not is_default:
        return STDOUT
    from trainc.cli.project_jobs import manifests_path

    return manifests_path(projects.main, cluster) or STDOUT


def _target(target: Target, output: str, key_file: str | None, writes_nothing: bool) -> Target:
    if key_file is None:
        return target
    from trainc.cli.commands.compile.ssh_key import check_options

    check_options(key_file, output, writes_nothing)
    return target.replace(makes_keys=True)


def _jobs(listed: list[str], output: str) -> list[str]:
    """Return the files without the manifests of an earlier run into a folder."""
    if not os.path.isdir(output):
        return listed
    from trainc.cli.leftovers import without_compiled

    return without_compiled(listed, output)


def _source_map(name: str | None, comments: bool, destination: Destination, writes_nothing: bool) -> SourceMap | None:
    if name is None and not comments:
        return None
    from trainc.cli.commands.compile.source_map import SourceMap

    return SourceMap(name, comments, destination, writes_nothing)


def _changed(files: list[str], revision: str, destination: Destination, values: Values) -> list[str]:
    """Return the files to compile: for standard output those that have changed; for files, which also other jobs are
    compiled into or named after, all or none."""
    from trainc.cli.changed import changed_files, has_changes

    if destination.is_stream:
        return changed_files(files, revision, values.projects, values.files)
    return files if has_changes(files, revision, destination.path, values.projects, values.files) else []


def _verification(files: list[str], values: Values) -> Verification:
    from trainc.cli.commands.compile.verify import Verification

    return Verification(files, values)


def _compiler(
    files: list[str], values: Values, jobs: int | None, messages: Messages, contents: JobContents | None
) -> Callable[[Target], Outcome]:
    """Return a function that compiles the files for a target. If `contents` is None, the outcome has complete jobs."""
    from trainc.cli.compilation import Scale, compile_many, compiler
    from trainc.driver import compile_inputs

    if contents is None:
        return compiler(files, values)
    scale = Scale(jobs=jobs, shows_progress=not messages.quiet)
    return lambda target: compile_many(files, values, target, compile_inputs, scale, contents)


def _print_removed(paths: list[str], dry_run: bool = False) -> None:
    if paths:
        from trainc.cli.leftovers import print_removed

        print_removed(paths, dry_run)


def _write(
    jobs: list[Compiled], destination: Destination, removed: list[str], key_file: str | None, origins: SourceMap | None
) -> None:
    """Write the manifests, and then their source map and a new key, if they are requested."""
    from trainc.cli.output import write

    if key_file is None:
        write(jobs, destination, removed)
    else:
        _write_with_key(jobs, destination, removed, key_file)
    if origins:
        origins.write(jobs)


def _write_with_key(jobs: list[Compiled], destination: Destination, removed: list[str], key_file: str) -> None:
    from trainc.cli.commands.compile.ssh_key import written
    from trainc.cli.notices import notify
    from trainc.cli.output import write

    with written(key_file, jobs, destination.is_stream) as (warning, help_):
        write(jobs, destination, removed)
    text = f"warning: {warning}\n  = help: {help_}\n"
    notify("private-key", warning, text, severity="warning", file=key_file, help=help_)
