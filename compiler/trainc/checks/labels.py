"""Labels of the user's that are trainc's own."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import Mapping

PREFIX = "trainc.dev/"


def check(case: Case) -> Iterator[Diagnostic]:
    """Labels under trainc.dev/ select the pods; anywhere else they may not be set."""
    labels = case.spec.metadata.node.get("labels")
    for name in case.spec.metadata.labels:
        if name.startswith(PREFIX) and isinstance(labels, Mapping):
            message = f"labels that start with {PREFIX} are set by trainc"
            yield error(codes.RESERVED_LABEL, message, labels.entries[name].key.span)
