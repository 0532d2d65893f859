"""Values that a job has for the fields that a section of its file lacks."""

from __future__ import annotations

import re

from trainc.compiled import Compiled
from trainc.provenance.manifests import job_origins
from trainc.provenance.origins import job_document
from trainc.report.document import Document, Fact, Items
from trainc.report.markdown import markdown
from trainc.schema.fields import Field, field
from trainc.schema.paths import node_at
from trainc.source.node import Mapping

_RULE = re.compile(r"(?<=\. )(Default\b[^:]*: .*?)\.(?: |$)")  # sentence of a description


def default_help(path: tuple[str, ...], job: Compiled) -> str:
    """Return the defaults in the manifests of the fields that the section at a path lacks, as Markdown.

    It is empty for a field that is no section.
    """
    if path[:1] != ("spec",) or not isinstance(node_at(job_document(job.spec), path), Mapping):
        return ""
    section = ".".join(path)
    values: dict[str, list[str]] = {}
    for manifest in job_origins(job):
        for each in manifest:
            if each.rule is not None and each.rule.field.startswith(f"{section}."):
                values.setdefault(each.rule.field, []).append(each.leaf.text)
    facts = [
        Fact(name=name.removeprefix(f"{section}."), text=_value(texts, default_rule(field(name))))
        for name, texts in sorted(values.items())
    ]
    return f"Defaults:\n\n{markdown([Document(blocks=(Items(items=tuple(facts)),))]).strip()}" if facts else ""


def default_rule(own: Field) -> str:
    """Return the sentence of a field's description that says its default; empty without one."""
    match = _RULE.search(own.description)
    return match[1] if match else ""


def _value(texts: list[str], rule: str) -> str:
    return f"{', '.join(dict.fromkeys(texts))}{f' ({rule})' if rule else ''}"
