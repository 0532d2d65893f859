"""Objects in files of their own to which the planned objects of a job refer, such as its runtime."""

from __future__ import annotations

from typing import Any

from trainc.source.load import load
from trainc.source.node import Mapping, plain, scalar_text
from trainc.span import Source
from trainc.systems.registry import is_template


def split_templates(sources: list[Source]) -> tuple[list[Source], list[dict[str, Any]]]:
    """Return the sources with jobs, and the objects of those that have only templates, from which no pods follow."""
    if len(sources) < 2:
        return sources, []
    jobs: list[Source] = []
    templates: list[dict[str, Any]] = []
    for source in sources:
        documents, problems = load(source) if "Runtime" in source.text or "PodTemplate" in source.text else ([], [])
        objects = [
            each for each in documents if isinstance(each, Mapping) and is_template(scalar_text(each.get("kind")))
        ]
        if not problems and documents and len(objects) == len(documents):
            templates += map(plain, objects)
        else:
            jobs.append(source)
    return (jobs, templates) if jobs else (sources, [])
