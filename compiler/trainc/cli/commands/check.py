"""`trainc check`."""

from __future__ import annotations

import os

from trainc.cli import options
from trainc.cli.directories import ListedFile
from trainc.cli.parameters import InvalidParameter, flag
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.inputs import Cluster
    from trainc.cli.messages import Messages


def command(
    files: list[str] = options.FILES,
    backend: str | None = options.OWN_BACKEND,
    set: list[str] | None = options.SETS,
    jobs_only: bool = options.JOBS_ONLY,
    jobs: int | None = options.JOBS,
    changed_since: str | None = options.CHANGED_SINCE,
    cluster: Cluster = options.CLUSTER,
    messages: Messages = options.MESSAGES,
    fix: bool = flag("--fix", help="Apply safe fixes to the files."),
    diff: bool = flag("--diff", help="Print what --fix would change; write nothing."),
    unsafe_fixes: bool = flag("--unsafe-fixes", help="Also fixes that may change the job."),
) -> int:
    """Check job files; no output if there is nothing to report.

    Jobs of other systems are checked as they run there.

    The formats json, sarif and junit are documents: they are always written, to standard output.
    """
    from trainc.cli.exit_codes import OK, WRONG_INPUT
    from trainc.cli.inputs import Scale, compile_many
    from trainc.cli.streams import to_stderr, to_stdout
    from trainc.driver import Outcome, check_inputs, compile_inputs
    from trainc.frontend import Input
    from trainc.systems.registry import DEFAULT
    from trainc.target import Target

    named, files = files, options.job_files(files, jobs_only=jobs_only, allows_empty=True)
    if not files and not messages.quiet:
        from trainc.cli.skipped import print_no_files

        print_no_files(named)
    if changed_since is not None:
        from trainc.cli.changed import changed_files

        files = changed_files(files, changed_since)
    chosen = cluster.target(backend or DEFAULT)

    def build(inputs: list[Input], chosen: Target) -> Outcome:
        plain_build = compile_inputs if backend else check_inputs
        outcome = plain_build(inputs, chosen)
        if set or not any(diagnostic.remedy for diagnostic in outcome.diagnostics):
            return outcome
        from trainc.fixes import with_fixes

        return with_fixes(outcome, inputs, lambda edited: plain_build(edited, chosen))

    if fix or diff:
        from trainc.cli.fixes import check_with_fixes
        from trainc.cli.inputs import source_compiler

        messages.require_stderr({"--diff": diff})
        fixed = check_with_fixes(
            files,
            lambda sources, errors: source_compiler(sources, errors, set or [], build)(chosen),
            messages.selected,
            show=diff,
            unsafe=unsafe_fixes,
        )
        if fixed is None:
            return WRONG_INPUT
        outcome = fixed
    elif unsafe_fixes:
        raise InvalidParameter("requires --fix or --diff", "--unsafe-fixes")
    else:
        scale = Scale(jobs=jobs, shows_progress=not messages.quiet)
        outcome = compile_many(files, set or [], chosen, build, scale, contents="names")
    if outcome.diagnostics and not outcome.skipped and any(isinstance(name, ListedFile) for name in files):
        from trainc.cli.skipped import without_other_kinds

        outcome = without_other_kinds(outcome, files, jobs_only or all(map(os.path.isdir, named)))
    for job in outcome.jobs:  # a template that fails must not fail first at compile
        job.manifests()
    # A document is the result of the command.
    passes = messages.report(outcome, files, write=to_stdout if messages.are_a_document else to_stderr)
    return OK if passes else WRONG_INPUT
