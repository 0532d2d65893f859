"""Report a job with more pods than a job of trainc can have, before its pods and their names are computed."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.schema.paths import node_at
from trainc.source.node import Mapping, plain
from trainc.systems.shared.pod_counts import excess
from trainc.systems.shared.reader.report import TranslationReport


def report_excess(document: Mapping, report: TranslationReport) -> None:
    """Set the limit of a report if the job, its runtime or its autoscaler exceeds it."""
    owner = plain(document)
    for node in (document, *report.other_objects):
        excessive = excess(owner if node is document else plain(node), owner)
        if excessive is not None:
            field = node_at(node, excessive.path) or node
            message, expected = excessive.message, excessive.expected
            report.limit = error(codes.INVALID_VALUE, message, field.span, expected=expected)
            report.diagnostics.append(report.limit)
            return
