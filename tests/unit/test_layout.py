"""Code about one launcher is in its folder of launchers/: code outside neither names nor imports a launcher.

test_locality.py is the same for systems.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "compiler" / "trainc"
# Only as the whole string: messages and fields name launchers, too.
NAMES = ("torchrun", "deepspeed", "accelerate", "mpirun", "jax", "ray")
# Modules of the folder that all code may import.
SHARED = (
    *("registry", "traits", "option", "ports", "lowering", "find_launchers", "grammars", "option_fields", "node_count"),
    *("script_files", "frameworks"),
)
# Readers translate command lines, variables and fields of other systems into the fields of a launcher; the operators of
# these systems run a launcher's command.
READERS = re.compile(r"systems/\w+/reader/")
OPERATED = ("systems/deepspeedjob/", "systems/mpijob/", "systems/pytorchtrainingjob/", "systems/rayjob/")
ALLOWED = frozenset(
    (
        "cli/commands/init/starter_job.py",  # a starter job of each launcher
        "rehearse/jax_group.py",  # the library of the probe in a program of JAX
        # A policy of Kubeflow Trainer's runtimes and a plug-in of Volcano, which are called like launchers.
        *("systems/trainjob/facts.py", "systems/trainjob/shipped.py", "systems/trainjob/model/policies.py"),
        "systems/vcjob/facts.py",
    )
)


def test_code_outside_the_folder_names_no_launcher() -> None:
    violations = [f"{path}: {name}" for path, name in _violations() if path not in ALLOWED]
    assert not violations, "\n".join(violations)


def test_every_exception_is_needed() -> None:
    assert {path for path, _ in _violations()} >= ALLOWED


@cache
def _violations() -> list[tuple[str, str]]:
    files = ((file.relative_to(PACKAGE).as_posix(), file) for file in sorted(PACKAGE.rglob("*.py")))
    return [
        (path, name)
        for path, file in files
        if not path.startswith(("launchers/", "compiled_", *OPERATED)) and not READERS.match(path)
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        for name in _names(node)
    ]


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and node.value in NAMES:
        yield str(node.value)
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield node.id
    elif isinstance(node, ast.ImportFrom):
        package, _, rest = (node.module or "").partition("trainc.launchers.")
        if not package and rest and rest.partition(".")[0] not in SHARED:
            yield f"import of {node.module}"
