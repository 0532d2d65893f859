"""Plan as a Mermaid flowchart, which GitHub and many wikis draw: https://mermaid.js.org/syntax/flowchart.html"""

from __future__ import annotations

from trainc.diagnostics.cells import visible
from trainc.plan.formats.graph import Graph, graph
from trainc.plan.formats.summary import MARK, mark
from trainc.plan.plan import Plan

_SHAPES = {
    "owner": ("[[", "]]"),
    "pods": ("[", "]"),
    "service": ("([", "])"),
    "volume": ("[(", ")]"),
    "external": ("{{", "}}"),
}
_ARROWS = {"resolves": "-.->", "rendezvous": "==>"}


def mermaid(plans: list[Plan]) -> str:
    """Format all jobs as one chart."""
    lines = ["flowchart LR"]
    for number, plan in enumerate(plans):
        lines += _lines(graph(plan), f"j{number}")
        if plan.operators:
            text = f"{MARK} created by {' and '.join(plan.operators)}, not in the manifests"
            lines.append(f'  j{number}by["{_text(text)}"]\n  class j{number}by created')
    return "\n".join(lines) + "\n"


def _lines(drawing: Graph, prefix: str) -> list[str]:
    lines = []
    for box in drawing.boxes:
        left, right = _SHAPES[box.kind]
        text = "<br/>".join(_text(line) for line in (box.title + mark(box.is_created), *box.lines))
        lines.append(f'  {prefix}{box.id}{left}"{text}"{right}')
    created = [f"{prefix}{box.id}" for box in drawing.boxes if box.is_created]
    if created:
        lines.append(f"  classDef created stroke-dasharray: 5 4\n  class {','.join(created)} created")
    for edge in drawing.edges:
        label = f'|"{_text(edge.label)}"|' if edge.label else ""
        lines.append(f"  {prefix}{edge.start} {_ARROWS.get(edge.kind, '-->')}{label} {prefix}{edge.end}")
    return lines


def _text(text: str) -> str:
    """Escape all that may be markup to Mermaid or to HTML with Mermaid's own escapes."""
    allowed = f" .,-–/:×‹›{MARK}"
    return "".join(char if char.isalnum() or char in allowed else f"#{ord(char)};" for char in visible(text))
