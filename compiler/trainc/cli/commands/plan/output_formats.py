"""Formats of `trainc plan`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import import_module

from trainc.cli.output import choose_format
from trainc.cli.parameters import InvalidParameter
from trainc.cli.report_format import format_report
from trainc.compiled import Compiled
from trainc.plan.formats.report import report
from trainc.plan.plan import Plan
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.project.projects import Projects

_EXTENSIONS = {
    ".svg": "svg",
    ".html": "html",
    ".png": "png",
    ".json": "json",
    ".md": "markdown",
    ".mmd": "mermaid",
    ".txt": "text",
}
# Formats beside those of a report: module and function.
_FORMATS = "trainc.plan.formats"
_OTHERS = {
    "json": (f"{_FORMATS}.json_document", "to_json"),
    "mermaid": (f"{_FORMATS}.mermaid", "mermaid"),
    "svg": (f"{_FORMATS}.svg", "svg"),
    "html": (f"{_FORMATS}.html_page", "html_page"),
    "png": (f"{_FORMATS}.svg", "svg"),
}
_DEFAULT_WIDTH = 100  # columns of the text
_PNG_CONVERTER = "rsvg-convert"
_ZOOM = "2"  # pixels for a length of 1, as on screens of high resolution


def select_format(output: str, requested: str | None) -> str:
    """Return the format of the output. Raises InvalidParameter for one that this machine can't write."""
    form = choose_format(output, requested, _EXTENSIONS, "text")
    if form == "png" and shutil.which(_PNG_CONVERTER) is None:
        problem = f"PNG requires {_PNG_CONVERTER} (librsvg2-bin on Debian, librsvg on Homebrew); or write an .svg"
        raise InvalidParameter(problem, "--output")
    return form


def format_plans(plans: list[Plan], form: str, jobs: list[Compiled], projects: Projects | None) -> str | bytes:
    """Return the plans in a format; a page has the manifests of compiled jobs, too.

    A text has the values that jobs get from a project file or the entry of a cluster.
    """
    if form in _OTHERS:
        module, function = _OTHERS[form]
        write: Callable[..., str] = getattr(import_module(module), function)
        if form != "html":
            return _png(write(plans)) if form == "png" else write(plans)
        from trainc.cli.commands.plan.listings import listings

        return write(plans, listings(jobs))
    documents = [report(each) for each in plans]
    if projects is not None or any(job.target.places for job in jobs):
        from trainc.cli.inherited_values import inherited_facts

        facts = map(inherited_facts, jobs)
        documents = [each.replace(blocks=(*each.blocks, *own)) for each, own in zip(documents, facts, strict=True)]
    return format_report(documents, form, _DEFAULT_WIDTH)


def _png(picture: str) -> bytes:
    """Return an SVG as PNG. Raises OSError if rsvg-convert fails."""
    import subprocess

    command = [_PNG_CONVERTER, "--zoom", _ZOOM, "--format", "png"]
    # S603: the command is constant.
    done = subprocess.run(command, input=picture.encode(), capture_output=True, check=False)  # noqa: S603  # no shell
    if done.returncode != 0:
        raise OSError(f"{_PNG_CONVERTER} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
