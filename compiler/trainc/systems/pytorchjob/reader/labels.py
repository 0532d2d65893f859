"""Labels of the operator's that a pod template selects by or hands to the program: no pod of ours has them."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.systems.shared.reader.report import TranslationReport
from trainc.well_known import JOB_LABEL, ROLE_LABEL

PREFIX = "training.kubeflow.org/"
# https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/common_types.go
OURS = {f"{PREFIX}job-name": JOB_LABEL}


def translate_labels(value: Any, report: TranslationReport) -> Any:
    """A value of a pod's with the operator's labels called as ours are; those that we have none for are said."""
    if isinstance(value, Mapping):
        return Mapping({_called(key, entry, report): _entry(entry, report) for key, entry in _pairs(value)}, value.span)
    if isinstance(value, Sequence):
        return Sequence([translate_labels(item, report) for item in value.items], value.span)
    if isinstance(value, list):
        return [translate_labels(item, report) for item in value]
    return _scalar(value, report) if isinstance(value, Scalar) else value


def _pairs(node: Mapping) -> list[tuple[str, Entry]]:
    return list(node.entries.items())


def _called(key: str, entry: Entry, report: TranslationReport) -> str:
    return str(_scalar(entry.key, report, say=False).value) if key.startswith(PREFIX) else key


def _entry(entry: Entry, report: TranslationReport) -> Entry:
    value: Node = translate_labels(entry.value, report)
    return Entry(_scalar(entry.key, report), value)


def _scalar(node: Scalar, report: TranslationReport, say: bool = True) -> Scalar:
    """A label that is a key, one of matchLabelKeys, or the field of a fieldRef."""
    text = node.value if isinstance(node.value, str) else ""
    field = text.startswith("metadata.labels['") and text.endswith("']")
    label = text[len("metadata.labels['") : -len("']")] if field else text
    if not label.startswith(PREFIX):
        return node
    ours = OURS.get(label)
    if say and ours is None and field:
        why = "only the operator's pods have the label, and the variable would be empty"
        report.add_dropped(
            label, node.span, why, help="a worker's number is RANK, or PET_NODE_RANK of a static rendezvous"
        )
    elif say and ours is None:
        message = f"only the operator's pods have the label `{label}`: with trainc nothing is found by it"
        report.add_change(message, node.span, help=f"every worker has {JOB_LABEL} and {ROLE_LABEL}: worker")
    elif say:
        report.add_change(f"the label `{label}` is `{ours}` with trainc", node.span)
    new = text.replace(label, ours) if ours is not None else text
    return Scalar(new, new, node.span)
