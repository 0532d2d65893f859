"""Translation of a foreign job."""

from __future__ import annotations

from typing import Any

from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.spec.document import read
from trainc.systems.shared.reader.documents import translate_document


def translate(text: str) -> tuple[dict[str, Any], list[str]]:
    """Return the spec, {} if there are errors, and the diagnostics as `CODE LINE: MESSAGE`. The spec is valid."""
    [document], problems = load(Source("job.yaml", text))
    assert problems == []
    assert isinstance(document, Mapping)
    job, report = translate_document(document)
    messages = sorted(
        (diagnostic.span.line, f"{diagnostic.code.id} {diagnostic.span.line}: {diagnostic.message}")
        for diagnostic in report.diagnostics
    )
    if job is None:
        return {}, [text for _, text in messages]
    result = read(job)
    assert not isinstance(result, list), result
    spec: dict[str, Any] = plain(job)["spec"]
    return spec, [text for _, text in messages]
