"""Every rule is registered, woken by a field that there is, and finds what only it finds."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.support.build import text
from tests.support.corpus import BAD, diagnose, expectation
from tests.support.places import DOCUMENTS, JOB, plain, resolved
from trainc.checks import registry
from trainc.checks.registry import ALWAYS, RULES
from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "compiler/trainc"
MODULES = {
    ".".join(file.relative_to(FOLDER).with_suffix("").parts)
    for pattern in ("checks/*/*.py", "launchers/*/rules/*.py", "systems/*/rules/*.py")
    for file in FOLDER.glob(pattern)
    if file.stem != "__init__" and file.parent.name != "shared"
}
# These presume their field and would speak of it where it is not given.
PRESUMES = {"checks.lifecycle.exit_codes"}
WOKEN = [(name, field) for name, fields in RULES.items() if isinstance(fields, str) for field in fields.split()]
# Jobs that wake the rules that look closer; those that look for the same are woken together.
LOOKS: dict[str, list[dict[str, Any]]] = {
    "checks.program.script": [
        {"run": {"python": ["python"]}},
        {"run": {"python": ["a b.py"]}},
        {"run": {"exec": ["./a"]}},
    ],
    "checks.program.options": [
        {"run": {"python": ["-u", "a.py"]}},
        {"run": {"module": ["-m", "a"]}},
        {"run": {"exec": ["--a"]}},
    ],
    "checks.program.nested_launcher": [
        {"run": {"exec": ["/opt/torchrun", "a.py"]}},
        {"run": {"exec": ["bash", "-c", "python -m torch.distributed.launch a.py"]}},
        {"run": {"module": ["torch.distributed.run", "a.py"]}},
        {"run": {"python": ["torchrun", "a.py"]}},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "command": ["mpirun"]}]}}},
    ],
    "launchers.torchrun.rules.pet_variables": [
        {"env": {"PET_A": "1"}},
        {"env": [{"name": "PET_A", "value": "1"}]},
        {"run": {"exec": ["sh", "-c", "PET_A=1 torchrun a.py"]}},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "env": [{"name": "PET_A"}]}]}}},
    ],
    "checks.program.pod_name_rank": [
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}
    ],
    "checks.rendezvous.sidecar_ports": [
        {"podTemplate": {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 1}]}]}}},
        {"podTemplate": {"spec": {"initContainers": [{"name": "a", "ports": [{"containerPort": 1}]}]}}},
    ],
    "checks.program.mutable_image_tag": [{"image": "a"}, {"image": "a:latest"}, {"image": "localhost:5000/a"}],
    "checks.program.separator": [{"run": {"python": ["a.py", "--"]}}, {"run": {"module": ["a", "--"]}}],
    "checks.security.plain_secrets": [
        {"env": {"HF_TOKEN": "a"}},
        {"env": [{"name": "my_password", "value": "a"}]},
        {"env": {"A": "hf_a"}},
        {"env": [{"name": "A", "value": "https://a:b@c"}]},
        {"run": {"exec": ["a", "glpat-a"]}},
        {"podTemplate": {"spec": {"initContainers": [{"name": "a", "env": [{"name": "API_KEY", "value": "a"}]}]}}},
        {"podTemplate": {"spec": {"containers": [{"name": "a", "args": ["sk-a"]}]}}},
    ],
    "checks.resources.processes": [
        {"launch": {"torchrun": {"nprocPerNode": 2}}},
        {"launch": {"deepspeed": {"slotsPerWorker": 2}}, "resources": {"gpu": {"count": 1}}},
    ],
}


def given(field: str) -> dict[str, Any]:
    """What a job has that gives only that field, with some value that the schema takes: fields of spec, or metadata."""
    schema, steps = place(field)
    for step in steps:
        schema = schema["properties"][step]
        if "$ref" in schema:
            schema = resolved(schema["$ref"], JOB)[0] if schema["$ref"][0] == "#" else {"type": "object"}
    value = plain(schema, JOB, f"spec.{field}")
    for step in reversed(steps):
        value = {step: value}
    return {"metadata": value} if field.startswith("metadata.") else dict(value)


def place(field: str) -> tuple[dict[str, Any], list[str]]:
    """The schema of spec or of metadata, and the way to the field from there."""
    name = "Metadata" if field.startswith("metadata.") else "Spec"
    return DOCUMENTS[JOB]["definitions"][name], field.removeprefix("metadata.").split(".")


def raised(name: str) -> set[str]:
    """The codes that a rule's text names, or that of what it shares with others."""
    text = (FOLDER / f"{name.replace('.', '/')}.py").read_text("utf-8")
    shared = set(re.findall(r"from trainc\.checks\.shared\.(\w+) import", text))
    tree = ast.parse(
        "\n".join([text, *((FOLDER / f"checks/shared/{one}.py").read_text("utf-8") for one in sorted(shared))])
    )
    names = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "codes"
    }
    return {found.id for found in (getattr(codes, name) for name in names) if isinstance(found, Code)}


def test_every_module_is_a_registered_rule() -> None:
    assert set(RULES) == MODULES
    for name in RULES:
        assert callable(import_module(f"trainc.{name}").check)


@pytest.mark.parametrize("field", sorted({field for _, field in WOKEN}))
def test_what_wakes_a_rule_is_a_field_of_the_language(field: str) -> None:
    schema, steps = place(field)
    for step in steps:
        assert step in schema["properties"], field
        schema = schema["properties"][step]
        if "$ref" in schema:
            schema = resolved(schema["$ref"], JOB)[0]


def imported(**spec: Any) -> set[str]:
    """The rules that a compilation imports."""
    code = "import sys, trainc; trainc.compile(sys.stdin.read()); print(*sys.modules)"
    command = [sys.executable, "-c", code]
    path = {"PYTHONPATH": str(ROOT / "compiler")}
    printed = subprocess.run(command, input=text(**spec), capture_output=True, text=True, check=True, env=path)
    return {name for name in RULES if f"trainc.{name}" in printed.stdout.split()}


def test_a_job_that_gives_no_field_wakes_no_rule_about_one() -> None:
    assert imported() == {name for name, field in RULES.items() if field == ALWAYS}


def test_an_ordinary_script_wakes_no_rule_about_launchers_in_programs() -> None:
    ordinary: dict[str, Any] = {
        "launch": {"torchrun": {"nprocPerNode": 8}},
        "resources": {"gpu": 8},
        "run": {"python": ["train.py", "--deepspeed", "--launcher=torchrun", "a b"]},
        "env": {"RANKS": "PET_NNODES"},
        "podTemplate": {"spec": {"containers": [{"name": "main", "stdin": True}]}},
    }
    looking = {name for name, field in RULES.items() if callable(field)}
    assert not looking & imported(**ordinary)


@pytest.mark.parametrize(("name", "spec"), [(name, spec) for name, specs in LOOKS.items() for spec in specs])
def test_what_a_rule_looks_for_wakes_it(name: str, spec: dict[str, Any]) -> None:
    alike = {other for other, field in RULES.items() if field is RULES[name]}
    assert alike <= imported(**spec)


def test_every_look_is_tried() -> None:
    assert {field for field in RULES.values() if callable(field)} == {RULES[name] for name in LOOKS}


@pytest.mark.parametrize(("name", "field"), WOKEN)
def test_a_field_wakes_its_rule(name: str, field: str) -> None:
    assert name in imported(**given(field))


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_has_a_code_and_each_has_a_wrong_job(name: str) -> None:
    expected = {finding.split()[0] for file in BAD for finding in expectation(file).findings}
    assert raised(name)
    assert raised(name) <= expected


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_finds_something_by_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "RULES", {name: RULES[name]})
    found: set[str] = set()
    for file in BAD:
        if {finding.split()[0] for finding in expectation(file).findings} & raised(name):
            found |= {diagnostic.code.id for diagnostic in diagnose(file, expectation(file).target)}
    assert raised(name) <= found


def test_a_rule_says_nothing_of_a_job_that_does_not_wake_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the field that it waits for is not too narrow: awake in every job, the rules say the same."""
    before = [diagnose(file, expectation(file).target) for file in BAD]
    monkeypatch.setattr(
        registry, "RULES", {name: field if name in PRESUMES else ALWAYS for name, field in RULES.items()}
    )
    after = [diagnose(file, expectation(file).target) for file in BAD]
    said = [[(d.code.id, d.span.place) for d in found] for found in after]
    assert said == [[(d.code.id, d.span.place) for d in found] for found in before]
