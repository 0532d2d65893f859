"""Modules that a cold start imports; docs/adr/0002-dependencies.md has the cost of each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import INVALID_JOB, JOB
from tests.support.examples import EXAMPLES, accepted, compiled, example_path
from trainc.emit.templates import refresh
from trainc.systems.registry import NAMES

COMPILER = Path(__file__).resolve().parents[2] / "compiler"
API = "import sys, trainc\nresult = trainc.compile(sys.stdin.read())\nresult.to_yaml()\n"
COMMAND = (
    "import sys\nfrom trainc.cli.guard import guarded\n"
    "code = guarded([{arguments}])\nassert code == {code}, code\nsys.stdout = sys.__stdout__\n"
)

# Packages for error messages, builds and tests, which a successful compilation doesn't need.
NEVER = {
    *("jinja2", "markupsafe", "jsonschema", "referencing", "attrs", "attr", "rpds", "yaml", "kubernetes_validate"),
    *("rich", "pygments", "pydantic", "click", "hypothesis", "pytest", "_pytest"),
}
# Modules of the standard library that are slow to import (docs/adr/0003-records.md), or that access the network.
EXPENSIVE = {
    "dataclasses",
    "asyncio",
    "logging",
    "socket",
    "ssl",
    "http",
    "urllib.request",
    "email",
    "unittest",
    "sqlite3",
}
# Modules of trainc that only an invalid job needs.
FOR_ERRORS = {"trainc.schema.explain", "trainc.schema.findings", "trainc.schema.wording", "trainc.source.syntax"}
FOR_PATCHES = {"trainc.emit.patch", "trainc.checks.pod.pod_template"}


@pytest.fixture(scope="module", autouse=True)
def _templates_are_compiled() -> None:
    """Compile changed templates first: the first run in a checkout does it, and imports Jinja for it."""
    refresh()


def imported(program: str, stdin: str = JOB) -> set[str]:
    """Return all modules that a program imports; PYTHONPATH hides pytest's own path."""
    # Modules imported before belong to Python and to .pth files of the environment.
    whole = f"import sys\nbefore = set(sys.modules)\n{program}\nprint('\\n', *(set(sys.modules) - before))"
    env = {"PYTHONPATH": str(COMPILER)}
    done = subprocess.run(
        [sys.executable, "-c", whole], input=stdin, capture_output=True, text=True, check=True, env=env
    )
    return set(done.stdout.split("\n")[-2].split())


def packages(modules: set[str]) -> set[str]:
    return modules | {module.partition(".")[0] for module in modules}


def test_import_trainc_imports_no_other_module() -> None:
    modules = imported("import trainc")
    assert {name for name in packages(modules) if name.startswith("trainc")} == {"trainc"}
    assert not packages(modules) & {*NEVER, *EXPENSIVE, "ruamel", "typer", "json"}


def test_a_compilation_imports_no_package_but_the_parser() -> None:
    modules = packages(imported(API))
    assert not modules & {*NEVER, *EXPENSIVE, "typer", "inspect", "subprocess", "argparse"}
    assert "trainc.driver" in modules
    outside = {name for name in modules if "." not in name} - set(sys.stdlib_module_names)
    # libyaml's binding by its two names, and what Cython leaves behind.
    assert {name for name in outside if not name.startswith(("_ruamel", "_cython", "cython"))} == {"trainc", "ruamel"}


def test_a_compilation_imports_nothing_that_only_explains_errors() -> None:
    modules = imported(API)
    assert not modules & (FOR_ERRORS | FOR_PATCHES)
    assert not modules & {"trainc.diagnostics.text", "trainc.emit.compiler"}
    assert "trainc.cli" not in packages(modules)


def test_an_error_imports_its_explanation() -> None:
    """Otherwise the test above could list modules that no longer exist."""
    assert FOR_ERRORS - {"trainc.source.syntax"} <= imported(API, INVALID_JOB)
    assert "jsonschema" in imported(API, INVALID_JOB)
    assert "trainc.source.syntax" in imported(API, "a: [")
    assert imported(API, JOB + "  podTemplate: {spec: {hostNetwork: true}}\n") >= FOR_PATCHES


@pytest.mark.parametrize("backend", NAMES)
def test_only_the_back_end_that_is_used_is_imported(backend: str) -> None:
    program = API.replace("sys.stdin.read()", f"sys.stdin.read(), backend={backend!r}")
    # A job without diagnostics: to suggest another back end, a diagnostic imports all of them.
    job = next(name for name in EXAMPLES if accepted(name, backend) and not compiled(name, backend).diagnostics)
    modules = imported(program, example_path(job).read_text("utf-8"))
    assert {name for name in NAMES if f"trainc.systems.{name}.objects" in modules} == {backend}
    assert {name.partition("_")[0] for name in _inside(modules, "trainc.compiled_templates.")} == {backend, "shared"}


def test_plug_ins_are_searched_only_for_unknown_names() -> None:
    assert "importlib.metadata" not in imported(API)
    assert "importlib.metadata" in imported("from trainc.systems.registry import of_kind; of_kind('A', 'a.example/v1')")


def test_only_the_launcher_that_is_used_is_imported() -> None:
    launchers = {"basic", "torchrun", "deepspeed"}
    for launcher in launchers:
        modules = imported(API, JOB.replace("torchrun", launcher))
        assert {name.partition(".")[0] for name in _inside(modules, "trainc.launchers.") if "." in name} == {launcher}


def test_the_command_line_imports_typer_and_no_more() -> None:
    modules = packages(imported(COMMAND.format(arguments="'compile', '-', '-o', '/dev/null'", code=0)))
    assert not modules & (NEVER | EXPENSIVE | FOR_ERRORS | FOR_PATCHES)
    assert "typer" in modules
    # No --set, no --summary, no diagnostics.
    assert not modules & {"trainc.source.overrides", "trainc.cli.summary", "trainc.diagnostics.text"}
    assert not _inside(modules, "trainc.diagnostics.") - {"codes", "diagnostic"}


def test_a_check_imports_the_renderer_only_for_diagnostics() -> None:
    program = COMMAND.format(arguments="'check', '-'", code=0)
    assert "trainc.diagnostics.text" not in imported(program)
    wrong = imported(COMMAND.format(arguments="'check', '-'", code=1), INVALID_JOB)
    assert "trainc.diagnostics.text" in wrong
    assert "jinja2" not in packages(wrong)


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "github", "junit"])
def test_only_the_requested_message_format_is_imported(form: str) -> None:
    program = COMMAND.format(arguments=f"'check', '-', '--message-format', '{form}'", code=1)
    modules = imported(f"import io, sys\nsys.stdout = io.TextIOWrapper(io.BytesIO())\n{program}", INVALID_JOB)
    assert {name.partition("_")[0] for name in _inside(modules, "trainc.diagnostics.formats.")} - {"strings"} == {form}
    assert not packages(modules) & {"http", "ssl", "urllib.request"}


def _inside(modules: set[str], package: str) -> set[str]:
    return {name.removeprefix(package) for name in modules if name.startswith(package)}
