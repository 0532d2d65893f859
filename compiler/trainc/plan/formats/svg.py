"""A plan as a picture: SVG, light and dark, without a script and without the network."""

from __future__ import annotations

from trainc.plan.formats.graph import Box, Graph, graph
from trainc.plan.formats.summary import headline
from trainc.plan.formats.svg_edges import edges, words
from trainc.plan.formats.svg_layout import LEAST, MARGIN, Layout, Place, layout
from trainc.plan.formats.svg_shapes import arrow, bar, box, escape, fitted, heads, label, style
from trainc.plan.plan import Plan
from trainc.plan.quantity import format_bytes, format_count
from trainc.plan.world import Worker

_TILE = 118


def svg(plans: list[Plan]) -> str:
    """One picture of all jobs, one below the other."""
    graphs = [graph(plan) for plan in plans]
    width = max([float(LEAST), *(layout(found, 0).width for found in graphs)])
    drawn, y = [], 0.0
    for plan, found in zip(plans, graphs, strict=True):
        body, height = _job(plan, found, width)
        drawn.append(f'<g transform="translate(0,{y:g})">{body}</g>')
        y += height
    title = escape("; ".join(headline(plan) for plan in plans))
    look = style(".plan")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plan" viewBox="0 0 {width:g} {y:g}" width="{width:g}"'
        f' height="{y:g}" style="max-width:100%;height:auto" role="img" aria-label="{title}"><title>{title}</title>'
        f"<style>{look}</style>"
        f'<rect width="{width:g}" height="{y:g}" style="fill:var(--bg)"/>{heads()}{"".join(drawn)}</svg>\n'
    )


def _job(plan: Plan, found: Graph, width: float) -> tuple[str, float]:
    top = 128.0
    parts = []
    if plan.findings:
        parts.append(_findings(plan, top, width))
        top += 40 + 20 * min(len(plan.findings), 6)
    laid = layout(found, top)
    shift = (width - laid.width) / 2
    parts.append(_head(plan, width))
    inside = [_frame(plan, laid)] if plan.workers else []
    if laid.shelf:
        inside.append(box(*laid.shelf, "panel", "line", 16, "5 5"))
    inside += [edges(found, laid)]
    inside += [_box(place, plan) for place in laid.places.values()]
    inside += [words(found, laid)]
    parts.append(f'<g transform="translate({shift:g},0)">{"".join(inside)}</g>')
    parts.append(_legend(found, width, laid.bottom + 46, plan.operators))
    return "".join(parts), laid.bottom + 76


def _head(plan: Plan, width: float) -> str:
    tiles = _tiles(plan)
    room = width - 2 * MARGIN - len(tiles) * _TILE
    start = plan.workers[0].launch if plan.workers else None
    launcher = (
        ""
        if start is None
        else {"basic": "the program itself", "none": "no launcher"}.get(start.launcher, start.launcher)
    )
    under = " · ".join(filter(None, (launcher, plan.owner, plan.namespace and f"namespace {plan.namespace}")))
    under += " · waits until it is resumed" if plan.suspended else ""
    parts = [
        label(MARGIN, 62, plan.name, 30, mono=True, weight=700, width=room),
        label(MARGIN, 88, under, 14, "soft", width=room),
    ]
    for number, (name, value) in enumerate(tiles):
        x = width - MARGIN - (len(tiles) - number) * _TILE + 12
        parts.append(box(x, 34, _TILE - 12, 62))
        parts.append(label(x + 12, 55, name, 11, "soft"))
        text = fitted(value, _TILE - 34, 19)
        parts.append(label(x + 12, 82, text, 19 if len(value) < 9 else 15, weight=650))
    return "".join(parts)


def _tiles(plan: Plan) -> list[tuple[str, str]]:
    if not plan.world_sizes:
        return []
    low, high = plan.world_sizes[0], plan.world_sizes[-1]

    def both(one: str, other: str) -> str:
        return one if one == other else f"{one}–{other}"

    found = [("pods", both(str(low.pods), str(high.pods)))]
    if low.world is not None and high.world is not None and plan.workers and plan.workers[0].launch.launcher != "none":
        found.insert(0, ("world size", both(str(low.world), str(high.world))))
    if high.gpus:
        found.append(("GPUs", both(format_count(low.gpus), format_count(high.gpus))))
    found.append(("CPUs", both(format_count(low.cpus), format_count(high.cpus))))
    found.append(("most memory" if low.memory != high.memory else "memory", format_bytes(high.memory)))
    return found


def _findings(plan: Plan, top: float, width: float) -> str:
    shown = plan.findings[:6]
    parts = [box(MARGIN, top - 16, width - 2 * MARGIN, 24 + 20 * len(shown), "badbg", "bad")]
    for number, one in enumerate(shown):
        parts.append(
            label(MARGIN + 18, top + 8 + 20 * number, f"{one.where}: {one.message}", 13, "bad", width=width - 120)
        )
    return "".join(parts)


def _frame(plan: Plan, laid: Layout) -> str:
    x, y, width, height = laid.frame
    many = len(plan.workers)
    text = f"{many} worker{'s' if many > 1 else ''}"
    return box(x, y, width, height, "panel", "line", 16, "5 5") + label(x + 20, y + 27, text, 13, "soft", weight=600)


def _box(place: Place, plan: Plan) -> str:
    given, x, y = place.box, place.x, place.y
    colour = "meet" if given.meeting or given.kind == "outside" else given.kind
    line, dash = _edge(given.made)
    parts = []
    if given.alike > 1:  # a pile of cards
        parts += [box(x + by, y + by, place.width, place.height, dash=dash) for by in (10, 5)]
    parts += [box(x, y, place.width, place.height, line=line, dash=dash), bar(x, y + 10, place.height - 20, colour)]
    parts.append(label(x + 18, y + 22, given.of, 11, "soft", width=place.width - 30))
    parts.append(label(x + 18, y + 43, given.title, 15, mono=True, weight=650, width=place.width - 30))
    if given.id.startswith("pod"):
        parts.append(_pod(place, plan))
    else:
        parts.append(label(x + 18, y + 62, " ".join(given.lines), 12, "soft", width=place.width - 30))
    return "".join(parts)


def _edge(made: bool) -> tuple[str, str]:
    """The line around a card: what an operator makes isn't in the manifests."""
    return ("soft", "4 3") if made else ("line", "")


def _pod(place: Place, plan: Plan) -> str:
    x, y, given = place.x, place.y, place.box
    one = _member(given, plan)
    many, parts = one.launch.processes or 0, []
    faint = ' opacity="0.45"' if one.pod.on_scale_up else ""
    for number in range(min(many, 8)):
        square = x + 18 + number * 29
        parts.append(f'<rect x="{square:g}" y="{y + 54:g}" width="25" height="22" rx="5" class="gpu"{faint}/>')
        rank = ""
        if one.ranks is not None:
            rank = str(one.ranks[0] + number) if number < 7 or many <= 8 else "…"
        elif many > 8 and number == 7:
            rank = "…"
        if given.alike == 1:
            parts.append(label(square + 12.5, y + 69, rank, 11 if len(rank) < 4 else 9, "gpuink", True, 600, "middle"))
    lines = given.lines if given.alike > 1 or not given.lines[0].startswith("rank") else given.lines[1:]
    for number, line in enumerate((" · ".join(lines[:-1]), lines[-1])):
        parts.append(label(x + 18, y + 97 + 17 * number, line, 12, "soft", width=place.width - 30))
    return "".join(parts)


def _member(given: Box, plan: Plan) -> Worker:
    return next(one for one in plan.workers if given.title.split(" … ")[0] == one.pod.hostname)


def _legend(found: Graph, width: float, y: float, operators: tuple[str, ...]) -> str:
    known = (
        ("makes", "makes", "owner", "", 1.8),
        ("names", "name leads to", "service", "5 4", 1.6),
        ("meets", "meets at", "meet", "", 2.2),
        ("mounts", "mounts", "volume", "2 4", 1.6),
    )
    there = {edge.kind for edge in found.edges}
    shown = [one for one in known if one[0] in there]
    parts, x = [], float(MARGIN)
    for _, text, colour, dash, thick in shown:
        parts.append(arrow(f"M{x:g},{y:g} L{x + 34:g},{y:g}", colour, thick, dash))
        parts.append(label(x + 44, y + 4, text, 12, "soft"))
        x += 70 + len(text) * 6.2
    if operators:
        line, dash = _edge(made=True)
        parts.append(box(x, y - 9, 34, 18, line=line, dash=dash, round=4))
        parts.append(label(x + 44, y + 4, f"made by {' and '.join(operators)}, not in the manifests", 12, "soft"))
    parts.append(label(width - MARGIN, y + 4, "trainc plan", 12, "soft", anchor="end"))
    return "".join(parts)
