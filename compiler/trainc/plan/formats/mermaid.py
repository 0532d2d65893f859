"""A plan as a Mermaid flowchart, which GitHub and many wikis draw: https://mermaid.js.org/syntax/flowchart.html"""

from __future__ import annotations

from trainc.diagnostics.cells import visible
from trainc.plan.formats.graph import Graph, graph
from trainc.plan.formats.summary import MADE, mark
from trainc.plan.plan import Plan

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
        if plan.operators:
            text = f"{MADE} made by {' and '.join(plan.operators)}, not in the manifests"
            lines.append(f'  j{number}by["{_text(text)}"]\n  class j{number}by made')
    return "\n".join(lines) + "\n"


def _lines(found: Graph, prefix: str) -> list[str]:
    lines = []
    for box in found.boxes:
        left, right = _SHAPES[box.kind]
        text = "<br/>".join(_text(line) for line in (box.title + mark(box.made), *box.lines))
        lines.append(f'  {prefix}{box.id}{left}"{text}"{right}')
    made = [f"{prefix}{box.id}" for box in found.boxes if box.made]
    if made:
        lines.append(f"  classDef made stroke-dasharray: 5 4\n  class {','.join(made)} made")
    for edge in found.edges:
        arrow = "-.->" if edge.kind == "names" else "==>" if edge.kind == "meets" else "-->"
        label = f'|"{_text(edge.label)}"|' if edge.label else ""
        lines.append(f"  {prefix}{edge.start} {arrow}{label} {prefix}{edge.end}")
    return lines


def _text(text: str) -> str:
    """Mermaid's own escapes, for all that may be markup to it or to HTML."""
    return "".join(one if one.isalnum() or one in f" .,-–/:×‹›{MADE}" else f"#{ord(one)};" for one in visible(text))
