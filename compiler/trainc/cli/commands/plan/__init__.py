"""`trainc plan`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.parameters import flag
from trainc.systems.registry import DEFAULT
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainc.cli.compilation import Cluster, Configuration, Values
    from trainc.cli.messages import Messages
    from trainc.compiled import Outcome
    from trainc.plan.fields import Object
    from trainc.target import Target


def command(
    files: list[str] | None = options.PROJECT_JOBS,
    backend: str | None = options.BACKEND,
    output: str = options.output("Output file: .svg, .html or .png for a picture, .json, .md, .mmd, .txt."),
    format: str | None = options.output_format(
        None, "text", "json", "markdown", "mermaid", help="Output format.  [default: by -o, else text]"
    ),
    manifests: bool = flag("--manifests", help="Plan Kubernetes manifests instead of job files."),
    values: Values = options.VALUES,
    jobs_only: bool = options.JOBS_ONLY,
    entry: str | None = options.CLUSTER_ENTRY,
    cluster: Cluster = options.CLUSTER,
    project: Configuration = options.PROJECT,
    messages: Messages = options.MESSAGES,
) -> int:
    """Show a job's pods, ranks and failure handling.

    Also host names, environment, command lines and resources.

    trainc plan job.yaml -o plan.svg
    """
    from trainc.cli.commands.plan.output_formats import format_plans, select_format
    from trainc.cli.output import write_text
    from trainc.plan.plan import plan
    from trainc.plan.redact import redact_plan

    selected = None
    if entry is not None:
        from trainc.cli.clusters import select_cluster, with_entry

        selected = select_cluster(entry, project.main)
        if not manifests:
            cluster, backend = with_entry(cluster, backend, selected)
    inputs, projects = project.stating(backend).showing().inputs(files, jobs_only)
    messages, values = messages.of_project(projects), values.of(projects)
    target = cluster.target(backend or DEFAULT)
    form = select_format(output, format)
    objects, outcome = (_read_objects if manifests else _compile_objects)(inputs, values, target)
    if not messages.report(outcome, inputs, "; nothing was planned"):
        return WRONG_INPUT
    objects = list(objects)
    plans = [redact_plan(plan(each, form == "json", target.cluster_domain or "")) for each in objects]
    if selected is not None or (projects is not None and projects.entries is not None):
        from trainc.cli.commands.plan.placement import entries_of, with_placement

        entries = entries_of(outcome.jobs, len(plans), projects, selected)
        plans = with_placement(plans, objects, outcome.jobs, entries)
    write_text(format_plans(plans, form, outcome.jobs, projects), output, inputs)
    return WRONG_INPUT if messages.strict and any(each.findings for each in plans) else OK


def _compile_objects(files: list[str], values: Values, target: Target) -> tuple[Iterable[list[Object]], Outcome]:
    """Return what each job compiles to, with templates of other files, to which it may refer, and the outcome."""
    from trainc.cli.compilation import source_compiler, split_templates
    from trainc.cli.input_files import read_files

    sources, errors = read_files(files)
    sources, templates = split_templates(sources)
    outcome = source_compiler(sources, errors, values)(target)
    return ([*templates, *(each.data() for each in job.planned_manifests())] for job in outcome.jobs), outcome


def _read_objects(files: list[str], values: Values, target: Target) -> tuple[Iterable[list[Object]], Outcome]:
    from trainc.cli.commands.plan.manifest_objects import read_manifest_objects

    return read_manifest_objects(files, values, target)
