"""`checks`: directories of a project with checks of its own, as packages that Python can import.

They are code, which runs only for the project of the working directory, or one that `--config` names: see
docs/own-checks.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.project.project import Project
from trainc.source.node import Node, scalar_text

KEY = "checks"
_PREFIX = "project_checks_"
_folders: dict[str, str] = {}  # packages with the paths of their directories, as a project file has them


def packages(project: Project) -> list[tuple[str, Node]]:
    """Return the names of the packages of a project's checks, with the position of each."""
    return [(_package(os.path.join(project.folder, scalar_text(node))), node) for node in project.items(KEY)]


def folder_of(package: str) -> str:
    """Return the path of the directory of a package; empty for one that is no project's."""
    return _folders.get(package, "")


def untrusted(project: Project) -> Iterator[Diagnostic]:
    """Yield the error about the checks of a project that is not that of the working directory."""
    for node in project.items(KEY)[:1]:
        message = f"`{KEY}` is code, which does not run for a project other than that of the working directory"
        help_ = f"run trainc in its directory, or add `--config {project.source.name}` or `--no-checks`"
        yield error(codes.UNTRUSTED_CHECKS, message, node.span, help=help_)


def _package(path: str) -> str:
    """Return the name of the package of a directory, which `import_module` then knows."""
    folder = os.path.realpath(path)
    name = f"{_PREFIX}{sha256(os.fsencode(folder)).hexdigest()[:12]}"
    if name not in sys.modules:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [folder]
        sys.modules[name] = module_from_spec(spec)
        _folders[name] = path
    return name
