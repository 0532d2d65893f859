"""Colors, fonts and style sheet of pages and pictures, for light and dark mode."""

from __future__ import annotations

MONO_FONT = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"

# In light and in dark mode.
COLORS = {
    "bg": ("#f7f6f3", "#12151b"), "panel": ("#efede8", "#191d26"), "card": ("#ffffff", "#20252f"),
    "line": ("#dcd8d0", "#363d4b"), "ink": ("#1c2230", "#e9ecf3"), "soft": ("#5f6777", "#9ba5b7"),
    "owner": ("#2f62c9", "#7ea6ff"), "pods": ("#1c2230", "#e9ecf3"), "service": ("#7446c4", "#b794f6"),
    "volume": ("#1f8060", "#5fcfa3"), "rendezvous": ("#d9481c", "#ff8659"), "gpu": ("#f2a33a", "#e0962f"),
    "gpuink": ("#4a2c00", "#201300"), "bad": ("#b3261e", "#ff8a80"), "badbg": ("#fdecea", "#3a1d1b"),
    "good": ("#1a7f37", "#57d977"), "waits": ("#9a6700", "#e3b341"),
}  # fmt: skip
_RULES = (
    f"body{{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 {SANS_FONT}}}"
    "main{max-width:1000px;margin:0 auto;padding:16px 40px 64px}"
    "figure{margin:0 -40px 8px;overflow-x:auto;text-align:center}"
    "figure svg{max-width:100%;height:auto}"
    "h1{font-size:22px;margin:8px 0}"
    "h2{font-size:17px;margin:40px 0 12px}"
    "p{color:var(--soft);margin:10px 0}"
    "table{border-collapse:separate;border-spacing:0;width:100%;background:var(--card);border:1px solid var(--line);"
    "border-radius:12px;overflow:hidden}"
    "th{font-weight:500;font-size:12px;color:var(--soft);text-align:left;background:var(--panel)}"
    "th,td{padding:9px 14px;border-bottom:1px solid var(--line);vertical-align:top}"
    "tr:last-child td{border-bottom:0}"
    "th.n,td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    f"code{{font:13px/1.6 {MONO_FONT};overflow-wrap:anywhere;white-space:pre-wrap}}"
    f"pre{{font:13px/1.6 {MONO_FONT};overflow-x:auto}}"
    "pre span:hover{background:var(--panel)}"
    "summary{color:var(--soft);cursor:pointer}"
    "td.k{color:var(--soft);white-space:nowrap}"
    "td small{display:block;color:var(--soft)}"
    "ul.bad{list-style:none;margin:16px 0;padding:14px 18px;border:1px solid var(--bad);border-radius:12px;"
    "background:var(--badbg);color:var(--bad)}"
    ".state{display:inline-block;padding:2px 12px;border-radius:12px;border:1px solid currentColor;font-weight:650}"
    ".good{color:var(--good)}.waits{color:var(--waits)}.bad{color:var(--bad)}.soft{color:var(--soft)}"
    "section+section{border-top:1px solid var(--line);margin-top:48px;padding-top:16px}"
    "@media(max-width:700px){main{padding:12px 16px}figure{margin:0 -16px}table{display:block;overflow-x:auto}}"
)


def style_sheet() -> str:
    """Return the colors as custom properties, and the rules that use them."""
    light, dark = ("".join(f"--{name}:{pair[mode]};" for name, pair in COLORS.items()) for mode in (0, 1))
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}{_RULES}"
