"""Code about one system is in its folder of systems/, code about one launcher in its folder of launchers/."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "compiler" / "trainc"


class Area(NamedTuple):
    """Folder with a folder for each member; code outside of it neither names nor imports a member."""

    folder: str
    names: re.Pattern[str]
    shared: frozenset[str]  # modules of the folder that all code may import
    allowed: frozenset[str]  # files outside of the folder that may contain the names


SYSTEMS = Area(
    folder="systems",
    # `job` and `pods` are also fields of the job file.
    names=re.compile("(?i)pytorchjob|elasticjob|deepspeedjob|pytorchtrainingjob|mpijob|tlaunchrun|statefulset"),
    shared=frozenset(("registry", "traits", "shared")),
    # The description of a field.
    allowed=frozenset(("launchers/torchrun/options.py",)),
)


LAUNCHERS = Area(
    folder="launchers",
    # Only as the whole string: messages and fields name launchers, too.
    names=re.compile("^(?:torchrun|deepspeed|accelerate|mpirun)$"),
    shared=frozenset(("registry", "traits", "option", "ports", "lowering", "find_launchers", "node_count")),
    allowed=frozenset(
        (
            # The text of the starter job.
            "cli/commands/init.py",
            # Readers that translate command lines, variables and operators' fields into the fields of a launcher.
            *("systems/shared/reader/command.py", "systems/shared/reader/injected_env.py"),
            *("systems/shared/reader/pod.py", "systems/tlaunchrun/reader/launchers.py"),
            *("systems/command/reader/translate.py", "systems/command/reader/torch.py"),
            *("systems/command/reader/deepspeed.py", "systems/command/reader/launcher_line.py"),
            *("systems/tlaunchrun/reader/parser.py", "systems/elasticjob/reader/__init__.py"),
            "systems/shared/reader/own_fields.py",
            *("systems/shared/reader/option_variables.py", "systems/shared/reader/replicas.py"),
            *("systems/pytorchjob/reader/__init__.py", "systems/pytorchjob/reader/elastic_policy.py"),
            *("systems/pytorchtrainingjob/reader/__init__.py", "systems/trainjob/reader/faults.py"),
            # Systems whose operators run a launcher's command.
            "systems/pytorchtrainingjob/model.py",
            *("systems/deepspeedjob/model.py", "systems/deepspeedjob/reader/config.py"),
            "systems/deepspeedjob/reader/__init__.py",
            *("systems/deepspeedjob/rules/env.py", "systems/deepspeedjob/rules/lifecycle.py"),
            "systems/deepspeedjob/rules/program.py",
            *("systems/mpijob/reader/__init__.py", "systems/mpijob/rehearsal.py"),
            "systems/command/reader/mpirun.py",
        )
    ),
)
AREAS = [SYSTEMS, LAUNCHERS]


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.folder)
def test_code_outside_the_folder_names_no_member(area: Area) -> None:
    violations = [f"{path}:{line}: {name}" for path, line, name in _violations(area)]
    assert not violations, "\n".join(violations)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.folder)
def test_every_exception_is_needed(area: Area) -> None:
    assert {path for path, _, _ in _violations(area._replace(allowed=frozenset()))} >= area.allowed


def _violations(area: Area) -> Iterator[tuple[str, int, str]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE).as_posix()
        if path.startswith((f"{area.folder}/", "compiled_")) or path in area.allowed:
            continue
        for node in _nodes(file):
            yield from ((path, getattr(node, "lineno", 0), name) for name in _names(node, area))


@cache
def _nodes(file: Path) -> tuple[ast.AST, ...]:
    """Return the nodes of a module's syntax tree, without docstrings."""
    tree = ast.parse(file.read_text("utf-8"))
    docstrings = {id(text) for text in _docstrings(tree)}
    return tuple(node for node in ast.walk(tree) if id(node) not in docstrings)


def _docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            assert isinstance(node.body[0], ast.Expr)
            yield node.body[0].value


def _names(node: ast.AST, area: Area) -> Iterator[str]:
    texts = []
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        texts.append(node.value)
    elif isinstance(node, ast.Name):
        texts.append(node.id)
    elif isinstance(node, ast.ImportFrom):
        package, _, rest = (node.module or "").partition(f"trainc.{area.folder}.")
        if not package and rest and rest.partition(".")[0] not in area.shared:
            yield f"import of {node.module}"
    for text in texts:
        yield from area.names.findall(text)
