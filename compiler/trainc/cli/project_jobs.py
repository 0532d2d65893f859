"""Project files of a run, and the jobs that they name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from trainc.cli.input_files import is_pattern, list_files
from trainc.cli.parameters import InvalidConfiguration, InvalidParameter
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Rejected, error
from trainc.project.ignores import DATE_VARIABLE, today
from trainc.project.projects import Projects, load_projects
from trainc.secrets.mask import redact_excerpts
from trainc.source.node import scalar_text


@contextmanager
def configuration_errors(option: str) -> Iterator[None]:
    """Raise InvalidConfiguration for an invalid file of an option, and InvalidParameter for one that can't be read."""
    try:
        yield
    except Rejected as rejected:
        for source in {id(each.span.source): each.span.source for each in rejected.diagnostics}.values():
            redact_excerpts(source)
        raise InvalidConfiguration(*rejected.diagnostics) from None
    except OSError as problem:
        raise InvalidParameter(f"{problem.filename}: {(problem.strerror or str(problem)).lower()}", option) from None


def read_projects(paths: dict[str, str], states_backend: bool, environment: str | None) -> Projects:
    """Return the projects of files, by the path of the project file of each.

    Raises InvalidConfiguration for an invalid project file, and InvalidParameter for one that can't be read.
    """
    try:
        date = today()
    except ValueError as problem:
        raise InvalidParameter(str(problem), DATE_VARIABLE) from None
    with configuration_errors("--config"):
        projects = load_projects(paths, states_backend, date, environment)
    if projects.has("clusters"):
        from trainc.cluster.entries import Entries

        projects.entries = Entries()
    return projects


def list_project_jobs(projects: Projects | None) -> list[str]:
    """Return the files, directories and patterns that the project of the working directory names as its jobs.

    Raises InvalidParameter without any, and InvalidConfiguration for a path that doesn't exist.
    """
    project = projects.main if projects else None
    if project is None:
        raise InvalidParameter("name job files, or set `jobs` in a project file, trainc.yaml", "FILE")
    items = project.items("jobs")
    if not items:
        raise InvalidParameter(f"name job files, or set `jobs` in {project.source.name}", "FILE")
    names = [os.path.join(project.folder, scalar_text(item)) for item in items]
    missing = [
        error(codes.MISSING_PROJECT_PATH, _missing(name), item.span, help="create it, or correct the path")
        for name, item in zip(names, items, strict=True)
        if not os.path.lexists(name) and not (is_pattern(name) and list_files(name) != [name])
    ]
    if missing:
        raise InvalidConfiguration(*missing)
    return names


def _missing(name: str) -> str:
    return f"no file matches `{name}`" if is_pattern(name) else f"`{name}` does not exist"
