"""`environments`: values over those of job files, selected by --environment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.project.defaults import least_job
from trainc.project.project import Project
from trainc.schema.errors import job_errors
from trainc.schema.hints import listing, nearest
from trainc.schema.values import unknown_removals, with_values
from trainc.source.node import Entry, Mapping, Node, Scalar
from trainc.span import Span
from trainc.well_known import PROJECT_FILE

_KEY = "environments"
_SECTIONS = ("metadata", "spec")


def environment(project: Project, name: str) -> Mapping | None:
    """Return the values of an environment, None if the project has none of this name."""
    values = _environments(project).get(name)
    return values if isinstance(values, Mapping) else None


def environment_errors(project: Project) -> Iterator[Diagnostic]:
    """Yield the errors of the values of all environments, of which a run applies one at most."""
    for values in (entry.value for entry in _environments(project).entries.values()):
        if isinstance(values, Mapping):
            yield from unknown_removals(values)
            yield from _field_errors(values)


def unknown_environment(projects: Iterable[Project], name: str) -> list[Diagnostic]:
    """Return errors for projects that lack an environment."""
    problems: list[Diagnostic] = []
    for project in projects:
        if environment(project, name) is not None:
            continue
        known = list(_environments(project).entries)
        guess = nearest(name, known)
        names = f"the environments are {listing(known)}" if known else f"add it to `{_KEY}` in {PROJECT_FILE}"
        help_ = f"did you mean `--environment {guess}`?" if guess else names
        has_some = _KEY in project.tree.entries
        where = project.tree.entries[_KEY].key.span if has_some else project.tree.span.first
        message = f"the project has no environment `{name}`"
        problems.append(error(codes.UNKNOWN_ENVIRONMENT, message, where, help=help_))
    return problems


def _environments(project: Project) -> Mapping:
    return project.section(_KEY) or Mapping({}, project.tree.span)


def _field_errors(values: Mapping) -> list[Diagnostic]:
    """Return the errors of fields of a job, of which others may be missing; an expression may be of any type."""
    own: dict[str, Entry] = {name: entry for name, entry in values.entries.items() if name in _SECTIONS}
    job = with_values(least_job(values.span), Mapping(own, values.span))
    errors = job_errors(job)
    if not errors:
        return []
    expressions = {span.place for span in _expressions(job)}
    return [each for each in errors if each.code is not codes.MISSING_FIELD and each.span.place not in expressions]


def _expressions(node: Node) -> Iterator[Span]:
    """Yield the spans of the values with an expression."""
    stack, seen = [node], set()
    while stack:
        node = stack.pop()
        if isinstance(node, Scalar):
            if isinstance(node.value, str) and "${{" in node.value:
                yield node.span
        elif id(node) not in seen:  # aliases share nodes
            seen.add(id(node))
            stack += [value for _, value in node.items()] if isinstance(node, Mapping) else node.items
