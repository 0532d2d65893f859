"""Compilation of `trainc compile`: the options in the order in which they act."""

from __future__ import annotations

import os
from collections.abc import Callable

from trainc.cli.commands.compile import Options
from trainc.cli.compilation import compile_many, compiler, on_cluster, select_jobs
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.output import STDOUT, Destination, Writer, choose_format, is_folder, manifest_files, write
from trainc.cli.parameters import InvalidParameter
from trainc.cli.settings import JobContents, Scale
from trainc.compiled import Compiled, Outcome
from trainc.diagnostics import codes
from trainc.driver import compile_inputs
from trainc.systems.registry import DEFAULT
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.commands.compile.source_map import SourceMap
    from trainc.project.projects import Projects

_EXTENSIONS = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def compile_jobs(options: Options) -> int:
    """Compile the files and write their manifests, or what is requested instead; return the exit code."""
    if options.entry != "all":
        return _compile_jobs(options)
    from trainc.cli.commands.compile.every_cluster import compile_for_all_clusters

    return compile_for_all_clusters(options, _compile_jobs)


def _compile_jobs(options: Options) -> int:
    may_lack_jobs = (options.check or options.prune) and (options.output is None or is_folder(options.output))
    cluster, backend, _ = on_cluster(options.entry, options.cluster, options.backend, options.project)
    listed, projects = options.project.stating(backend).inputs(
        options.files, options.jobs_only, allows_empty=may_lack_jobs
    )
    options = options.replace(messages=options.messages.of_project(projects), values=options.values.of(projects))
    if options.entry is not None:
        select_jobs(listed, projects, options.entry)
    output = options.output or _project_output(options, projects)
    listed = _without_compiled(listed, output)
    form = choose_format(output, options.format, _EXTENSIONS, "yaml")
    destination = Destination(path=output, form=form, inputs=listed)
    target = cluster.target(backend or DEFAULT)
    write_manifests = _writer(options, output)
    if options.generate_ssh_key is not None:
        target = target.replace(makes_keys=True)
    if options.resolved:
        from trainc.cli.commands.compile.resolved import print_resolved

        return print_resolved(options, listed, target, output)
    return _compile(options, destination, target, write_manifests)


def _compile(options: Options, destination: Destination, target: Target, write_manifests: Writer) -> int:
    """Compile the inputs of the output that have changed, and write or compare it; return the exit code."""
    messages, values = options.messages, options.values
    origins = _source_map(options, destination)
    on_stderr = {"--check": options.check, "--prune": options.prune, "--generate-ssh-key": options.generate_ssh_key}
    on_stderr |= {"--summary": options.summary, "--verify": options.verify}
    messages.require_stderr(on_stderr, with_json=True)
    if options.prune or options.dry_run:
        from trainc.cli.leftovers import check_prune

        check_prune(options.prune, destination.path, options.files or [], options.check)
    inputs = _changed(options, destination)
    verification = None
    if options.verify:
        from trainc.cli.commands.compile.verify import Verification

        verification = Verification(inputs, values)
    has_trees = origins is not None
    compile_for = verification.compile_for if verification else _compiler(options, inputs, has_trees)
    outcome = compile_for(target)
    has_all_jobs = (
        destination.is_folder
        and all(map(os.path.isdir, options.files or []))
        and (options.output is not None or not options.files)
    )
    if (options.check or options.prune) and has_all_jobs and not outcome.ok:
        outcome = _without_last_job(outcome)
    if not messages.report(outcome, inputs, "; nothing was written"):
        return WRONG_INPUT
    if destination.inputs and not inputs:
        return OK  # no job has changed, so that all manifests stay
    if options.entry is None and values.projects is not None and values.projects.entries is not None:
        _require_one_cluster(outcome)
    if options.jobs_only:
        outcome = outcome.without_other_objects()
    if verification and not verification.verified(outcome, target, messages.quiet):
        return WRONG_INPUT
    if origins:
        outcome = origins.of(outcome)
    if options.check:
        from trainc.cli.commands.compile.compare import compare

        return compare(outcome.jobs, destination, has_all_jobs=has_all_jobs, annotates=messages.are_annotations)
    _write(options, outcome.jobs, destination, origins, write_manifests)
    if options.summary and not options.dry_run:
        from trainc.cli.summary import print_summary

        print_summary(outcome.jobs, inputs, values, target, destination.path)
    return OK


def _require_one_cluster(outcome: Outcome) -> None:
    """Raise InvalidParameter for jobs of several clusters."""
    names = sorted({job.target.cluster for job in outcome.jobs} - {""})
    if len(names) > 1:
        choice = "select one, or `all`, which writes a directory for each"
        raise InvalidParameter(f"the jobs belong to the clusters {', '.join(names)}: {choice}", "--cluster")


def _project_output(options: Options, projects: Projects | None) -> str:
    """Return the output of a command that names none: that of the project for all its jobs, else standard output.

    A cluster of the project has a directory of its own, as with `--cluster all`.
    """
    if projects is None or options.resolved or (options.files and not options.check):
        return STDOUT
    return projects.main.manifests_path(options.entry) or STDOUT


def _writer(options: Options, output: str) -> Writer:
    """Return `write`, or with --generate-ssh-key a function that also writes a new key."""
    if options.generate_ssh_key is None:
        return write
    from trainc.cli.commands.compile.ssh_key import key_writer

    return key_writer(options.generate_ssh_key, output, options.writes_nothing)


def _without_compiled(listed: list[str], output: str) -> list[str]:
    """Return the files without the manifests of an earlier run into a folder."""
    if not os.path.isdir(output):
        return listed
    from trainc.cli.leftovers import without_compiled

    return without_compiled(listed, output)


def _source_map(options: Options, destination: Destination) -> SourceMap | None:
    if options.source_map is None and not options.comments:
        return None
    from trainc.cli.commands.compile.source_map import SourceMap

    return SourceMap(options.source_map, options.comments, destination, options.writes_nothing)


def _changed(options: Options, destination: Destination) -> list[str]:
    """Return the files to compile, with --changed-since for standard output those that have changed; for files, which
    also other jobs are compiled into or named after, all or none."""
    files, revision, values = destination.inputs, options.changed_since, options.values
    if revision is None:
        return files
    from trainc.cli.changed import changed_files, has_changes

    if destination.is_stream:
        return changed_files(files, revision, values.projects, values.files)
    return files if has_changes(files, revision, destination.path, values.projects, values.files) else []


def _compiler(options: Options, files: list[str], has_trees: bool) -> Callable[[Target], Outcome]:
    """Return a function that compiles the files for a target; `has_trees` if the outcome must have complete jobs."""
    if has_trees or options.generate_ssh_key is not None:
        return compiler(files, options.values)
    contents: JobContents = "summaries" if options.summary else "manifests"
    scale = Scale(jobs=options.jobs, shows_progress=not options.messages.quiet)
    return lambda target: compile_many(files, options.values, target, compile_inputs, scale, contents)


def _without_last_job(outcome: Outcome) -> Outcome:
    """Return an outcome without jobs in place of the error that directories hold only files of other kinds."""
    is_empty = all(each.code is codes.EMPTY_INPUT for each in outcome.diagnostics)
    return Outcome(jobs=[], diagnostics=[]) if is_empty else outcome


def _write(
    options: Options,
    jobs: list[Compiled],
    destination: Destination,
    origins: SourceMap | None,
    write_manifests: Writer,
) -> None:
    """Write the manifests and their source map, and with --prune remove those that are left over.

    With --dry-run, only print these.
    """
    removed: list[str] = []
    if options.prune:
        from trainc.cli.leftovers import leftovers

        removed = leftovers(destination.path, manifest_files(jobs, destination))
    if not options.dry_run:
        write_manifests(jobs, destination, removed)
        if origins:
            origins.write(jobs)
    if removed and (options.dry_run or not options.messages.quiet):
        from trainc.cli.leftovers import print_removed

        print_removed(removed, options.dry_run)
