"""Check of `trainc check`: the options in the order in which they act."""

from __future__ import annotations

import os

from trainc.cli.commands.check import Options
from trainc.cli.compilation import compile_many, on_cluster, select_jobs
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.input_files import ListedFile
from trainc.cli.messages import Messages
from trainc.cli.parameters import InvalidConfiguration, InvalidParameter
from trainc.cli.settings import Build, Scale, Values
from trainc.cli.streams import to_stderr, to_stdout
from trainc.compiled import Input, Outcome
from trainc.diagnostics.diagnostic import in_order
from trainc.driver import check_inputs, compile_inputs
from trainc.systems.registry import DEFAULT
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.commands.check.baseline import Baseline
    from trainc.project.projects import Projects


def check_jobs(options: Options) -> int:
    """Check the files, and fix them or write a baseline if that is requested; return the exit code."""
    messages, entry = options.messages, options.entry
    build = _build(options.backend, options.values)
    try:
        cluster, backend, selected = on_cluster(entry, options.cluster, options.backend, options.project)
        target = cluster.target(backend or DEFAULT)
        known = _baseline(options.baseline)
        listed, projects = options.project.stating(backend).inputs(options.files, options.jobs_only, allows_empty=True)
        if projects is not None and projects.entries is not None and entry is not None:
            select_jobs(listed, projects, entry)
        if selected is not None or (projects is not None and projects.entries is not None):
            from trainc.cli.clusters import judging

            build = judging(build, selected, projects)
    except InvalidConfiguration as problem:
        return _report(messages, Outcome(jobs=[], diagnostics=in_order(problem.diagnostics)), [])
    flags = (("--fix", options.fix), ("--diff", options.diff), ("--changed-since", options.changed_since))
    for name, is_set in flags if options.write_baseline else ():
        if is_set:
            raise InvalidParameter("conflicts with --write-baseline, which writes the findings of all files", name)
    messages, values = messages.of_project(projects), options.values.of(projects)
    inputs = _changed(listed, options.changed_since, values)
    if not listed and not messages.quiet and options.files and projects is None:
        from trainc.cli.skipped import print_no_files

        print_no_files(options.files)
    outcome = _outcome(options, inputs, values, target, build, messages)
    if outcome is None:
        return WRONG_INPUT
    outcome = _without_other_kinds(outcome, inputs, options.jobs_only or all(map(os.path.isdir, options.files or [])))
    for job in outcome.jobs:  # a template that fails must not fail first at compile
        job.manifests()
    are_limited = options.files or backend or entry or options.changed_since or options.jobs_only or values.are_stated
    if options.project.runs_checks and not are_limited and not target.states_version:
        outcome = _with_unused_ignores(outcome, projects)
    if options.write_baseline:
        from trainc.cli.commands.check.baseline import write_baseline

        write_baseline(options.write_baseline, messages.selected(outcome.diagnostics), inputs)
        return OK
    if known is not None:
        outcome = outcome.replace(diagnostics=known.new(outcome.diagnostics))
        if not messages.quiet:
            known.report_gone(inputs)
    return _report(messages, outcome, inputs)


def _baseline(name: str | None) -> Baseline | None:
    if name is None:
        return None
    from trainc.cli.commands.check.baseline import Baseline

    return Baseline(name)


def _build(backend: str | None, values: Values) -> Build:
    """Return a function that compiles inputs, for their own systems without a back end, and gives problems a fix.

    A fix would change a value that an option replaces.
    """
    compile_plain = compile_inputs if backend else check_inputs

    def build(inputs: list[Input], target: Target) -> Outcome:
        outcome = compile_plain(inputs, target)
        if values.are_stated or not any(diagnostic.remedy for diagnostic in outcome.diagnostics):
            return outcome
        from trainc.fixes import with_fixes

        return with_fixes(outcome, inputs, lambda edited: compile_plain(edited, target))

    return build


def _changed(listed: list[str], changed_since: str | None, values: Values) -> list[str]:
    """Return the files to check, without project files, which have been checked."""
    projects = values.projects
    listed = listed if projects is None else [name for name in listed if not projects.is_own(name)]
    if changed_since is None:
        return listed
    from trainc.cli.changed import changed_files

    return changed_files(listed, changed_since, projects, values.files)


def _outcome(
    options: Options, files: list[str], values: Values, target: Target, build: Build, messages: Messages
) -> Outcome | None:
    """Return the outcome, with --fix after all fixes; None if --diff has printed them.

    Raises InvalidParameter for options that conflict.
    """
    if not options.fix and not options.diff:
        if options.unsafe_fixes:
            raise InvalidParameter("requires --fix or --diff", "--unsafe-fixes")
        scale = Scale(jobs=options.jobs, shows_progress=not messages.quiet)
        return compile_many(files, values, target, build, scale, contents="names")
    from trainc.cli.commands.check.apply_fixes import check_with_fixes

    messages.require_stderr({"--diff": options.diff})
    show, unsafe = options.diff, options.unsafe_fixes
    return check_with_fixes(files, values, target, build, messages.selected, show=show, unsafe=unsafe)


def _without_other_kinds(outcome: Outcome, files: list[str], may_lack_jobs: bool) -> Outcome:
    if not outcome.diagnostics or outcome.skipped or not any(isinstance(name, ListedFile) for name in files):
        return outcome
    from trainc.cli.skipped import without_other_kinds

    return without_other_kinds(outcome, files, may_lack_jobs)


def _with_unused_ignores(outcome: Outcome, projects: Projects | None) -> Outcome:
    if projects is None or not outcome.ok or projects.has("environments"):  # errors and environments hide warnings
        return outcome
    unused = projects.unused_ignores()
    if not unused:
        return outcome
    projects.redact()
    return outcome.replace(diagnostics=in_order([*outcome.diagnostics, *unused]))


def _report(messages: Messages, outcome: Outcome, files: list[str]) -> int:
    # A document is the result of the command.
    passes = messages.report(outcome, files, write=to_stdout if messages.are_a_document else to_stderr)
    return OK if passes else WRONG_INPUT
