"""One plan as text, as Markdown, and as values of JSON."""

from __future__ import annotations

import json
from typing import Any

from trainc.plan.formats import json_document, report
from trainc.plan.plan import Plan
from trainc.report import markdown as markdown_printer
from trainc.report import text as text_printer


def text(plan: Plan, width: int) -> str:
    return text_printer.text([report.report(plan)], width)


def markdown(plan: Plan) -> str:
    return markdown_printer.markdown([report.report(plan)])


def document(plan: Plan) -> dict[str, Any]:
    (values,) = json.loads(json_document.to_json([plan]))
    return dict(values)
