"""Shell completion of option values and arguments. Where it has nothing, the shell completes file names."""

from __future__ import annotations

import re

from trainc.cli.input_files import project_files
from trainc.diagnostics.diagnostic import Rejected
from trainc.pages import all_codes, topics
from trainc.project.load import load_project
from trainc.schema.fields import UnknownField, field
from trainc.systems.registry import backend_names

_SPEC = "spec."
_PLAIN = r"[A-Za-z0-9._-]+"


def backends(incomplete: str) -> list[str]:
    """Return the back ends, plug-ins among them."""
    return _starting(incomplete, backend_names())


def codes(incomplete: str) -> list[str]:
    """Return ids and names of diagnostic codes."""
    return _starting(incomplete, [name for code in all_codes() for name in (code.id, code.name)])


def subjects(incomplete: str) -> list[str]:
    """Return the subjects of `trainc explain`; the paths of fields may lack `spec.`."""
    short = [path.removeprefix(_SPEC) for path in fields(_SPEC + incomplete)] if incomplete else []
    return [*codes(incomplete), *_starting(incomplete, topics()), *fields(incomplete), *short]


def assignments(incomplete: str) -> list[str]:
    """Return the fields that `--set` can change, each with `=`."""
    return [f"{path}=" for path in fields(incomplete)]


def fields(incomplete: str) -> list[str]:
    """Return the paths of the fields at the level that is being typed."""
    try:
        parent = field(incomplete.rpartition(".")[0])
    except UnknownField:
        return []
    return _starting(incomplete, [child.path for child in parent.children()])


def environments(incomplete: str) -> list[str]:
    """Return the environments of the project file of the working directory."""
    return _starting(incomplete, _project_names("environments"))


def clusters(incomplete: str) -> list[str]:
    """Return the clusters of the project file of the working directory."""
    return _starting(incomplete, _project_names("clusters"))


def _project_names(key: str) -> list[str]:
    """Return the names in a mapping of the project file that a shell takes as they are; none without a valid file."""
    path = project_files(["-"]).get("-")
    if path is None:
        return []
    try:
        section = load_project(path).section(key)
    except (Rejected, OSError):
        return []
    return [name for name in section.entries if re.fullmatch(_PLAIN, name)] if section else []


def _starting(incomplete: str, names: list[str] | tuple[str, ...]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
