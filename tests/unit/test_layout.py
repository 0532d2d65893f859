"""Code about one launcher is in its folder of launchers/: code outside neither names nor imports a launcher.

test_locality.py is the same for systems.
"""

from __future__ import annotations

import ast
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
ALLOWED = frozenset(
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
        # Volcano's plugin of this name.
        *("systems/vcjob/facts.py", "systems/vcjob/reader/plugins.py"),
        *("systems/shared/reader/option_variables.py", "systems/shared/reader/replicas.py"),
        *("systems/pytorchjob/reader/__init__.py", "systems/pytorchjob/reader/elastic_policy.py"),
        *("systems/pytorchtrainingjob/reader/__init__.py", "systems/trainjob/reader/faults.py"),
        # Systems whose operators run a launcher's command.
        "systems/pytorchtrainingjob/model.py",
        *("systems/deepspeedjob/model.py", "systems/deepspeedjob/reader/config.py"),
        "systems/deepspeedjob/reader/__init__.py",
        *("systems/deepspeedjob/rules/env.py", "systems/deepspeedjob/rules/lifecycle.py"),
        "systems/deepspeedjob/rules/program.py",
        *("systems/mpijob/model.py", "systems/mpijob/reader/__init__.py", "systems/mpijob/rehearsal.py"),
        *("systems/command/reader/mpirun.py", "systems/command/reader/mpirun_hosts.py"),
        "systems/command/reader/accelerate.py",
        *("systems/command/reader/slurm.py", "systems/command/reader/import_advice.py"),
        # The library of the probe in a program of JAX.
        "rehearse/jax_group.py",
        # Policies of Kubeflow Trainer's runtimes, of which one has a launcher's name.
        *("systems/trainjob/facts.py", "systems/trainjob/shipped.py", "systems/trainjob/reader/__init__.py"),
        *("systems/trainjob/reader/jax.py", "systems/trainjob/model/policies.py"),
        "systems/command/reader/others.py",
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
        if not path.startswith(("launchers/", "compiled_"))
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
