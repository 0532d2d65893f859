"""Plan as a picture: SVG for light and dark mode that runs no script and loads nothing."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from trainc.plan.formats.graph import NO_MARKS, Graph, Mark, graph
from trainc.plan.formats.summary import headline, launcher_name
from trainc.plan.formats.svg_edges import edges, rendezvous_badges
from trainc.plan.formats.svg_layout import MARGIN, MIN_WIDTH, Place, layout
from trainc.plan.formats.svg_shapes import (
    ARROWS,
    SANS,
    arrow,
    box,
    dark_style,
    fitted,
    frame,
    heads,
    label,
    paint,
)
from trainc.plan.plan import Plan
from trainc.plan.quantity import format_bytes, format_count, plural
from trainc.plan.world import Worker
from trainc.report.html import escape
from trainc.report.style_sheet import SANS_FONT

_TILE = 118
_MAX_FINDINGS = 6
_SCALE_UP = "2 3"  # dashes of the border of pods that exist only after a scale-up
_SIGNATURE = 70  # width of the words in the corner
_LEGEND = {"resolves": "resolves to", "starts": "starts processes"}
_CREATED = ("soft", "4 3")  # color and dashes of the border of an operator's objects


def svg(plans: list[Plan], marks: Mapping[int, Mark] = NO_MARKS) -> str:
    """Draw all jobs, one below the other; marks are those of workers by position."""
    graphs = [graph(plan, marks) for plan in plans]
    width = max([float(MIN_WIDTH), *(layout(each, 0).width for each in graphs)])
    drawn, y = [], 0.0
    for plan, drawing in zip(plans, graphs, strict=True):
        body, height = _job(plan, drawing, width)
        drawn.append(f'<g transform="translate(0,{y:g})">{body}</g>')
        y += height
    title = escape("; ".join(headline(plan) for plan in plans))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plan" viewBox="0 0 {width:g} {y:g}" width="{width:g}"'
        f' height="{y:g}" role="img" font-family="{SANS_FONT}" aria-label="{title}"><title>{title}</title>'
        f"<style>{dark_style('.plan')}</style>"
        f'<rect width="{width:g}" height="{y:g}" {paint("bg")}/>{heads()}{"".join(drawn)}</svg>\n'
    )


def _job(plan: Plan, drawing: Graph, width: float) -> tuple[str, float]:
    top, parts = 128.0, [_header(plan, width)]
    shown = plan.findings[:_MAX_FINDINGS]
    if shown:
        parts.append(box(MARGIN, top - 16, width - 2 * MARGIN, 24 + 20 * len(shown), "badbg", "bad"))
        for number, finding in enumerate(shown):
            text = f"{finding.where}: {finding.message}"
            parts.append(label(MARGIN + 18, top + 8 + 20 * number, text, 13, "bad", width=width - 120))
        top += 40 + 20 * len(shown)
    placed, body = layout(drawing, top), []
    if plan.workers:
        x, y, text = placed.frame.x + 20, placed.frame.y + 27, _count(plan)
        body += [frame(placed.frame), label(x, y, text, 13, "soft", weight=600)]
    if placed.shelf:
        body.append(frame(placed.shelf))
    body += [edges(drawing, placed), *map(_box, placed.places.values()), rendezvous_badges(drawing, placed)]
    parts.append(f'<g transform="translate({(width - placed.width) / 2:g},0)">{"".join(body)}</g>')
    parts.append(_legend(drawing, width, placed.bottom + 46, plan.operators))
    return "".join(parts), placed.bottom + 76


def _count(plan: Plan) -> str:
    """Return the number of workers; of an elastic job the minimum, the maximum and the number at the start."""
    least, most = (plan.world_sizes[0].pods, plan.world_sizes[-1].pods) if plan.world_sizes else (0, 0)
    if least == most:
        return plural(plan.pod_count, "worker")
    return f"{least} to {plural(most, 'worker')}, {plan.initial_size.pods} at the start"


def _header(plan: Plan, width: float) -> str:
    tiles = _tiles(plan)
    room = width - 2 * MARGIN - len(tiles) * _TILE
    launcher = launcher_name(plan.workers[0].launch) if plan.workers else ""
    parts = (launcher, plan.owner, plan.namespace and f"namespace {plan.namespace}", "suspended" * plan.suspended)
    drawn = [
        label(MARGIN, 62, plan.name, 30, mono=True, weight=700, width=room),
        label(MARGIN, 88, " · ".join(filter(None, parts)), 14, "soft", width=room),
    ]
    for number, (name, value) in enumerate(tiles):
        x = width - MARGIN - (len(tiles) - number) * _TILE + 12
        drawn += [box(x, 34, _TILE - 12, 62), label(x + 12, 55, name, 11, "soft")]
        text = fitted(value, _TILE - 34, 19)
        drawn.append(label(x + 12, 82, text, 19 if len(value) < 9 else 15, weight=650))
    return "".join(drawn)


def _tiles(plan: Plan) -> list[tuple[str, str]]:
    if not plan.world_sizes:
        return []
    low, high = plan.world_sizes[0], plan.world_sizes[-1]

    def span(least: object, most: object) -> str:
        return str(most) if least == most else f"{least}–{most}"

    count = len(plan.launchers)
    cpus = sum((each.cpus for each in plan.launchers), Fraction(0))
    memory = sum((each.memory for each in plan.launchers), Fraction(0))
    tiles = [("pods", span(low.pods + count, high.pods + count))]
    if low.world is not None and high.world is not None and plan.workers and plan.workers[0].launch.has_launcher:
        tiles.insert(0, ("world size", span(low.world, high.world)))
    if high.gpus:
        tiles.append(("GPUs", span(format_count(low.gpus), format_count(high.gpus))))
    tiles.append(("CPUs", span(format_count(low.cpus + cpus), format_count(high.cpus + cpus))))
    tiles.append(("max. memory" if low.memory != high.memory else "memory", format_bytes(high.memory + memory)))
    return tiles


def _box(place: Place) -> str:
    card, x, y, width = place.box, place.x, place.y, place.width - 30
    color: str = "rendezvous" if card.is_rendezvous else card.kind
    line, dash = _CREATED if card.is_created else ("line", "")
    if card.worker and card.worker.pod.on_scale_up and not dash:
        dash = _SCALE_UP
    if card.mark:
        color, line = card.mark.color, card.mark.color
    stack = (10, 5) if card.count > 1 else ()
    parts = [box(x + offset, y + offset, place.width, place.height, dash=dash) for offset in stack]
    parts.append(box(x, y, place.width, place.height, line=line, dash=dash))
    parts.append(f'<rect x="{x:g}" y="{y + 10:g}" width="4" height="{place.height - 20:g}" rx="2" {paint(color)}/>')
    parts.append(label(x + 18, y + 22, card.label, 11, "soft", width=width))
    parts.append(label(x + 18, y + 43, card.title, 15, mono=True, weight=650, width=width))
    if card.mark:
        after = x + 26 + len(card.label) * 11 * SANS
        parts.append(label(after, y + 22, card.mark.label, 11, color, weight=650, width=width - after + x))
    if card.worker:
        lines = card.lines[1:] if card.count == 1 and card.worker.ranks else card.lines
        parts.append(_processes(x + 18, y, card.worker, card.count == 1))
        parts.append(label(x + 18, y + 97, " · ".join(lines[:-1]), 12, "soft", width=width))
        parts.append(label(x + 18, y + 114, lines[-1], 12, "soft", width=width))
    else:
        parts.append(label(x + 18, y + 62, " ".join(card.lines), 12, "soft", width=width))
    return "".join(parts)


def _processes(x: float, y: float, worker: Worker, shows_ranks: bool) -> str:
    processes, parts = worker.launch.processes or 0, []
    faint = ' opacity="0.45"' if worker.pod.on_scale_up else ""
    for number in range(min(processes, 8)):
        left = x + number * 29
        parts.append(f'<rect x="{left:g}" y="{y + 54:g}" width="25" height="22" rx="5" {paint("gpu")}{faint}/>')
        is_cut = number == 7 and processes > 8
        rank = "…" if is_cut else str(worker.ranks[0] + number) if worker.ranks else ""
        if shows_ranks:
            parts.append(label(left + 12.5, y + 69, rank, 11 if len(rank) < 4 else 9, "gpuink", True, 600, "middle"))
    return "".join(parts)


def _legend(drawing: Graph, width: float, y: float, operators: tuple[str, ...]) -> str:
    kinds = {edge.kind for edge in drawing.edges}
    parts, x = [], float(MARGIN)
    for kind in (kind for kind in ARROWS if kind in kinds):
        text = _LEGEND.get(kind, kind)
        parts.append(arrow(f"M{x:g},{y:g} L{x + 34:g},{y:g}", kind))
        parts.append(label(x + 44, y + 4, text, 12, "soft"))
        x += 70 + len(text) * 6.2
    if operators:
        line, dash = _CREATED
        parts.append(box(x, y - 9, 34, 18, line=line, dash=dash, round=4))
        text, room = f"created by {' and '.join(operators)}, not in the manifests", width - MARGIN - x - 44
        text = text if fitted(text, room, 12) == text else text.partition(",")[0]
        parts.append(label(x + 44, y + 4, text, 12, "soft", width=room))
        x += 70 + len(text) * 6.2
    if x < width - MARGIN - _SIGNATURE:
        parts.append(label(width - MARGIN, y + 4, "trainc plan", 12, "soft", anchor="end"))
    return "".join(parts)
