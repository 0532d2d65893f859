"""Formats of `trainc plan`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from trainc.cli.output import choose_format
from trainc.cli.terminal import text_width
from trainc.driver import Compiled
from trainc.plan.plan import Plan

_EXTENSIONS = {
    ".svg": "svg",
    ".html": "html",
    ".png": "png",
    ".json": "json",
    ".md": "markdown",
    ".mmd": "mermaid",
    ".txt": "text",
}
# Module of trainc.plan.formats and its function; those of text and markdown write one plan.
_FORMATS = {
    "text": ("text", "text"),
    "json": ("json_document", "to_json"),
    "markdown": ("markdown", "markdown"),
    "mermaid": ("mermaid", "mermaid"),
    "svg": ("svg", "svg"),
    "html": ("html_page", "html_page"),
}
_DEFAULT_WIDTH = 100  # columns of the text


def select_format(output: str, requested: str | None) -> str:
    """Return the format of the output. Raises InvalidParameter for one that this machine can't write."""
    form = choose_format(output, requested, _EXTENSIONS, "text")
    if form == "png":
        from trainc.cli.commands.plan.png import require_converter

        require_converter()
    return form


def format_plans(plans: list[Plan], form: str, jobs: list[Compiled]) -> str | bytes:
    """Return the plans in a format; a page has the manifests of compiled jobs, too."""
    if form == "png":
        from trainc.cli.commands.plan.png import to_png

        return to_png(_format(plans, "svg"))
    if form == "html" and jobs:
        from trainc.cli.commands.plan.listings import listings

        return _format(plans, form, listings(jobs))
    return _format(plans, form)


def _format(plans: list[Plan], form: str, *more: object) -> str:
    module, function = _FORMATS[form]
    write: Callable[..., str] = getattr(import_module(f"trainc.plan.formats.{module}"), function)
    if form == "text":
        width = text_width(_DEFAULT_WIDTH)
        return "\n".join(write(each, width) for each in plans)
    return "\n".join(map(write, plans)) if form == "markdown" else write(plans, *more)
