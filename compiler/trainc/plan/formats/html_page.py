"""Plan as an HTML page: picture and tables for light and dark mode; it runs no script and loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainc.plan.formats import tables
from trainc.plan.formats.summary import summary
from trainc.plan.formats.svg import svg
from trainc.plan.formats.svg_shapes import MONO_FONT, SANS_FONT, escape, variables
from trainc.plan.plan import Plan

_STYLE = (
    f"body{{margin:0;background:var(--bg);color:var(--ink);font:15px/1.55 {SANS_FONT}}}"
    "main{max-width:1000px;margin:0 auto;padding:16px 40px 64px}"
    "figure{margin:0 -40px 8px;overflow-x:auto;text-align:center}"
    "figure svg{max-width:100%;height:auto}"
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
    "ul.bad{list-style:none;margin:16px 0;padding:14px 18px;border:1px solid var(--bad);border-radius:12px;"
    "background:var(--badbg);color:var(--bad)}"
    "section+section{border-top:1px solid var(--line);margin-top:48px;padding-top:16px}"
    "@media(max-width:700px){main{padding:12px 16px}figure{margin:0 -16px}table{display:block;overflow-x:auto}}"
)
# No manifest can make the page load anything.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


Listing = Sequence[tuple[str, str]]  # lines of manifests, each with its origin


def html_page(plans: list[Plan], listings: Sequence[Listing] = ()) -> str:
    """Format all jobs, each with its picture, and with its manifests if there is a listing for each job."""
    names = ", ".join(plan.name for plan in plans)
    listed = [_listing(each) for each in listings] or [""] * len(plans)
    sections = [_job(plan) + listing for plan, listing in zip(plans, listed, strict=True)]
    return page(f"{names} · trainc plan", sections)


def _listing(lines: Listing) -> str:
    """Return the manifests; the origin of a line is shown where the pointer is."""
    rows = (f'<span title="{escape(title)}">{escape(text)}</span>' if title else escape(text) for text, title in lines)
    text = "\n".join(rows)
    return f"<h2>Manifests</h2><details><summary>Lines with their origins</summary><pre>{text}</pre></details>"


def page(title: str, sections: Iterable[str], more_style: str = "") -> str:
    """Return a page with these sections, which are HTML, and more rules for its style sheet."""
    body = "".join(f"<section>{section}</section>" for section in sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{variables(':root')}{_STYLE}{more_style}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def _job(plan: Plan) -> str:
    parts = [f"<figure>{svg([plan])}</figure>"]
    if plan.findings:
        lines = "".join(f"<li><b>{escape(each.where)}</b>: {escape(each.sentence)}</li>" for each in plan.findings)
        parts.append(f'<ul class="bad">{lines}</ul>')
    if plan.workers:
        parts.append(f"<h2>Pods</h2>{table(*tables.pods(plan))}")
        parts.append(f"<p>{escape(' '.join(tables.notes(plan)))}</p>")
    rows = "".join(
        f'<tr><td class="k">{escape(name)}</td><td><code>{escape(value)}</code></td></tr>'
        for name, value in summary(plan)
    )
    parts.append(f"<h2>Every worker</h2><table>{rows}</table>")
    if plan.world_sizes:
        parts.append(f"<h2>World size and resources</h2>{table(*tables.world_sizes(plan))}")
    if plan.failure_cases:
        parts.append(f"<h2>Failures and lifecycle</h2>{table(*tables.failure_cases(plan))}")
    return "".join(parts)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts."""
    classes = [' class="n"' if head in tables.NUMBERS else "" for head in heads]
    header = "".join(f"<th{each}>{escape(text)}</th>" for each, text in zip(classes, heads, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{each}>{escape(cell)}</td>" for each, cell in zip(classes, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{header}</tr>{body}</table>"
