"""Translate labels of the operator's pods; report labels and variables that trainc's pods lack."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Scalar, Sequence
from trainc.systems.pytorchjob import facts
from trainc.systems.shared.reader.host_names import strings
from trainc.systems.shared.reader.injected_env import referenced_variables
from trainc.systems.shared.reader.report import TranslationReport
from trainc.well_known import JOB_LABEL, ROLE_LABEL

EQUIVALENTS = {facts.JOB_LABEL: JOB_LABEL}


def translate_labels(value: Any, report: TranslationReport) -> Any:
    """Return a value of a pod template with trainc's labels; the operator's labels without equivalent are reported."""
    if isinstance(value, Mapping):
        pairs = ((_translate(entry.key, report), entry.value) for entry in value.entries.values())
        return Mapping({str(key.value): Entry(key, translate_labels(node, report)) for key, node in pairs}, value.span)
    if isinstance(value, Sequence):
        return Sequence([translate_labels(item, report) for item in value.items], value.span)
    if isinstance(value, list):
        return [translate_labels(item, report) for item in value]
    if isinstance(value, dict):
        return {key: translate_labels(item, report) for key, item in value.items()}
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


def report_lost_variables(names: tuple[str, ...], patch: dict[str, Any], report: TranslationReport) -> None:
    """Report the operator's variables that other containers use; trainc sets them in the training container only.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    for word in strings(patch.get("spec", {}).get("containers")):
        for name in sorted(referenced_variables([word]) & set(names)):
            report.add_dropped(name, word.span, "trainc sets it in the training container only")
