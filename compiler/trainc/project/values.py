"""Values of all jobs: `defaults` below those of job files, and `environments` over them, selected by --environment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.project.project import Project
from trainc.schema.errors import job_errors
from trainc.schema.hints import listing, nearest
from trainc.schema.merge import merge_jobs
from trainc.schema.values import unknown_removals, with_values
from trainc.source.node import Entry, Mapping, Node, Scalar, build_tree
from trainc.span import Span
from trainc.well_known import API_VERSION, KIND, PROJECT_FILE

_KEY = "environments"
# The least that a job must have, which values may leave to it.
_LEAST = {
    "apiVersion": API_VERSION,
    "kind": KIND,
    "metadata": {"name": "job"},
    "spec": {"image": "image:1", "launch": {"basic": {}}, "run": {"python": ["train.py"]}},
}


def with_defaults(document: Mapping, defaults: Mapping) -> Node:
    """Return a job document with the values of `defaults` that it lacks, and their positions in the project file."""
    sections, own = _sections(defaults), dict(document.entries)
    for name in sections.entries.keys() - own.keys():  # a section keeps a position in the job file
        own[name] = Entry(Scalar(name, name, document.span.first), Mapping({}, document.span))
    return merge_jobs(sections, Mapping(own, document.span))


def default_errors(values: Mapping) -> list[Diagnostic]:
    """Return the errors of `defaults`."""
    return _field_errors(values, merge_jobs)


def environment(project: Project, name: str) -> Mapping | None:
    """Return the values of an environment, None if the project has none of this name."""
    values = _environments(project).get(name)
    return values if isinstance(values, Mapping) else None


def environment_errors(project: Project) -> Iterator[Diagnostic]:
    """Yield the errors of the values of all environments, of which a run applies one at most."""
    for values in (entry.value for entry in _environments(project).entries.values()):
        if isinstance(values, Mapping):
            yield from unknown_removals(values)
            expressions = {span.place for span in _expressions(values)}  # which may be of any type
            yield from (each for each in _field_errors(values, with_values) if each.span.place not in expressions)


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


def _field_errors(values: Mapping, merge: Callable[[Node, Mapping], Node]) -> list[Diagnostic]:
    """Return the errors of some fields of a job, of which others may be missing."""
    job = merge(build_tree(_LEAST, values.span), _sections(values))
    return [each for each in job_errors(job) if each.code is not codes.MISSING_FIELD]


def _sections(values: Mapping) -> Mapping:
    """Return the sections of a job in values, which have others, too."""
    return Mapping({name: entry for name, entry in values.entries.items() if name in ("metadata", "spec")}, values.span)


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
