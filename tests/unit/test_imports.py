"""What a cold start imports: time is what it takes, and docs/adr/0002-dependencies.md says what each costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import JOB, WRONG
from tests.support.examples import EXAMPLES, accepted, compiled, path
from trainc.emit.templates import refresh
from trainc.systems.registry import NAMES

COMPILER = Path(__file__).resolve().parents[2] / "compiler"
API = "import sys, trainc\nresult = trainc.compile(sys.stdin.read())\nresult.to_yaml()\n"
COMMAND = (
    "import sys\nfrom trainc.cli.guard import guarded\n"
    "code = guarded([{arguments}])\nassert code == {code}, code\nsys.stdout = sys.__stdout__\n"
)

# Needed to explain, to build or to test, and for nothing that goes well.
NEVER = {
    *("jinja2", "markupsafe", "jsonschema", "referencing", "attrs", "attr", "rpds", "yaml", "kubernetes_validate"),
    *("rich", "pygments", "pydantic", "click", "hypothesis", "pytest", "_pytest"),
}
# Of the standard library, what is dear and was left out on purpose (docs/adr/0003-records.md), or would mean that the
# compiler asks the network or the clock.
DEAR = {"dataclasses", "asyncio", "logging", "socket", "ssl", "http", "urllib.request", "email", "unittest", "sqlite3"}
# Our own modules that only have something to do when a job is wrong.
FOR_ERRORS = {"trainc.schema.explain", "trainc.schema.findings", "trainc.schema.wording", "trainc.source.syntax"}
FOR_PATCHES = {"trainc.emit.patch", "trainc.checks.pod.pod_template"}


@pytest.fixture(scope="module", autouse=True)
def _templates_are_compiled() -> None:
    """In a checkout whose templates were just changed, the first run compiles them, and imports Jinja for it."""
    refresh()


def imported(program: str, stdin: str = JOB) -> set[str]:
    """All modules that a program has imported when it ends; PYTHONPATH keeps pytest's own path out of it."""
    # What was there before is Python's own, and what .pth files of the environment ask for.
    whole = f"import sys\nbefore = set(sys.modules)\n{program}\nprint('\\n', *(set(sys.modules) - before))"
    env = {"PYTHONPATH": str(COMPILER)}
    done = subprocess.run(
        [sys.executable, "-c", whole], input=stdin, capture_output=True, text=True, check=True, env=env
    )
    return set(done.stdout.split("\n")[-2].split())


def packages(modules: set[str]) -> set[str]:
    return modules | {module.partition(".")[0] for module in modules}


def test_importing_trainc_imports_nothing_but_the_name() -> None:
    found = imported("import trainc")
    assert {name for name in packages(found) if name.startswith("trainc")} == {"trainc"}
    assert not packages(found) & {*NEVER, *DEAR, "ruamel", "typer", "json"}


def test_a_compilation_imports_no_package_but_the_parser() -> None:
    found = packages(imported(API))
    assert not found & {*NEVER, *DEAR, "typer", "inspect", "subprocess", "argparse"}
    assert "trainc.driver" in found
    outside = {name for name in found if "." not in name} - set(sys.stdlib_module_names)
    # libyaml's binding by its two names, and what Cython leaves behind.
    assert {name for name in outside if not name.startswith(("_ruamel", "_cython", "cython"))} == {"trainc", "ruamel"}


def test_a_compilation_imports_nothing_that_only_explains_errors() -> None:
    found = imported(API)
    assert not found & (FOR_ERRORS | FOR_PATCHES)
    assert not found & {"trainc.diagnostics.text", "trainc.emit.compiler"}
    assert "trainc.cli" not in packages(found)


def test_what_explains_errors_is_imported_for_an_error() -> None:
    """Or the test above would hold names of modules that are no more."""
    assert FOR_ERRORS - {"trainc.source.syntax"} <= imported(API, WRONG)
    assert "jsonschema" in imported(API, WRONG)
    assert "trainc.source.syntax" in imported(API, "a: [")
    assert imported(API, JOB + "  podTemplate: {spec: {hostNetwork: true}}\n") >= FOR_PATCHES


@pytest.mark.parametrize("backend", NAMES)
def test_only_the_back_end_that_is_used_is_imported(backend: str) -> None:
    program = API.replace("sys.stdin.read()", f"sys.stdin.read(), backend={backend!r}")
    # To name those that can express a job, a back end that can't looks at all of them.
    job = next(name for name in EXAMPLES if accepted(name, backend) and not compiled(name, backend).diagnostics)
    found = imported(program, path(job).read_text("utf-8"))
    assert {name for name in NAMES if f"trainc.systems.{name}.objects" in found} == {backend}
    assert {name.partition("_")[0] for name in _inside(found, "trainc.compiled_templates.")} == {backend, "shared"}


def test_plug_ins_are_searched_only_for_unknown_names() -> None:
    assert "importlib.metadata" not in imported(API)
    assert "importlib.metadata" in imported("from trainc.systems.registry import of_kind; of_kind('A', 'a.example/v1')")


def test_only_the_launcher_that_is_used_is_imported() -> None:
    launchers = {"basic", "torchrun", "deepspeed"}
    for launcher in launchers:
        found = imported(API, JOB.replace("torchrun", launcher))
        assert {name.partition(".")[0] for name in _inside(found, "trainc.launchers.") if "." in name} == {launcher}


def test_the_command_line_imports_typer_and_no_more() -> None:
    found = packages(imported(COMMAND.format(arguments="'compile', '-', '-o', '/dev/null'", code=0)))
    assert not found & (NEVER | DEAR | FOR_ERRORS | FOR_PATCHES)
    assert "typer" in found
    # Neither --set nor --summary was given, and there is nothing to be said.
    assert not found & {"trainc.source.overrides", "trainc.cli.summary", "trainc.diagnostics.text"}
    assert not _inside(found, "trainc.diagnostics.") - {"codes", "diagnostic"}


def test_a_check_imports_what_shows_diagnostics_only_when_there_are_some() -> None:
    program = COMMAND.format(arguments="'check', '-'", code=0)
    assert "trainc.diagnostics.text" not in imported(program)
    wrong = imported(COMMAND.format(arguments="'check', '-'", code=1), WRONG)
    assert "trainc.diagnostics.text" in wrong
    assert "jinja2" not in packages(wrong)


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "github", "junit"])
def test_only_the_form_that_is_asked_for_is_imported(form: str) -> None:
    program = COMMAND.format(arguments=f"'check', '-', '--message-format', '{form}'", code=1)
    found = imported(f"import io, sys\nsys.stdout = io.TextIOWrapper(io.BytesIO())\n{program}", WRONG)
    assert {name.partition("_")[0] for name in _inside(found, "trainc.diagnostics.formats.")} - {"strings"} == {form}
    assert not packages(found) & {"http", "ssl", "urllib.request"}


def _inside(modules: set[str], package: str) -> set[str]:
    return {name.removeprefix(package) for name in modules if name.startswith(package)}
