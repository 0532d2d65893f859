"""Reports of commands as text for the terminal, or as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.cli.terminal import NARROWEST, text_width
from trainc.report.document import Document
from trainc.report.text import text


def format_report(documents: Sequence[Document], form: str, width: int = NARROWEST, color: bool = False) -> str:
    """Return documents as `text` or `markdown`; a text that is not for a terminal has `width` columns."""
    if form == "markdown":
        from trainc.report.markdown import markdown

        return markdown(documents)
    return text(documents, text_width(width), color)
