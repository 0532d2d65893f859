"""Modules that a cold start imports; docs/adr/0002-dependencies.md has the cost of each."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from functools import cache
from pathlib import Path

import grimp
import pytest

import trainc
from tests.support.command import INVALID_JOB, JOB
from tests.support.examples import EXAMPLES, accepted, compiled, example_path
from tests.support.imports import imported_modules
from trainc.cli.input_files import project_files
from trainc.emit.render import refresh
from trainc.systems.registry import NAMES

PACKAGE = Path(trainc.__file__).parent
API = "import sys, trainc\nresult = trainc.compile(sys.stdin.read())\nresult.to_yaml()\n"
COMMAND = "from trainc.cli.guard import guarded\ncode = guarded([{arguments}])\nassert code == {code}, code\n"
UNKNOWN_KIND = "from trainc.systems.registry import of_kind; of_kind('A', 'a.example/v1')"
LAUNCHERS = ("basic", "torchrun", "deepspeed")
FORMATS = ("full", "concise", "json", "sarif", "github", "junit")

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
FOR_ERRORS = {"trainc.schema.explain", "trainc.schema.problem", "trainc.schema.wording", "trainc.source.syntax"}
FOR_PATCHES = {"trainc.emit.patch", "trainc.checks.pod.pod_template"}
# Imports inside functions, without those of registries. One more is for a command, a rare option or an error.
MOST_LATE_IMPORTS = 131


@pytest.fixture(scope="module", autouse=True)
def _templates_are_compiled() -> None:
    """Compile changed templates first: the first run in a checkout does it, and imports Jinja for it."""
    refresh()


@cache
def imported(program: str, stdin: str = JOB) -> frozenset[str]:
    """Return all modules that a program imports."""
    (modules,) = imported_modules((program, stdin))
    return frozenset(modules)


def late_imports(file: Path) -> list[ast.stmt]:
    """Return the imports inside functions of a file."""
    text = file.read_text("utf-8")
    if not re.search(r"^\s+(?:from|import) ", text, re.MULTILINE):  # most files, which needn't be parsed
        return []
    functions = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)]
    inner = {each: None for function in functions for each in ast.walk(function)}
    return [each for each in inner if isinstance(each, (ast.Import, ast.ImportFrom))]


def test_no_modules_import_each_other() -> None:
    """Neither inside functions nor for types: a module is read after those that it imports."""
    graph = grimp.build_graph("trainc", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert imports["trainc.cli.compilation"] >= {"trainc.driver", "trainc.cli.chunks"}  # the second inside a function
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError with a circle


def test_imports_inside_functions_are_few() -> None:
    """A function that needs several is one of a module that imports them at its top (docs/adr/0013-cold-start.md)."""
    files = [each for each in sorted(PACKAGE.rglob("*.py")) if each.name != "registry.py"]
    counts = {str(each.relative_to(PACKAGE)): len(late_imports(each)) for each in files}
    assert 0 < sum(counts.values()) <= MOST_LATE_IMPORTS, {file: count for file, count in counts.items() if count}


def packages(modules: frozenset[str]) -> set[str]:
    return {*modules, *(module.partition(".")[0] for module in modules)}


def inside(modules: set[str] | frozenset[str], package: str) -> set[str]:
    """Return the names of a package's modules, without the package."""
    return {name.removeprefix(package) for name in modules if name.startswith(package)}


def test_import_trainc_imports_no_other_module() -> None:
    modules = imported("import trainc")
    assert {name for name in packages(modules) if name.startswith("trainc")} == {"trainc"}
    assert not packages(modules) & {*NEVER, *EXPENSIVE, "ruamel", "typer", "json"}


def test_a_compilation_imports_no_other_package() -> None:
    modules = packages(imported(API))
    assert not modules & {*NEVER, *EXPENSIVE, "typer", "inspect", "subprocess", "argparse"}
    assert "trainc.driver" in modules
    assert {name for name in modules if "." not in name} - set(sys.stdlib_module_names) == {"trainc"}


def test_a_compilation_imports_no_error_messages() -> None:
    modules = imported(API)
    assert not modules & (FOR_ERRORS | FOR_PATCHES)
    assert not modules & {"trainc.diagnostics.text", "trainc.emit.compiler"}
    assert "trainc.cli" not in packages(modules)


def test_errors_and_patches_import_their_modules() -> None:
    """Otherwise the test above could list modules that no longer exist."""
    patched = JOB + "  podTemplate: {spec: {hostNetwork: true}}\n"
    invalid, unparseable, with_patch = imported_modules(*((API, text) for text in (INVALID_JOB, "a: [", patched)))
    assert invalid >= {*FOR_ERRORS, "jsonschema"} - {"trainc.source.syntax"}
    assert "trainc.source.syntax" in unparseable
    assert with_patch >= FOR_PATCHES


def job_without_diagnostics(backend: str) -> str:
    """Return a job for a back end: to suggest another back end, a diagnostic imports all of them."""
    for name in (each for each in EXAMPLES if accepted(each, backend)):
        text = example_path(name).read_text("utf-8")
        if not compiled(name, backend).diagnostics:
            return text
        if "lifecycle:" not in text:  # RayJobs without a time limit have a warning
            limited = text.replace("\nspec:\n", "\nspec:\n  lifecycle: {activeDeadlineSeconds: 3600}\n")
            if not trainc.compile(limited, backend=backend).diagnostics:
                return limited
    raise LookupError(backend)


def test_only_the_requested_back_end_is_imported() -> None:
    programs = []
    for backend in NAMES:
        program = API.replace("sys.stdin.read()", f"sys.stdin.read(), backend={backend!r}")
        programs.append((program, job_without_diagnostics(backend)))
    for backend, modules in zip(NAMES, imported_modules(*programs), strict=True):
        assert {name for name in NAMES if f"trainc.systems.{name}.objects" in modules} == {backend}
        templates = {name.partition("_")[0] for name in inside(modules, "trainc.compiled_templates.")}
        assert backend in templates
        assert templates <= {backend, "shared"}


def test_plug_ins_are_searched_only_for_unknown_names() -> None:
    assert "importlib.metadata" not in imported(API)
    assert "importlib.metadata" in imported(UNKNOWN_KIND)


def test_only_the_requested_launcher_is_imported() -> None:
    runs = imported_modules(*((API, JOB.replace("torchrun", launcher)) for launcher in LAUNCHERS))
    for launcher, modules in zip(LAUNCHERS, runs, strict=True):
        packages = {name.partition(".")[0] for name in inside(modules, "trainc.launchers.") if "." in name}
        assert packages - {"shared"} == {launcher}


def test_the_command_line_imports_typer_only_for_usage_errors() -> None:
    modules = packages(imported(COMMAND.format(arguments="'compile', '-', '-o', '/dev/null'", code=0)))
    assert not modules & (NEVER | EXPENSIVE | FOR_ERRORS | FOR_PATCHES | {"typer", "inspect", "difflib", "subprocess"})
    assert "typer" in imported(COMMAND.format(arguments="'compile', '-', '--outptu', '/dev/null'", code=2))
    jobs = COMMAND.format(arguments="'check', '--jobs', '2', '-'", code=0)
    assert "typer" not in packages(imported(jobs))
    # No --set, no --summary, no diagnostics.
    assert not modules & {"trainc.source.overrides", "trainc.cli.summary", "trainc.diagnostics.text"}
    assert not inside(modules, "trainc.diagnostics.") - {"codes", "diagnostic", "field", "message", "remedy"}


def test_the_program_does_not_import_typing() -> None:
    """trainc.typenames takes its place."""
    program = "import sys\nfrom trainc.source import parser\nparser.is_program = True\n" + COMMAND
    modules = imported(program.format(arguments="'compile', '-'", code=0))
    assert not modules & {"typing", "contextlib", "ruamel.yaml.main"}


def test_check_imports_the_renderer_only_for_diagnostics() -> None:
    valid, invalid = imported_modules(
        (COMMAND.format(arguments="'check', '-'", code=0), JOB),
        (COMMAND.format(arguments="'check', '-'", code=1), INVALID_JOB),
    )
    assert "trainc.diagnostics.text" not in valid
    assert "trainc.diagnostics.text" in invalid
    assert "jinja2" not in invalid


def test_only_the_requested_message_format_is_imported() -> None:
    commands = (COMMAND.format(arguments=f"'check', '-', '--message-format', '{name}'", code=1) for name in FORMATS)
    runs = imported_modules(*((command, INVALID_JOB) for command in commands))
    for name, modules in zip(FORMATS, runs, strict=True):
        formats = {module.partition("_")[0] for module in inside(modules, "trainc.diagnostics.formats.")}
        assert formats - {"strings"} == {name}
    assert not runs[-1] & {"http", "ssl", "urllib.request"}


def test_a_command_imports_nothing_for_project_files_unless_there_is_one(tmp_path: Path) -> None:
    job, jobs = tmp_path / "job.yaml", tmp_path / "project" / "job.yaml"
    jobs.parent.mkdir()
    for file in (job, jobs):
        file.write_text(JOB)
    project = "apiVersion: trainc.dev/v1alpha1\nkind: Project\ndefaults: {metadata: {namespace: training}}\n"
    (jobs.parent / "trainc.yaml").write_text(project)
    programs = [
        (COMMAND.format(arguments=f"{command!r}, {str(file)!r}", code=0), "")
        for command in ("compile", "check", "plan")
        for file in (job, jobs)
    ]
    for number, modules in enumerate(imported_modules(*programs)):
        has_project = number % 2 == 1
        assert bool(inside(modules, "trainc.project")) == has_project
        assert ("trainc.cli.project_jobs" in modules) == has_project
        assert not modules & FOR_ERRORS


def test_the_search_for_a_project_file_is_a_status_of_each_directory_above_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    asked: list[str] = []

    def is_file(name: str) -> bool:
        asked.append(name)
        return False

    monkeypatch.setattr("os.path.isfile", is_file)
    assert project_files([str(folder / "1.yaml"), str(folder / "2.yaml"), "-"]) == {}
    above = [str(each / "trainc.yaml") for each in (folder, *folder.parents)]
    here = [str(each / "trainc.yaml") for each in (Path.cwd(), *Path.cwd().parents)]
    assert asked == above + here
