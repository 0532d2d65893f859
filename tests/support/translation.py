"""Other systems' jobs in our language, and what is said of them."""

from __future__ import annotations

from typing import Any

from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.spec.document import read
from trainc.systems.shared.reader.dispatch import translate_document


def translation(text: str) -> tuple[dict[str, Any], list[str]]:
    """The spec, {} where there is none, and what is said as `CODE LINE: MESSAGE`. Our schema takes the job."""
    [document], problems = load(Source("job.yaml", text))
    assert problems == []
    assert isinstance(document, Mapping)
    job, report = translate_document(document)
    said = sorted((one.span.line, f"{one.code.id} {one.span.line}: {one.message}") for one in report.diagnostics)
    if job is None:
        return {}, [text for _, text in said]
    found = read(job)
    assert not isinstance(found, list), found
    spec: dict[str, Any] = plain(job)["spec"]
    return spec, [text for _, text in said]
