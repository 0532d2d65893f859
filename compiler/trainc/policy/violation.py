"""Violation of a policy, and the diagnostic about it."""

from __future__ import annotations

from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.judge.position import span_at
from trainc.policy.policy import Policy
from trainc.record import Record
from trainc.schema.paths import Path
from trainc.source.node import Mapping


class Violation(Record):
    """Value of an object, at `path`, that the field `field` of a policy, or its item, does not allow.

    The path may be longer than the object: the last field that exists is reported. `manifest_help` replaces `help` in a
    manifest, which lacks the fields of a job file.
    """

    code: Code
    message: str
    help: str
    manifest_help: str = ""
    document: Mapping
    path: Path
    field: str
    item: str = ""
    ignorable_by: str = ""  # name in `ignorable`, if it isn't the field


def diagnostic(violation: Violation, policy: Policy, is_manifest: bool = False) -> Diagnostic:
    """Return the error, or the warning if the policy lets files ignore it."""
    help_ = (violation.manifest_help if is_manifest else "") or violation.help
    severity = warning if (violation.ignorable_by or violation.field) in policy.ignorable else error
    where = span_at(violation.document, violation.path)
    related = [(policy.where(violation.field, violation.item), "the policy")]
    return severity(violation.code, violation.message, where, help=help_, related=related)
