"""Format `sarif`: SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from trainc.diagnostics.codes import SITE
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.formats.strings import checkout_path, public_fix, replace_surrogates
from trainc.diagnostics.report import Report
from trainc.span import LINE_BREAKS, Source, Span

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(report: Report) -> str:
    """Return one run with the violated rules and a result for each diagnostic."""
    diagnostics = {diagnostic.code.id: diagnostic for diagnostic in report.printed}
    order = sorted(diagnostics)
    rules = [_rule(diagnostics[id], report) for id in order]
    driver = {"name": "trainc", "version": version("trainc"), "rules": rules}
    if SITE:
        driver["informationUri"] = SITE
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": list(LINE_BREAKS),
        "results": [_result(diagnostic, order.index(diagnostic.code.id)) for diagnostic in report.printed],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(diagnostic: Diagnostic, report: Report) -> dict[str, Any]:
    """Return the rule of a code, of the severity of its diagnostics: section 3.49."""
    code = diagnostic.code
    title, text = report.page(code)
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": title},
        "help": {"text": code.explanation, **({"markdown": text} if text else {})},
        **({"helpUri": code.url} if code.url else {}),
        "defaultConfiguration": {"level": diagnostic.severity},
        "properties": {"tags": [code.topic]},
    }


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    lines = [diagnostic.message]
    lines += [f"{kind}: {text}" for kind in ("cluster", "expected", "help") if (text := getattr(diagnostic, kind))]
    result = {
        "ruleId": diagnostic.code.id,
        "ruleIndex": rule,
        "level": diagnostic.severity,
        "message": _message("\n".join(lines)),
        "locations": [_location(diagnostic.span)],
    }
    if diagnostic.cluster:
        result["properties"] = {"cluster": replace_surrogates(diagnostic.cluster)}
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": number, **_location(related.span), "message": _message(related.message)}
            for number, related in enumerate(diagnostic.related)
        ]
    if fix := public_fix(diagnostic):
        replacements = [
            {"deletedRegion": _region(edit.span), "insertedContent": {"text": replace_surrogates(edit.text)}}
            for edit in fix.edits
        ]
        change = {"artifactLocation": _artifact(diagnostic.span.source), "replacements": replacements}
        result["fixes"] = [{"description": _message(diagnostic.help or ""), "artifactChanges": [change]}]
    return result


def _message(text: str) -> dict[str, str]:
    # `[text](target)` would be a link, section 3.11.6; a user's text is to be shown as it is.
    return {"text": replace_surrogates(text).replace("](", "\\](")}


def _location(span: Span) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(span.source), "region": _region(span)}}


def _region(span: Span) -> dict[str, int]:
    return dict(zip(("startLine", "startColumn", "endLine", "endColumn"), span.place[1:], strict=True))


def _artifact(source: Source) -> dict[str, str]:
    """Return the path from the checkout's root (%SRCROOT% by convention), else an absolute URI: section 3.4.3."""
    if not source.is_file:
        return {"uri": quote(os.fsencode(source.name), safe="")}
    path = checkout_path(source.name)
    if path is None:
        return {"uri": f"file://{quote(os.fsencode(os.path.abspath(source.name)))}"}
    return {"uri": quote(os.fsencode(path)), "uriBaseId": "%SRCROOT%"}
