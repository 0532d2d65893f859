"""Pieces of a picture. All text goes through `label`, which escapes it."""

from __future__ import annotations

import html

from trainc.diagnostics.cells import visible

# Widths of a letter for a size of one, as wide as fonts of these kinds are.
MONO, SANS = 0.602, 0.54
MONO_FONT = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"

_LIGHT = {
    "bg": "#f7f6f3", "panel": "#efede8", "card": "#ffffff", "line": "#dcd8d0", "ink": "#1c2230", "soft": "#5f6777",
    "owner": "#2f62c9", "pods": "#1c2230", "service": "#7446c4", "volume": "#1f8060", "meet": "#d9481c",
    "gpu": "#f2a33a", "gpuink": "#4a2c00", "bad": "#b3261e", "badbg": "#fdecea",
}  # fmt: skip
_DARK = {
    "bg": "#12151b", "panel": "#191d26", "card": "#20252f", "line": "#363d4b", "ink": "#e9ecf3", "soft": "#9ba5b7",
    "owner": "#7ea6ff", "pods": "#e9ecf3", "service": "#b794f6", "volume": "#5fcfa3", "meet": "#ff8659",
    "gpu": "#e0962f", "gpuink": "#201300", "bad": "#ff8a80", "badbg": "#3a1d1b",
}  # fmt: skip


def style(scope: str) -> str:
    """Colours by name, for light and for dark, under a selector; and what the classes look like."""
    light = "".join(f"--{name}:{value};" for name, value in _LIGHT.items())
    dark = "".join(f"--{name}:{value};" for name, value in _DARK.items())
    rules = f"{scope}{{{light}}}@media (prefers-color-scheme:dark){{{scope}{{{dark}}}}}"
    rules += f"{scope} text{{font-family:{SANS_FONT};fill:var(--ink)}}{scope} .mono{{font-family:{MONO_FONT}}}"
    rules += "".join(
        f"{scope} .{name}{{fill:var(--{name})}}{scope} .to-{name}{{stroke:var(--{name});fill:none}}" for name in _LIGHT
    )
    return rules


def escape(text: str) -> str:
    """Text that is only text to XML and HTML."""
    return html.escape(visible(text))


def fitted(text: str, width: float, size: float, mono: bool = False) -> str:
    """As much of a text as a width has room for."""
    most = max(2, int(width / (size * (MONO if mono else SANS))))
    return text if len(text) <= most else text[: most - 1] + "…"


def label(
    x: float, y: float, text: str, size: float = 13, of: str = "ink", mono: bool = False, weight: int = 400,
    anchor: str = "start", width: float = 0,
) -> str:  # fmt: skip
    """A line of text; with a width it is cut, and the whole of it is its tooltip."""
    shown = visible(text)
    cut = fitted(shown, width, size, mono) if width else shown
    tip = f"<title>{html.escape(shown)}</title>" if cut != shown else ""
    kind = f"{of} mono" if mono else of
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" class="{kind}" font-weight="{weight}"'
        f' text-anchor="{anchor}">{tip}{html.escape(cut)}</text>'
    )


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str = "card",
    line: str = "line",
    round: float = 10,
    dash: str = "",
) -> str:
    """A rectangle with round corners."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round:g}"'
        f' style="fill:var(--{fill});stroke:var(--{line})" stroke-width="1.2"{dashed}/>'
    )


def bar(x: float, y: float, height: float, of: str) -> str:
    """The coloured edge of a card."""
    return f'<rect x="{x:g}" y="{y:g}" width="4" height="{height:g}" rx="2" class="{of}"/>'


def pill(x: float, y: float, text: str, of: str, size: float = 11) -> str:
    """Words on a line, or a badge: its middle is at x and y."""
    width = len(visible(text)) * size * SANS + 14
    return (
        f'<rect x="{x - width / 2:g}" y="{y - 9:g}" width="{width:g}" height="18" rx="9"'
        f' style="fill:var(--bg);stroke:var(--{of})" stroke-width="1"/>'
        + label(x, y + 4, text, size, of, anchor="middle")
    )


def arrow(path: str, of: str, width: float = 1.6, dash: str = "") -> str:
    """A line with a head at its end; `heads` defines that."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="{path}" class="to-{of}" stroke-width="{width:g}"{dashed} marker-end="url(#head-{of})"/>'


def heads() -> str:
    """Arrows' heads, one of each colour."""
    found = [
        f'<marker id="head-{of}" viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="9" markerHeight="9"'
        f' markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,1 L9,5 L0,9 z" class="{of}"/></marker>'
        for of in ("owner", "service", "volume", "meet")
    ]
    return f"<defs>{''.join(found)}</defs>"


def curve(x1: float, y1: float, x2: float, y2: float) -> str:
    """From one side to another, level at both ends."""
    bend = max(30.0, abs(x2 - x1) * 0.45) * (1 if x2 >= x1 else -1)
    return f"M{x1:g},{y1:g} C{x1 + bend:g},{y1:g} {x2 - bend:g},{y2:g} {x2:g},{y2:g}"


def fall(x1: float, y1: float, x2: float, y2: float) -> str:
    """From above to below."""
    bend = (y2 - y1) * 0.55
    return f"M{x1:g},{y1:g} C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2:g}"
