"""Plan as an HTML page: the picture, the report, and the manifests with their origins."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.formats.report import report
from trainc.plan.formats.svg import svg
from trainc.plan.plan import Plan
from trainc.report.html import escape, page, section

Listing = Sequence[tuple[str, str]]  # lines of manifests, each with its origin


def html_page(plans: list[Plan], listings: Sequence[Listing] = ()) -> str:
    """Format all jobs, each with its picture, and with its manifests if there is a listing for each job."""
    names = ", ".join(plan.name for plan in plans)
    listed = [_listing(each) for each in listings] or [""] * len(plans)
    sections = [section(report(plan), svg([plan])) + listing for plan, listing in zip(plans, listed, strict=True)]
    return page(f"{names} · trainc plan", sections)


def _listing(lines: Listing) -> str:
    """Return the manifests; the origin of a line is shown where the pointer is."""
    rows = (f'<span title="{escape(title)}">{escape(text)}</span>' if title else escape(text) for text, title in lines)
    text = "\n".join(rows)
    return f"<h2>Manifests</h2><details><summary>Lines with their origins</summary><pre>{text}</pre></details>"
