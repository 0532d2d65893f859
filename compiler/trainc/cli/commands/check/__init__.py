"""`trainc check`."""

from __future__ import annotations

import os

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.parameters import InvalidConfiguration, InvalidParameter, flag, option
from trainc.cli.streams import to_stderr, to_stdout
from trainc.systems.registry import DEFAULT
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.commands.check.baseline import Baseline
    from trainc.cli.compilation import Build, Cluster, Configuration, Values
    from trainc.cli.messages import Messages
    from trainc.compiled import Outcome
    from trainc.frontend import Input
    from trainc.project.projects import Projects
    from trainc.target import Target


def command(
    files: list[str] | None = options.PROJECT_JOBS,
    backend: str | None = options.backend(
        None, "System to check for.  [default: that of the file; for trainc's own jobs that of trainc.yaml, else job]"
    ),
    values: Values = options.VALUES,
    jobs_only: bool = options.JOBS_ONLY,
    jobs: int | None = options.JOBS,
    changed_since: str | None = options.CHANGED_SINCE,
    entry: str | None = options.CLUSTER_ENTRY,
    cluster: Cluster = options.CLUSTER,
    project: Configuration = options.PROJECT,
    messages: Messages = options.MESSAGES,
    fix: bool = flag("--fix", help="Apply safe fixes to the files."),
    diff: bool = flag("--diff", help="Print what --fix would change; write nothing."),
    unsafe_fixes: bool = flag("--unsafe-fixes", help="Also fixes that may change the job."),
    baseline: str | None = option(
        None, "--baseline", metavar="FILE", help="Don't report the findings of FILE until their lines change."
    ),
    write_baseline: str | None = option(
        None, "--write-baseline", metavar="FILE", help="Write all findings to FILE, for --baseline."
    ),
) -> int:
    """Check job files; no output if there is nothing to report.

    Jobs of other systems are checked as they run there.

    The formats json, sarif and junit are documents: they are always written, to standard output.
    """

    build = _build(backend, values)
    try:
        cluster, backend, build = _on_cluster(entry, cluster, backend, build, project)
        target = cluster.target(backend or DEFAULT)
        known = _baseline(baseline)
        listed, projects = project.stating(backend).inputs(files, jobs_only, allows_empty=True)
        build = _of_clusters(entry, listed, projects, build)
    except InvalidConfiguration as problem:
        return _report(messages, _failed(problem), [])
    for name, is_set in (("--fix", fix), ("--diff", diff), ("--changed-since", changed_since)):
        if write_baseline and is_set:
            raise InvalidParameter("conflicts with --write-baseline, which writes the findings of all files", name)
    messages = messages.of_project(projects)
    inputs, values = _changed(listed, changed_since, projects, values.files), values.of(projects)
    if not listed and not messages.quiet and files and projects is None:
        from trainc.cli.skipped import print_no_files

        print_no_files(files)
    if fix or diff:
        from trainc.cli.commands.check.apply_fixes import check_with_fixes

        messages.require_stderr({"--diff": diff})
        fixed = check_with_fixes(inputs, values, target, build, messages.selected, show=diff, unsafe=unsafe_fixes)
        if fixed is None:
            return WRONG_INPUT
        outcome = fixed
    elif unsafe_fixes:
        raise InvalidParameter("requires --fix or --diff", "--unsafe-fixes")
    else:
        from trainc.cli.compilation import Scale, compile_many

        scale = Scale(jobs=jobs, shows_progress=not messages.quiet)
        outcome = compile_many(inputs, values, target, build, scale, contents="names")
    outcome = _without_other_kinds(outcome, inputs, jobs_only or all(map(os.path.isdir, files or [])))
    for job in outcome.jobs:  # a template that fails must not fail first at compile
        job.manifests()
    are_limited = files or backend or entry or changed_since or jobs_only or values.are_stated or target.states_version
    outcome = _with_unused_ignores(outcome, projects if project.runs_checks and not are_limited else None)
    if write_baseline:
        from trainc.cli.commands.check.baseline import write_baseline as write

        write(write_baseline, messages.selected(outcome.diagnostics), inputs)
        return OK
    if known is not None:
        outcome = outcome.replace(diagnostics=known.new(outcome.diagnostics))
        if not messages.quiet:
            known.report_gone(inputs)
    return _report(messages, outcome, inputs)


def _with_unused_ignores(outcome: Outcome, projects: Projects | None) -> Outcome:
    if projects is None or not outcome.ok or projects.has("environments"):  # errors and environments hide warnings
        return outcome
    unused = projects.unused_ignores()
    if not unused:
        return outcome
    from trainc.diagnostics.diagnostic import in_order

    projects.redact()
    return outcome.replace(diagnostics=in_order([*outcome.diagnostics, *unused]))


def _baseline(name: str | None) -> Baseline | None:
    if name is None:
        return None
    from trainc.cli.commands.check.baseline import Baseline

    return Baseline(name)


def _on_cluster(
    entry: str | None, cluster: Cluster, backend: str | None, build: Build, project: Configuration
) -> tuple[Cluster, str | None, Build]:
    """Return the options for a cluster, with what its entry states, and a function that judges jobs on it, too."""
    if entry is None:
        return cluster, backend, build
    from trainc.cli.clusters import judging, select_cluster, with_entry

    selected = select_cluster(entry, project.main)
    return *with_entry(cluster, backend, selected), judging(build, selected)


def _of_clusters(entry: str | None, files: list[str], projects: Projects | None, build: Build) -> Build:
    """Select the jobs of a cluster; without one, return a function that judges each job on its own cluster."""
    if projects is None or projects.entries is None:
        return build
    if entry is None:
        from trainc.cli.clusters import judging_by_job

        return judging_by_job(build, projects)
    from trainc.cli.cluster_files import select_jobs

    select_jobs(files, projects, entry)
    return build


def _report(messages: Messages, outcome: Outcome, files: list[str]) -> int:
    # A document is the result of the command.
    passes = messages.report(outcome, files, write=to_stdout if messages.are_a_document else to_stderr)
    return OK if passes else WRONG_INPUT


def _failed(problem: InvalidConfiguration) -> Outcome:
    from trainc.compiled import Outcome
    from trainc.diagnostics.diagnostic import in_order

    return Outcome(jobs=[], diagnostics=in_order(problem.diagnostics))


def _changed(listed: list[str], changed_since: str | None, projects: Projects | None, values: list[str]) -> list[str]:
    """Return the files to check, without project files, which have been checked."""
    listed = listed if projects is None else [name for name in listed if not projects.is_own(name)]
    if changed_since is None:
        return listed
    from trainc.cli.changed import changed_files

    return changed_files(listed, changed_since, projects, values)


def _build(backend: str | None, values: Values) -> Build:
    """Return a function that compiles inputs, for their own systems without a back end, and gives problems a fix.

    A fix would change a value that an option replaces.
    """
    from trainc.driver import check_inputs, compile_inputs

    compile_plain = compile_inputs if backend else check_inputs

    def build(inputs: list[Input], target: Target) -> Outcome:
        outcome = compile_plain(inputs, target)
        if values.are_stated or not any(diagnostic.remedy for diagnostic in outcome.diagnostics):
            return outcome
        from trainc.fixes import with_fixes

        return with_fixes(outcome, inputs, lambda edited: compile_plain(edited, target))

    return build


def _without_other_kinds(outcome: Outcome, files: list[str], may_lack_jobs: bool) -> Outcome:
    from trainc.cli.input_files import ListedFile

    if not outcome.diagnostics or outcome.skipped or not any(isinstance(name, ListedFile) for name in files):
        return outcome
    from trainc.cli.skipped import without_other_kinds

    return without_other_kinds(outcome, files, may_lack_jobs)
