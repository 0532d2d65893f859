"""`trainc compile`."""

from __future__ import annotations

import os
from collections.abc import Callable

from trainc.cli import options
from trainc.cli.parameters import flag, option
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.inputs import Cluster, Kept
    from trainc.cli.messages import Messages
    from trainc.cli.source_map import SourceMap
    from trainc.cli.verify import Verification
    from trainc.driver import Compiled, Outcome
    from trainc.target import Target

_EXTENSIONS = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def command(
    files: list[str] = options.FILES,
    backend: str = options.BACKEND,
    output: str = option(
        "-", "--output", "-o", metavar="-|FILE|DIR/", help="Write manifests here; DIR/ gets one file per job."
    ),
    format: str | None = option(
        None,
        "--format",
        "-f",
        show_default=False,
        help="YAML documents or one JSON List.  [default: by -o, else yaml]",
        choices=("yaml", "json"),
    ),
    set: list[str] | None = options.SETS,
    cluster: Cluster = options.CLUSTER,
    messages: Messages = options.MESSAGES,
    generate_ssh_key: str | None = option(
        None,
        "--generate-ssh-key",
        metavar="FILE",
        help="Write a Secret with a new ssh key, for launch.deepspeed.transport: ssh, to a new file. Don't commit it.",
    ),
    jobs_only: bool = options.JOBS_ONLY,
    jobs: int | None = options.JOBS,
    changed_since: str | None = options.CHANGED_SINCE,
    summary: bool = flag("--summary", help="Print a summary on stderr."),
    check: bool = flag("--check", help="Write nothing; exit 1 if the files of -o are out of date or left over."),
    prune: bool = flag("--prune", help="Remove manifests from -o DIR/ whose job is gone from the input directories."),
    dry_run: bool = flag("--dry-run", help="Print what --prune would remove; write nothing."),
    source_map: str | None = option(
        None,
        "--source-map",
        metavar="FILE",
        help="Write the origin of every line of the manifests to FILE, in JSON: field, default or rule.",
    ),
    comments: bool = flag("--comments", help="Write the origin of every line as a comment into the manifests."),
    verify: bool = flag(
        "--verify",
        help="Write nothing unless all back ends, and the file itself, start the same world; report differences.",
    ),
) -> int:
    """Compile jobs to Kubernetes manifests.

    trainc compile job.yaml | kubectl apply -f -
    """
    from trainc.cli.exit_codes import OK, WRONG_INPUT
    from trainc.cli.output import choose_format, is_folder, manifest_files

    named, allows_empty = files, (check or prune) and is_folder(output)
    files = options.job_files(named, output, jobs_only, allows_empty)
    is_empty = not files
    reporting: dict[str, object] = {
        "--check": check,
        "--prune": prune,
        "--generate-ssh-key": generate_ssh_key,
        "--summary": summary,
        "--verify": verify,
    }
    messages.require_stderr(reporting, with_json=True)
    are_all = is_folder(output) and all(map(os.path.isdir, named))
    if prune or dry_run:
        from trainc.cli.leftovers import check_prune

        check_prune(prune, output, named, check)
    chosen = cluster.target(backend)
    if generate_ssh_key is not None:
        from trainc.cli.ssh_key import check_options

        check_options(generate_ssh_key, output, check or dry_run)
        chosen = chosen.replace(makes_keys=True)
    form = choose_format(output, format, _EXTENSIONS, "yaml")
    if changed_since is not None:
        files = _changed(files, changed_since, output)
    origins = _source_map(source_map, comments, output, form, check or dry_run)
    kept: Kept | None = None if generate_ssh_key or origins else "summaries" if summary else "manifests"
    verification = _verification(files, set or []) if verify else None
    compile_for = verification.compile_for if verification else _compiler(files, set or [], jobs, messages, kept)
    outcome = compile_for(chosen)
    outcome = _without_last_job(outcome) if allows_empty and are_all else outcome
    if not messages.report(outcome, files, "; nothing was written"):
        return WRONG_INPUT
    if changed_since is not None and not files and not is_empty:
        return OK  # not as if all jobs were gone
    outcome = outcome.without_other_objects() if jobs_only else outcome
    if verification and not verification.verified(outcome, chosen, messages.quiet):
        return WRONG_INPUT
    outcome = origins.of(outcome) if origins else outcome
    if check:
        from trainc.cli.compare import compare

        annotates = messages.are_annotations
        return compare(outcome.jobs, output, form, files, are_all=are_all, annotates=annotates)
    removed: list[str] = []
    if prune:
        from trainc.cli.leftovers import leftovers, print_removed

        removed = leftovers(output, manifest_files(outcome.jobs, output, form, files))
        if dry_run:
            print_removed(removed, dry_run)
            return OK
    _write(outcome.jobs, output, form, files, removed, generate_ssh_key, origins)
    if removed and not messages.quiet:
        print_removed(removed)
    if summary:
        from trainc.cli.summary import print_summary

        print_summary(outcome.jobs, files, set or [], chosen, output)
    return OK


def _without_last_job(outcome: Outcome) -> Outcome:
    if outcome.ok:
        return outcome
    from trainc.cli.leftovers import without_last_job

    return without_last_job(outcome)


def _write(
    jobs: list[Compiled],
    output: str,
    form: str,
    files: list[str],
    removed: list[str],
    key_file: str | None,
    origins: SourceMap | None,
) -> None:
    from trainc.cli.output import is_stream, write

    if key_file is None:
        write(jobs, output, form, files, removed)
    else:
        from trainc.cli.notices import notify
        from trainc.cli.ssh_key import written

        with written(key_file, jobs, is_stream(output)) as (warning, help_):
            write(jobs, output, form, files, removed)
        text = f"warning: {warning}\n  = help: {help_}\n"
        notify("private-key", warning, text, severity="warning", file=key_file, help=help_)
    if origins:
        origins.write(jobs, files)


def _changed(files: list[str], revision: str, output: str) -> list[str]:
    """Return the files to compile: for standard output those that have changed; for files, which also other jobs are
    compiled into or named after, all or none."""
    from trainc.cli.changed import changed_files, has_changes
    from trainc.cli.output import is_stream

    if is_stream(output):
        return changed_files(files, revision)
    return files if has_changes(files, revision, output) else []


def _verification(files: list[str], sets: list[str]) -> Verification:
    from trainc.cli.verify import Verification

    return Verification(files, sets)


def _compiler(
    files: list[str], sets: list[str], jobs: int | None, messages: Messages, kept: Kept | None
) -> Callable[[Target], Outcome]:
    """Return a function that compiles the files for a target; with None for `kept` the outcome has whole jobs."""
    from trainc.cli.inputs import Scale, compile_many, compiler
    from trainc.driver import compile_inputs

    if kept is None:
        return compiler(files, sets)
    scale = Scale(jobs=jobs, shows_progress=not messages.quiet)
    return lambda target: compile_many(files, sets, target, compile_inputs, scale, kept)


def _source_map(name: str | None, comments: bool, output: str, form: str, writes_nothing: bool) -> SourceMap | None:
    if name is None and not comments:
        return None
    from trainc.cli.source_map import SourceMap

    return SourceMap(name, comments, output, form, writes_nothing)
