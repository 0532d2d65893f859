"""Knowledge of one system stands in its folder of systems/, knowledge of one launcher in its folder of launchers/."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "compiler" / "trainc"


class Area(NamedTuple):
    """Folder with a folder for each of its members; no code outside of it has the words, or imports a member."""

    folder: str
    words: re.Pattern[str]
    shared: frozenset[str]  # modules of the folder that everybody may import
    allowed: frozenset[str]  # files outside of the folder that may have the words


SYSTEMS = Area(
    folder="systems",
    # `job` and `pods` are words of the language, too.
    words=re.compile("(?i)pytorchjob|elasticjob|deepspeedjob|pytorchtrainingjob|tlaunchrun|statefulset"),
    shared=frozenset(("registry", "traits", "shared")),
    # Text for users: the description of a field.
    allowed=frozenset(("launchers/torchrun/options.py",)),
)


LAUNCHERS = Area(
    folder="launchers",
    # Only as the whole text: messages and fields of the language name launchers, too.
    words=re.compile("^(?:torchrun|deepspeed|accelerate|mpirun)$"),
    shared=frozenset(("registry", "traits", "option", "ports", "lowering", "find_launchers")),
    allowed=frozenset(
        (
            # The starter job, which is text.
            *("cli/init.py", "cli/commands/init.py"),
            # Readers, which translate command lines into the fields of a launcher.
            *("systems/shared/reader/command.py", "systems/shared/reader/operator_variables.py"),
            *("systems/shared/reader/pod.py", "systems/tlaunchrun/reader/launchers.py"),
            *("systems/tlaunchrun/reader/parser.py", "systems/elasticjob/reader/translate.py"),
            "systems/pytorchtrainingjob/reader/torchrun.py",
            # A system whose operator runs the `deepspeed` command.
            *("systems/deepspeedjob/model/pods.py", "systems/deepspeedjob/reader/config.py"),
            *("systems/deepspeedjob/reader/options.py", "systems/deepspeedjob/reader/translate.py"),
            *("systems/deepspeedjob/rules/env.py", "systems/deepspeedjob/rules/lifecycle.py"),
            *("systems/deepspeedjob/rules/pods.py", "systems/deepspeedjob/rules/program.py"),
        )
    ),
)
AREAS = [SYSTEMS, LAUNCHERS]


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.folder)
def test_code_outside_the_folder_names_none_of_its_members(area: Area) -> None:
    found = [f"{path}:{line}: {word}" for path, line, word in _violations(area)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.folder)
def test_each_exception_is_needed(area: Area) -> None:
    assert {path for path, _, _ in _violations(area._replace(allowed=frozenset()))} >= area.allowed


def _violations(area: Area) -> Iterator[tuple[str, int, str]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE).as_posix()
        if path.startswith((f"{area.folder}/", "compiled_")) or path in area.allowed:
            continue
        tree = ast.parse(file.read_text("utf-8"))
        docstrings = {id(text) for text in _docstrings(tree)}
        for node in ast.walk(tree):
            if id(node) not in docstrings:
                yield from ((path, getattr(node, "lineno", 0), word) for word in _words(node, area))


def _docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            assert isinstance(node.body[0], ast.Expr)
            yield node.body[0].value


def _words(node: ast.AST, area: Area) -> Iterator[str]:
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
        yield from area.words.findall(text)
