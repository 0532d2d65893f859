"""A plan as a Mermaid flowchart, which GitHub and many wikis draw: https://mermaid.js.org/syntax/flowchart.html"""

from __future__ import annotations

from trainc.diagnostics.cells import visible
from trainc.plan.plan import Plan
from trainc.plan.show.graph import Graph, graph

_SHAPES = {
    "owner": ("[[", "]]"),
    "pods": ("[", "]"),
    "service": ("([", "])"),
    "volume": ("[(", ")]"),
    "outside": ("{{", "}}"),
}


def mermaid(plans: list[Plan]) -> str:
    """One chart of all jobs."""
    lines = ["flowchart LR"]
    for number, plan in enumerate(plans):
        lines += _lines(graph(plan), f"j{number}")
    return "\n".join(lines) + "\n"


def _lines(found: Graph, prefix: str) -> list[str]:
    lines = []
    for box in found.boxes:
        left, right = _SHAPES[box.kind]
        text = "<br/>".join(_text(line) for line in (box.title, *box.lines))
        lines.append(f'  {prefix}{box.id}{left}"{text}"{right}')
    for edge in found.edges:
        arrow = "-.->" if edge.kind == "names" else "==>" if edge.kind == "meets" else "-->"
        label = f'|"{_text(edge.label)}"|' if edge.label else ""
        lines.append(f"  {prefix}{edge.start} {arrow}{label} {prefix}{edge.end}")
    return lines


def _text(text: str) -> str:
    """Mermaid's own escapes, for all that may be markup to it or to HTML."""
    return "".join(one if one.isalnum() or one in " .,-–/:×‹›" else f"#{ord(one)};" for one in visible(text))
