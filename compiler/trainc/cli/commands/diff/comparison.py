"""`trainc diff`: read and compile both versions, compare them, and print the difference."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from trainc.cli.commands.diff import Options
from trainc.cli.commands.diff.causes import Causes
from trainc.cli.commands.diff.revision import copies_at, name_at
from trainc.cli.commands.diff.versions import Version, compared_objects, read_version
from trainc.cli.exit_codes import OK, USAGE, WRONG_INPUT
from trainc.cli.invocation import apply_command
from trainc.cli.messages import Messages
from trainc.cli.output import is_stream, write_text
from trainc.cli.parameters import InvalidConfiguration, InvalidParameter
from trainc.cli.report_format import format_report
from trainc.cli.settings import Values
from trainc.cli.terminal import has_color
from trainc.compiled import Outcome
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import in_order
from trainc.diff.formats.facts import Labels
from trainc.diff.formats.findings import diagnostics
from trainc.diff.formats.json_document import summary_json, to_json
from trainc.diff.formats.report import report, summary_report
from trainc.diff.jobs import JobDiff, job_diffs
from trainc.diff.objects import object_diffs
from trainc.diff.redact import Redactor
from trainc.diff.summary import Group, group_changes, job_name
from trainc.span import Source, Span
from trainc.target import Target

CHANGES = WRONG_INPUT  # as of `kubectl diff`; an invalid job exits with USAGE, as all errors of kubectl are above 1


def show_diff(options: Options) -> int:
    """Print the difference; return the exit code. Raises InvalidParameter for a wrong number of files.

    With --git, the files are by default the jobs of the project.
    """
    git, project, target = options.git, options.report.project, options.report.target
    form, output, values = options.report.form, options.report.output, options.report.values
    files = options.files or ([] if git is None else project.default_files())
    if options.summary and form in ("github", "sarif"):
        raise InvalidParameter(f"has the formats text, json and markdown, not {form}", "--summary")
    copies: list[str] = []
    with ExitStack() as stack:
        if git is None:
            if len(files) != 2:
                raise InvalidParameter(f"two versions are compared, not {len(files)}; or use --git REV", "FILE")
            if files[1] == "-":
                raise InvalidParameter("only OLD can be standard input", "FILE")
            old_files, new_files = files[:1], files[1:]
        else:
            if "-" in files:
                raise InvalidParameter("standard input has no revision", "FILE")
            copies = stack.enter_context(copies_at(git, files))
            old_files = [copy for copy in copies if copy]
            new_files = [name for name in files if os.path.lexists(name)]
        try:
            old = read_version(old_files, values, project, target)
        except InvalidConfiguration as problem:
            for source in {each.span.source for each in problem.diagnostics}:
                source.name = name_at(git or "", source.name)
            raise
        new = read_version(new_files, values, project, target)
    if git is not None:
        names = {copy: f"{git}:{name}" for copy, name in zip(copies, files, strict=True) if copy}
        old.rename_sources(names, partial(name_at, git))
    for version in (old, new):
        if not options.messages.replace(quiet=True).report(version.outcome, files, "; nothing was compared"):
            return USAGE
    if options.summary:
        changes, printed = _format_summary(old, new, new.target, form)
        write_text(printed, output, files)
        return CHANGES if changes else OK
    cluster = new.target  # its versions may be those of a project file
    jobs = [
        each.replace(cluster=name)
        for name, before, after in compared_objects(old, new)
        for each in job_diffs(before, after, cluster.minor, old.checkpoints, new.checkpoints, cluster.versions)
    ]
    labels = Labels(jobs, lambda job: _apply(new, new.file_of(job.name, new_files), target, values))
    write_text(_format(jobs, labels, new, form, output), output, files)
    return CHANGES if any(each.changes for each in jobs) else OK


def _apply(new: Version, files: Sequence[str], target: Target, values: Values) -> str:
    """Return the command that applies the new version."""
    if new.is_compiled:
        return visible(apply_command(files, values.options, target))
    return visible(f"kubectl apply {shlex.join(word for name in files for word in ('-f', name))}")


def _format(jobs: list[JobDiff], labels: Labels, new: Version, form: str, output: str) -> str:
    if form == "json":
        return to_json(jobs, labels)
    if form in ("text", "markdown"):
        nothing = "No running job changes." if form == "markdown" else "no change"
        color = is_stream(output) and has_color(sys.stdout)
        return format_report([report(jobs, labels, nothing)], form, color=color)
    return _findings(jobs, labels, new, form)


def _findings(jobs: list[JobDiff], labels: Labels, new: Version, form: str) -> str:
    start = Span(Source(new.files[0] if new.files else "<git>", ""), 1, 1, 1, 2)
    findings = in_order(diagnostics(jobs, labels, lambda job: new.origins.get(job.name, start)))
    texts: list[str] = []
    Messages(form=form, strict=False, select=[], ignore=[]).report(
        Outcome(jobs=[], diagnostics=findings), new.files, write=texts.append
    )
    return "".join(texts)


def _format_summary(old: Version, new: Version, target: Target, form: str) -> tuple[bool, str]:
    """Return whether an object changes, and the changes grouped by cause, in a format."""
    diffs = [
        each
        for _, before, after in compared_objects(old, new)
        for each in object_diffs(before, after, target.minor, target.versions)
    ]
    changed = [each for each in diffs if each.outcome != "nothing"]
    redactor = Redactor([version for each in changed for version in (each.old, each.new)])
    groups = group_changes(changed, redactor, Causes(new.jobs))
    return bool(groups), _format_groups(groups, len({job_name(each) for each in diffs}), form)


def _format_groups(groups: list[Group], total: int, form: str) -> str:
    if form == "json":
        return summary_json(groups, total)
    return format_report([summary_report(groups, total)], form)
