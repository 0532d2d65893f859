"""`trainc diff --summary`: changes of all jobs, grouped by cause."""

from __future__ import annotations

from trainc.cli.commands.diff.causes import Causes
from trainc.cli.commands.diff.versions import Version, compared_objects
from trainc.cli.report_format import format_report
from trainc.diff.formats.json_document import summary_json
from trainc.diff.formats.report import summary_report
from trainc.diff.objects import object_diffs
from trainc.diff.redact import Redactor
from trainc.diff.summary import Group, group_changes, job_name
from trainc.target import Target


def format_summary(old: Version, new: Version, target: Target, form: str) -> tuple[bool, str]:
    """Return whether an object changes, and the report in a format."""
    diffs = [
        each
        for _, before, after in compared_objects(old, new)
        for each in object_diffs(before, after, target.minor, target.versions)
    ]
    changed = [each for each in diffs if each.outcome != "nothing"]
    redactor = Redactor([version for each in changed for version in (each.old, each.new)])
    groups = group_changes(changed, redactor, Causes(new.jobs))
    return bool(groups), _format(groups, len({job_name(each) for each in diffs}), form)


def _format(groups: list[Group], total: int, form: str) -> str:
    if form == "json":
        return summary_json(groups, total)
    return format_report([summary_report(groups, total)], form)
