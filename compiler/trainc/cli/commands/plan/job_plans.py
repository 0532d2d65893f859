"""Plans of `trainc plan`: what each job of the files starts, in a format."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.cli.commands.plan import Options
from trainc.cli.commands.plan.output_formats import format_plans, select_format
from trainc.cli.compilation import on_cluster, source_compiler, split_templates
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.input_files import read_files
from trainc.cli.output import write_text
from trainc.cli.settings import Values
from trainc.compiled import Outcome
from trainc.plan.fields import Object
from trainc.plan.plan import plan
from trainc.plan.redact import redact_plan
from trainc.systems.registry import DEFAULT
from trainc.target import Target


def show_plans(options: Options) -> int:
    """Print the plans; return the exit code. With --manifests the files are not jobs, which are compiled."""
    project, are_manifests = options.project.showing(), options.manifests
    cluster, backend, selected = on_cluster(options.entry, options.cluster, options.backend, project)
    if are_manifests:
        cluster, backend = options.cluster, options.backend
    inputs, projects = project.stating(backend).inputs(options.files, options.jobs_only)
    messages, values = options.messages.of_project(projects), options.values.of(projects)
    target = cluster.target(backend or DEFAULT)
    form = select_format(options.output, options.format)
    objects, outcome = (_read_objects if are_manifests else _compile_objects)(inputs, values, target)
    if not messages.report(outcome, inputs, "; nothing was planned"):
        return WRONG_INPUT
    objects = list(objects)
    plans = [redact_plan(plan(each, form == "json", target.cluster_domain or "")) for each in objects]
    if selected is not None or (projects is not None and projects.entries is not None):
        from trainc.cli.commands.plan.placement import entries_of, with_placement

        entries = entries_of(outcome.jobs, len(plans), projects, selected)
        plans = with_placement(plans, objects, outcome.jobs, entries)
    write_text(format_plans(plans, form, outcome.jobs, projects), options.output, inputs)
    return WRONG_INPUT if messages.strict and any(each.findings for each in plans) else OK


def _compile_objects(files: list[str], values: Values, target: Target) -> tuple[Iterable[list[Object]], Outcome]:
    """Return what each job compiles to, with templates of other files, to which it may refer, and the outcome."""
    sources, errors = read_files(files)
    sources, templates = split_templates(sources)
    outcome = source_compiler(sources, errors, values)(target)
    return ([*templates, *(each.data() for each in job.planned_manifests())] for job in outcome.jobs), outcome


def _read_objects(files: list[str], values: Values, target: Target) -> tuple[Iterable[list[Object]], Outcome]:
    from trainc.cli.commands.plan.manifest_objects import read_manifest_objects

    return read_manifest_objects(files, values, target)
