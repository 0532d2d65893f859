"""Translate the operator's labels in selectors and in fieldRefs; trainc's pods have labels of their own."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Scalar, Sequence
from trainc.systems.pytorchjob import facts
from trainc.systems.shared.reader.report import TranslationReport
from trainc.well_known import JOB_LABEL, ROLE_LABEL

EQUIVALENTS = {facts.JOB_LABEL: JOB_LABEL}


def translate_labels(value: Any, report: TranslationReport) -> Any:
    """Return a value of a pod template with trainc's labels; the operator's labels without equivalent are reported."""
    if isinstance(value, Mapping):
        entries = [
            Entry(_translate(entry.key, report), translate_labels(entry.value, report))
            for entry in value.entries.values()
        ]
        names = [str(entry.key.value) for entry in entries]
        return Mapping(dict(zip(names, entries, strict=True)), value.span)
    if isinstance(value, Sequence):
        return Sequence([translate_labels(item, report) for item in value.items], value.span)
    if isinstance(value, list):
        return [translate_labels(item, report) for item in value]
    return _translate(value, report) if isinstance(value, Scalar) else value


def _translate(node: Scalar, report: TranslationReport) -> Scalar:
    """Translate a label that is a key, an item of matchLabelKeys, or the field of a fieldRef."""
    text = node.value if isinstance(node.value, str) else ""
    is_field = text.startswith("metadata.labels['") and text.endswith("']")
    label = text[len("metadata.labels['") : -len("']")] if is_field else text
    if not label.startswith(facts.LABELS):
        return node
    equivalent = EQUIVALENTS.get(label)
    if equivalent is not None:
        report.add_change(f"the label `{label}` becomes `{equivalent}`", node.span)
        text = text.replace(label, equivalent)
    elif is_field:
        why = "only the operator's pods have this label, and the variable would be empty"
        help_ = "use RANK, or PET_NODE_RANK with the static rendezvous"
        report.add_dropped(label, node.span, why, help=help_)
    else:
        message = f"the label `{label}` matches no pod: only the operator's pods have it"
        report.add_change(message, node.span, help=f"select {JOB_LABEL} and {ROLE_LABEL}: worker")
    return Scalar(text, text, node.span)
