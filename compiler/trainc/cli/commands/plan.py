"""`trainc plan`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from trainc.cli import options
from trainc.cli.parameters import flag, option

if TYPE_CHECKING:
    from trainc.cli.inputs import Cluster
    from trainc.cli.messages import Messages
    from trainc.plan.fields import Object
    from trainc.plan.plan import Plan

_DEFAULT_WIDTH = 100  # columns of the text
# Formats beside those of a report: module of trainc.plan.formats and its function.
_OTHERS = {
    "json": ("json_document", "to_json"),
    "mermaid": ("mermaid", "mermaid"),
    "svg": ("svg", "svg"),
    "html": ("html_page", "html_page"),
}
_EXTENSIONS = {
    ".svg": "svg",
    ".html": "html",
    ".png": "png",
    ".json": "json",
    ".md": "markdown",
    ".mmd": "mermaid",
    ".txt": "text",
}


def command(
    files: list[str] = options.FILES,
    backend: str = options.BACKEND,
    output: str = option(
        "-",
        "--output",
        "-o",
        metavar="-|FILE",
        help="Output file: .svg, .html or .png for a picture, .json, .md, .mmd, .txt.",
    ),
    format: str | None = option(
        None,
        "--format",
        "-f",
        show_default=False,
        help="Output format.  [default: by -o, else text]",
        choices=("text", "json", "markdown", "mermaid"),
    ),
    manifests: bool = flag("--manifests", help="Plan Kubernetes manifests instead of job files."),
    set: list[str] | None = options.SETS,
    jobs_only: bool = options.JOBS_ONLY,
    cluster: Cluster = options.CLUSTER,
    messages: Messages = options.MESSAGES,
) -> int:
    """Show a job's pods, ranks and failure handling.

    Also host names, environment, command lines and resources.

    trainc plan job.yaml -o plan.svg
    """
    from trainc.cli.exit_codes import OK, WRONG_INPUT
    from trainc.cli.inputs import read_files, source_compiler
    from trainc.cli.output import choose_format, write_text
    from trainc.plan.plan import plan
    from trainc.plan.redact import redact_plan

    files = options.job_files(files, jobs_only=jobs_only)
    chosen = cluster.target(backend)
    form = choose_format(output, format, _EXTENSIONS, "text")
    if form == "png":
        from trainc.cli.png import require_converter, to_png

        require_converter()
    every_pod = form == "json"
    templates: list[Object] = []
    if manifests:
        from trainc.cli.manifests import plans as plan_manifests

        plans, outcome = plan_manifests(files, set or [], chosen, every_pod)
    else:
        from trainc.cli.runtimes import split_templates

        sources, errors = read_files(files)
        sources, templates = split_templates(sources)
        plans, outcome = [], source_compiler(sources, errors, set or [])(chosen)
    if not messages.report(outcome, files, "; nothing was planned"):
        return WRONG_INPUT
    domain = chosen.cluster_domain or ""
    for job in outcome.jobs:
        plans.append(plan([*templates, *(each.data() for each in job.planned_manifests())], every_pod, domain))
    plans = [redact_plan(each) for each in plans]
    if form == "html" and not manifests:
        from trainc.cli.listing import listings

        text: str | bytes = _format(plans, form, listings(outcome.jobs))
    else:
        text = to_png(_format(plans, "svg")) if form == "png" else _format(plans, form)
    write_text(text, output, files)
    return WRONG_INPUT if messages.strict and any(each.findings for each in plans) else OK


def _format(plans: list[Plan], form: str, *more: object) -> str:
    if form in _OTHERS:
        module, function = _OTHERS[form]
        write: Callable[..., str] = getattr(import_module(f"trainc.plan.formats.{module}"), function)
        return write(plans, *more)
    from trainc.plan.formats.report import report

    documents = [report(each) for each in plans]
    if form == "markdown":
        from trainc.report.markdown import markdown

        return markdown(documents)
    from trainc.cli.terminal import text_width
    from trainc.report.text import text

    return text(documents, text_width(_DEFAULT_WIDTH))
