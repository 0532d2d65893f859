"""Load a project file and check it against its schema."""

from __future__ import annotations

import re
from functools import lru_cache

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.project.project import Project
from trainc.project.requirement import unsatisfied_requirement
from trainc.project.validity import invalid_values
from trainc.schema.documents import PROJECT, document
from trainc.schema.errors import document_errors
from trainc.schema.fields import field
from trainc.source.load import load_document, read_regular
from trainc.source.node import Mapping, Node, scalar_text
from trainc.span import Source, Span
from trainc.well_known import API_VERSION, KIND, PROJECT_KIND

_LARGE = 256 * 1024  # characters of a text whose clusters are counted before it is parsed
_SECTION = r"^clusters:[ \t]*(?:#.*)?\n(?P<entries>(?:[ \t#].*\n|\n)*)"
_FIRST = r"^(?P<indent> +)[\w\"'].*:"


def load_project(path: str) -> Project:
    """Return the project of a file. Raises Rejected with all errors of the file, and OSError if it can't be read."""
    return read_project(read_regular(path))


def read_project(source: Source) -> Project:
    """Return the project of a text. Raises Rejected with all its errors."""
    tree = _valid_tree(source.name, source.text)
    project = Project(source=tree.span.source, tree=tree)
    invalid = list(invalid_values(project))
    if invalid:
        raise Rejected(*invalid)
    return project


@lru_cache(maxsize=4)
def _valid_tree(name: str, text: str) -> Mapping:
    """Return a tree that the schema accepts; one for the working directory's project and for that of its jobs."""
    source = Source(name, text)
    help_ = f"write `apiVersion: {API_VERSION}` and `kind: {PROJECT_KIND}`"
    if len(text) > _LARGE and (problem := too_many_clusters(source)):
        raise Rejected(problem)
    empty, several = "the project file is empty", "a project file has one YAML document"
    tree = load_document(source, codes.NOT_A_PROJECT, empty, several, help_)
    errors = _kind_errors(tree) or unsatisfied_requirement(tree)
    errors = errors or [_with_section(each, tree) for each in document_errors(tree, PROJECT, tree.span.source.name)]
    if errors or not isinstance(tree, Mapping):
        raise Rejected(*errors)
    return tree


def _kind_errors(tree: Node) -> list[Diagnostic]:
    expected = f"kind: {PROJECT_KIND}"
    if not isinstance(tree, Mapping):
        message = "a project file must be a mapping"
        return [error(codes.NOT_A_PROJECT, message, tree.span.first, expected=expected)]
    required = {"apiVersion": API_VERSION, "kind": PROJECT_KIND}
    for name, value in required.items():
        text = scalar_text(tree.get(name))
        if text != value and not (name == "apiVersion" and text == ""):  # which the schema reports
            message = f"the project file has `{name}: {text}`" if text else f"the project file has no `{name}`"
            where = tree.where(name) if name in tree.entries else tree.span.first
            help_ = ("rename the file" if text == KIND else f"write `{name}: {value}`", "use `--no-config`")
            return [error(codes.NOT_A_PROJECT, message, where, expected=f"{name}: {value}", help=help_)]
    return []


def _with_section(problem: Diagnostic, tree: Node) -> Diagnostic:
    """Return the error of an unknown field of `defaults`, with the section that has it in a job as help."""
    defaults = tree.get("defaults") if isinstance(tree, Mapping) else None
    for name, entry in defaults.entries.items() if isinstance(defaults, Mapping) else ():
        sections = [each for each in ("spec", "metadata") if field(each).child(name) is not None]
        if sections and entry.key.span.place == problem.span.place:
            return problem.replace(advice=(f"write it in `{sections[0]}`",), expected=None)
    return problem


def too_many_clusters(source: Source) -> Diagnostic | None:
    """Return the error of a text with too many clusters, one below the other; None for any other text.

    They are counted in its lines: to parse 5 MiB takes seconds.
    """
    section = re.search(_SECTION, source.text, re.MULTILINE)
    first = re.search(_FIRST, section["entries"], re.MULTILINE) if section else None
    if section is None or first is None:
        return None
    count = len(re.findall(rf"^{first['indent']}[\w\"'].*:", section["entries"], re.MULTILINE))
    limit = document(PROJECT)["properties"]["clusters"]["maxProperties"]
    if count <= limit:
        return None
    shown = Source(source.name, source.text[: section.start("entries")])  # an excerpt without the cost of all lines
    line = shown.span_at(section.start()).line
    where = Span(shown, line, 1, line, len("clusters") + 1)
    return error(codes.INVALID_VALUE, f"`clusters` has {count:,} entries, but at most {limit:,} are possible", where)
