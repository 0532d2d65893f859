"""Judge the Services, autoscalers, claims and disruption budgets beside a job as the API server does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.judge.api_server import Wording, rejected
from trainc.schema.resource import resource_errors
from trainc.source.node import Mapping, plain, scalar_text
from trainc.span import Place
from trainc.systems.shared.validation.companions import companion


def companion_rejections(documents: Iterable[Mapping], wording: Wording) -> Iterator[Diagnostic]:
    """Yield the errors of objects; those of kinds that aren't known have none."""
    for document in documents:
        known = companion(plain(document))
        if known is not None:
            reported = set[Place]()
            has_spec = isinstance(document.get("spec"), Mapping)
            errors = resource_errors(document, known.schema, True, is_native=True) if has_spec else []
            for diagnostic in errors:
                reported.add(diagnostic.span.place)
                yield diagnostic
            start = wording.own.format(scalar_text(document.get("kind")))
            yield from rejected(start, known.errors(plain(document)), document, reported)
