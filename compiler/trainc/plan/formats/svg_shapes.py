"""Shapes of the picture. All text goes through `label`, which escapes it."""

from __future__ import annotations

import html

from trainc.diagnostics.cells import visible
from trainc.plan.formats.svg_layout import Frame
from trainc.report.style_sheet import COLORS, MONO_FONT

# Average widths of a character at font size 1.
MONO, SANS = 0.602, 0.54
# Color, width and dashes of each kind of arrow.
ARROWS = {
    "creates": ("owner", 1.8, ""),
    "starts": ("owner", 1.6, "5 4"),
    "resolves": ("service", 1.6, "5 4"),
    "rendezvous": ("rendezvous", 2.2, ""),
    "mounts": ("volume", 1.6, "2 4"),
}


def dark_style(scope: str) -> str:
    """Return the style sheet of dark mode under a selector.

    The colors of light mode are attributes, which every renderer knows, also those without style sheets.
    """
    rules = (
        f"{scope} .fill-{name}{{fill:{dark}}}{scope} .line-{name}{{stroke:{dark}}}"
        for name, (_, dark) in COLORS.items()
    )
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"


def paint(fill: str = "", line: str = "") -> str:
    """Return the attributes for the colors of an area and of its outline; without a color it has none."""
    classes = " ".join([*([f"fill-{fill}"] if fill else []), *([f"line-{line}"] if line else [])])
    stroke = f' stroke="{COLORS[line][0]}"' if line else ""
    return f'class="{classes}" fill="{COLORS[fill][0] if fill else "none"}"{stroke}'


def fitted(text: str, width: float, size: float, mono: bool = False) -> str:
    """Cut a text to a width: names, which are monospaced, in the middle, as their ends differ."""
    limit = max(2, int(width / (size * (MONO if mono else SANS))))
    end = (limit - 1) // 2 if mono else 0
    return text if len(text) <= limit else f"{text[: limit - 1 - end]}…{text[len(text) - end :]}"


def label(
    x: float, y: float, text: str, size: float = 13, color: str = "ink", mono: bool = False, weight: int = 400,
    anchor: str = "start", width: float = 0,
) -> str:  # fmt: skip
    """Draw a line of text; with a width it is cut, and the tooltip has all of it."""
    shown = visible(text)
    cut = fitted(shown, width, size, mono) if width else shown
    family = f' font-family="{MONO_FONT}"' if mono else ""
    tip = f"<title>{html.escape(shown)}</title>" if cut != shown else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}"{family} {paint(color)} font-weight="{weight}"'
        f' text-anchor="{anchor}">{tip}{html.escape(cut)}</text>'
    )


def box(
    x: float, y: float, width: float, height: float, fill: str = "card", line: str = "line", round: float = 10,
    dash: str = "",
) -> str:  # fmt: skip
    """Draw a rectangle with round corners."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round:g}"'
        f' {paint(fill, line)} stroke-width="1.2"{_dashed(dash)}/>'
    )


def frame(area: Frame) -> str:
    """Draw the dashed rectangle around a group of boxes."""
    return box(area.x, area.y, area.width, area.height, "panel", "line", 16, "5 5")


def _dashed(dash: str) -> str:
    return f' stroke-dasharray="{dash}"' if dash else ""


def pill(x: float, y: float, text: str, color: str, size: float = 11) -> str:
    """Draw a badge with its middle at x and y."""
    width = len(visible(text)) * size * SANS + 14
    return (
        f'<rect x="{x - width / 2:g}" y="{y - 9:g}" width="{width:g}" height="18" rx="9"'
        f' {paint("bg", color)} stroke-width="1"/>' + label(x, y + 4, text, size, color, anchor="middle")
    )


def arrow(path: str, kind: str) -> str:
    """Draw a line with an arrowhead, which `heads` defines."""
    color, width, dash = ARROWS[kind]
    return (
        f'<path d="{path}" {paint(line=color)} stroke-width="{width:g}"{_dashed(dash)}'
        f' marker-end="url(#head-{color})"/>'
    )


def heads() -> str:
    """Define an arrowhead of each color."""
    markers = [
        f'<marker id="head-{color}" viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="9" markerHeight="9"'
        ' markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        f'<path d="M0,1 L9,5 L0,9 z" {paint(color)}/></marker>'
        for color in ("owner", "service", "volume", "rendezvous")
    ]
    return f"<defs>{''.join(markers)}</defs>"


def curve(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return a path that is horizontal at both ends."""
    bend = max(30.0, abs(x2 - x1) * 0.45) * (1 if x2 >= x1 else -1)
    return f"M{x1:g},{y1:g} C{x1 + bend:g},{y1:g} {x2 - bend:g},{y2:g} {x2:g},{y2:g}"


def drop(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return a path that is vertical at both ends."""
    bend = (y2 - y1) * 0.55
    return f"M{x1:g},{y1:g} C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2:g}"
