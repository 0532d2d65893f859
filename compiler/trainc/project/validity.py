"""Values of a project file that its schema can't check: names of back ends, launchers and codes, dates and paths."""

from __future__ import annotations

import os
from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.silence import matches_code, unknown_codes
from trainc.launchers import registry as launchers
from trainc.project.ignores import is_date
from trainc.project.paths import outside_error
from trainc.project.project import Project
from trainc.project.values import default_errors, environment_errors
from trainc.project.versions import version_problem
from trainc.schema.hints import listing, nearest
from trainc.source.node import Mapping, Node, Sequence, mappings, scalar_text
from trainc.target import backend_problem


def invalid_values(project: Project) -> Iterator[Diagnostic]:
    """Yield the errors of a project file that has the right types."""
    yield from _backend_errors(project)
    yield from _version_errors(project)
    yield from _ignore_errors(project)
    yield from _path_errors(project)
    defaults = project.section("defaults")
    if defaults is not None:
        yield from default_errors(defaults)
        metadata = defaults.get("metadata")
        if isinstance(metadata, Mapping) and "name" in metadata.entries:
            message, where = "`defaults.metadata.name` would be the name of all jobs", metadata.entries["name"].key.span
            yield error(codes.INVALID_VALUE, message, where, help="remove it")
    yield from environment_errors(project)


def _backend_errors(project: Project) -> Iterator[Diagnostic]:
    rules = mappings(project.get("backends"))
    for node in (project.get("backend"), *(rule.get("backend") for rule in rules)):
        name = scalar_text(node)
        if node is not None and (problem := backend_problem(name)):
            yield error(codes.INVALID_VALUE, problem, node.span)
    for node in (rule.get("launcher") for rule in rules):
        name, known = scalar_text(node), [*launchers.FIELDS, *launchers.plugins()]
        if node is not None and name not in known:
            near = nearest(name, known)
            help_ = f"did you mean `{near}`?" if near else f"use one of {', '.join(known)}"
            yield error(codes.INVALID_VALUE, f"`{name}` is not a launcher", node.span, help=help_)


def _version_errors(project: Project) -> Iterator[Diagnostic]:
    versions = project.section("versions")
    for name, entry in versions.entries.items() if versions else ():
        problem = version_problem(name, scalar_text(entry.value))
        if problem:
            yield error(codes.INVALID_VALUE, problem, versions.where(name) if versions else entry.key.span)


def _ignore_errors(project: Project) -> Iterator[Diagnostic]:
    for entry in mappings(project.get("ignores")):
        words = entry.get("codes")
        for node in words.items if isinstance(words, Sequence) else []:
            for word in unknown_codes([scalar_text(node)]):
                help_ = "run `trainc explain` for all codes"
                yield error(codes.INVALID_VALUE, f"unknown code `{word}`", node.span, help=help_)
        yield from _excuse_errors(entry, words)
        until = scalar_text(entry.get("until"))
        if until and not is_date(until):
            yield error(codes.INVALID_VALUE, f"`{until}` is not a day of the calendar", entry.where("until"))


def _excuse_errors(entry: Mapping, words: Node | None) -> Iterator[Diagnostic]:
    """Yield an error for an excuse from the policy that nobody owns, or that never ends."""
    missing = [name for name in ("owner", "until") if not scalar_text(entry.get(name))]
    for node in words.items if missing and isinstance(words, Sequence) else []:
        if any(matches_code(code, [scalar_text(node)]) for code in codes.POLICY):
            fields = " and ".join(f"`{name}`" for name in missing)
            message = f"`{scalar_text(node)}` excuses jobs from the policy without {fields}"
            yield error(codes.INVALID_VALUE, message, node.span, help=f"add {fields}")


def _path_errors(project: Project) -> Iterator[Diagnostic]:
    for name, node in _paths(project):
        outside = outside_error(node, name, project.source.name)
        if outside:
            yield outside
        elif _is_same(project, scalar_text(node)):
            message = f"`{name}` is the project file itself"
            yield error(codes.CYCLIC_PROJECT_PATH, message, node.span, help="name job files or a directory")
    clusters = project.section("clusters")
    for name, entry in clusters.items() if clusters else ():
        file = entry.get("file") if isinstance(entry, Mapping) else entry
        outside = outside_error(file, f"clusters.{listing([name])}", project.source.name) if file else None
        if outside:
            yield outside


def _paths(project: Project) -> Iterator[tuple[str, Node]]:
    """Yield the paths that are read or written, with the names of their fields; patterns of rules only match files."""
    manifests = project.get("manifests")
    for number, item in enumerate(project.items("jobs")):
        yield f"jobs[{number}]", item
    for number, item in enumerate(project.items("checks")):
        yield f"checks[{number}]", item
    if manifests is not None and not isinstance(manifests, Mapping):
        yield "manifests", manifests


def _is_same(project: Project, path: str) -> bool:
    here, other = project.source.name, os.path.join(project.folder, path)
    return os.path.realpath(here) == os.path.realpath(other)
