"""Every rule is indexed, runs only where it is triggered, and reports its code in a bad fixture."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.support.build import job_text, parse_job
from tests.support.corpus import BAD, diagnose, read_expectation
from tests.support.imports import imported_modules
from tests.support.string_slots import DOCUMENTS, JOB, minimal_value, resolve_reference
from trainc.checks import registry, triggers
from trainc.checks.rule import RuleContext
from trainc.checks.rule_index import Index, load
from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.lower.job import lower
from trainc.systems.shared.objects.backend import backend as make_backend
from trainc.target import Target

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "compiler/trainc"
INDEX = load()
TRIGGERS = {
    rule: tuple(trigger for trigger, rules in folder.items() if rule in rules)
    for folder in INDEX.values()
    for rule in sorted({name for names in folder.values() for name in names})
}
MODULES = {
    ".".join(["trainc", *file.relative_to(PACKAGE).with_suffix("").parts])
    for pattern in ("checks/*/*.py", "launchers/*/rules/*.py", "systems/*/rules/*.py", "systems/shared/*/rules/*.py")
    for file in PACKAGE.glob(pattern)
    if file.stem != "__init__" and file.parent != PACKAGE / "checks/shared"
}
# Ids of the codes that each bad fixture expects.
BAD_CODES = {file: {finding.split()[0] for finding in read_expectation(file).findings} for file in BAD}
NEED_LARGE_FILES = {"TC5017", "TC5018"}  # tests/unit/lower/test_local_files.py
BY_FIELD = [(rule, field) for rule, fields in TRIGGERS.items() for field in fields if not field.endswith("()")]
# Jobs that match each predicate.
MATCHING: dict[str, list[dict[str, Any]]] = {
    "always": [{}],
    "is_not_plain_script": [
        {"run": {"python": ["python"]}},
        {"run": {"python": ["a b.py"]}},
        {"run": {"python": ["-u", "a.py"]}},
        {"run": {"exec": ["./a"]}},
        {"run": {"exec": ["--a"]}},
        {"run": {"module": ["-m", "a"]}},
    ],
    "starts_launcher": [
        {"run": {"exec": ["/opt/torchrun", "a.py"]}},
        {"run": {"exec": ["bash", "-c", "python -m torch.distributed.launch a.py"]}},
        {"run": {"module": ["torch.distributed.run", "a.py"]}},
        {"run": {"python": ["torchrun", "a.py"]}},
        {"run": {"exec": ["bash", "/code/run.sh"]}},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "command": ["mpirun"]}]}}},
    ],
    "has_image_without_python": [
        {"image": "busybox"},
        {"image": "docker.io/library/debian:12"},
        {"image": "nvidia/cuda:12.4.1-runtime-ubuntu22.04"},
        {"image": "gcr.io/distroless/static-debian12"},
    ],
    "names_old_torch": [
        {"image": "pytorch/pytorch:1.9.0-cuda10.2-cudnn7-runtime"},
        {"image": "t9kpublic/pytorch-1.8.1:sdk"},
        {"image": "train:7-torch1.9"},
        {"image": "deepspeed/deepspeed:v060_torch19_cu111"},
    ],
    "sets_launcher_variable": [
        {"env": {"PET_A": "1"}},
        {"env": [{"name": "PET_A", "value": "1"}]},
        {"run": {"exec": ["sh", "-c", "PET_A=1 torchrun a.py"]}},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "env": [{"name": "PET_A"}]}]}}},
    ],
    "has_long_deadline": [{"lifecycle": {"activeDeadlineSeconds": 24 * 60 * 60 + 1}}],
    "names_output": [
        {"run": {"python": ["a.py", "--output_dir=a"]}},
        {"run": {"exec": ["a", "--trainer.default-root-dir", "a"]}},
        {"run": {"entrypoint": ["--CKPT", "a"]}},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "args": ["--work-dir", "a"]}]}}},
    ],
    "mentions_variable": [{"image": "$A"}, {"env": {"A": "${B}"}}],
    "mentions_placeholder": [{"image": "<image>"}, {"run": {"python": ["a.py", "--a=<your-token>"]}}],
    "sets_process_variable": [
        {"env": {"RANK": "0"}},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "env": [{"name": "MASTER_ADDR", "value": "a"}]}]}}},
    ],
    "selects_tpus": [
        {"resources": {"tpu": {"accelerator": "tpu7x", "topology": "1x1x1"}}},
        {"resources": {"google.com/tpu": 4}},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "resources": {"limits": {"google.com/tpu": "4"}}}]}}},
    ],
    "has_scaling_tolerance": [
        {"elastic": {"minReplicas": 1, "maxReplicas": 2, "behavior": {"scaleUp": {"tolerance": "0.1"}}}},
    ],
    "sets_digit_name": [{"env": {"3D": "1"}}],
    "sets_port": [{"env": {"PET_MASTER_PORT": "1"}}, {"env": [{"name": "PET_RDZV_ENDPOINT", "value": "a:1"}]}],
    "sets_shutdown_timeout": [
        {"env": {"TORCH_ELASTIC_SHUTDOWN_TIMEOUT": "60"}},
        {"run": {"exec": ["torchrun", "--shutdown-timeout=60", "a.py"]}},
    ],
    "sets_parallel_size": [
        {"run": {"python": ["train.py", "--tensor-model-parallel-size=2"]}},
        {"run": {"exec": ["bash", "-c", "python train.py --pipeline_model_parallel_size 2"]}},
    ],
    "runs_sudo": [
        {"run": {"exec": ["sudo", "python", "train.py"]}},
    ],
    "runs_shell_script": [
        {"run": {"exec": ["bash", "/code/run.sh"]}},
        {"run": {"exec": ["/code/run.sh"]}},
    ],
    "starts_axolotl": [
        {"run": {"module": ["axolotl.cli.train", "a.yaml"]}},
        {"run": {"exec": ["bash", "-c", "axolotl train a.yaml"]}},
    ],
    "sets_trainer_size": [
        {"run": {"python": ["train.py", "trainer.num_nodes=2"]}},
        {"run": {"exec": ["bash", "-c", "python train.py --trainer.num_nodes 2"]}},
    ],
    "passes_rank": [
        {"run": {"python": ["a.py", "--rank", "0"]}},
        {"run": {"exec": ["sh", "-c", "a --machine_rank=0"]}},
        {"run": {"python": ["a.py", "--world-size=2"]}},
    ],
    "names_visible_devices": [
        {"env": {"CUDA_VISIBLE_DEVICES": "0"}},
        {"run": {"exec": ["sh", "-c", "HIP_VISIBLE_DEVICES=0 a"]}},
    ],
    "falls_back_to_localhost": [{"run": {"exec": ["sh", "-c", "A=$(getent hosts a || echo localhost)"]}}],
    "reads_host_name": [
        {"run": {"exec": ["sh", "-c", "echo ${HOSTNAME##*-}"]}},
        {"podTemplate": {"spec": {"initContainers": [{"name": "a", "args": ["uname -n | cut -d- -f2"]}]}}},
    ],
    "reads_pod_name": [
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
        {"env": {"A": "b", "B": {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}}},
    ],
    "adds_container_ports": [
        {"podTemplate": {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 1}]}]}}},
        {"podTemplate": {"spec": {"initContainers": [{"name": "a", "ports": [{"containerPort": 1}]}]}}},
    ],
    "has_relative_working_dir": [{"workingDir": "code"}, {"workingDir": "~/code"}],
    "has_local_files": [{"volumes": [{"name": "a", "mountPath": "/a", "files": ["a.py"]}]}],
    "has_mutable_tag": [{"image": "a"}, {"image": "a:latest"}, {"image": "localhost:5000/a"}],
    "has_separator": [{"run": {"python": ["a.py", "--"]}}, {"run": {"module": ["a", "--"]}}],
    "may_hold_secret": [
        {"env": {"HF_TOKEN": "a"}},
        {"env": [{"name": "my_password", "value": "a"}]},
        {"env": {"A": "hf_a"}},
        {"env": [{"name": "A", "value": "https://a:b@c"}]},
        {"run": {"exec": ["a", "glpat-a"]}},
        {"run": {"entrypoint": ["--token", "a"]}},
        {"podTemplate": {"spec": {"initContainers": [{"name": "a", "env": [{"name": "API_KEY", "value": "a"}]}]}}},
        {"podTemplate": {"spec": {"containers": [{"name": "a", "args": ["sk-a"]}]}}},
    ],
    "names_interface": [
        {"env": {"NCCL_SOCKET_IFNAME": "eth0"}},
        {"podTemplate": {"spec": {"containers": [{"name": "main", "env": [{"name": "GLOO_SOCKET_IFNAME"}]}]}}},
    ],
    "requests_rdma_device": [
        {"resources": {"rdma/hca_shared_devices_a": 1}},
        {"resources": {"limits": {"example.com/IB": 1}}},
    ],
    "has_addon_label": [
        {"metadata": {"labels": {"sidecar.istio.io/inject": "true"}}},
        {"podTemplate": {"metadata": {"annotations": {"linkerd.io/inject": "enabled"}}}},
    ],
    "may_need_fabric": [
        {"workers": 2, "resources": {"gpu": 8}},
        {"elastic": {"minReplicas": 1, "maxReplicas": 2}, "resources": {"nvidia.com/gpu": 8}},
    ],
    "uses_beta_name": [
        {"metadata": {"annotations": {"pod.beta.kubernetes.io/init-containers": "[]"}}},
        {"scheduling": {"nodeSelector": {"beta.kubernetes.io/arch": "amd64"}}},
    ],
    "sets_process_count": [
        {"launch": {"torchrun": {"nprocPerNode": 2}}},
        {"launch": {"deepspeed": {"slotsPerWorker": 2}}, "resources": {"gpu": {"count": 1}}},
    ],
}


def with_field(field: str) -> dict[str, Any]:
    """Return the fields of a job with a minimal valid value of a field of spec or of metadata."""
    schema, steps = schema_of(field)
    for step in steps:
        schema = schema["properties"][step]
        if "$ref" in schema:
            schema = resolve_reference(schema["$ref"], JOB)[0] if schema["$ref"][0] == "#" else {"type": "object"}
    value = minimal_value(schema, JOB, f"spec.{field}")
    for step in reversed(steps):
        value = {step: value}
    return {"metadata": value} if field.startswith("metadata.") else dict(value)


def schema_of(field: str) -> tuple[dict[str, Any], list[str]]:
    """Return the schema of spec or of metadata, and the path of the field below it."""
    name = "Metadata" if field.startswith("metadata.") else "Spec"
    return DOCUMENTS[JOB]["definitions"][name], field.removeprefix("metadata.").split(".")


def codes_of(rule: str) -> set[str]:
    """Return the ids of the codes that a rule or a shared helper of its names."""
    source = Path(ROOT / "compiler", *rule.split(".")).with_suffix(".py").read_text("utf-8")
    shared = sorted(set(re.findall(r"from trainc\.checks\.shared\.(\w+) import", source)))
    tree = ast.parse(
        "\n".join([source, *((PACKAGE / f"checks/shared/{name}.py").read_text("utf-8") for name in shared)])
    )
    names = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "codes"
    }
    names |= {"UNSUPPORTED_BY_BACKEND"} if "no_effect(" in source else set()
    return {code.id for code in (getattr(codes, name) for name in names) if isinstance(code, Code)}


def triggered(backend: str = "job", **spec: Any) -> set[str]:
    """Return the rules that a job triggers."""
    job, target = parse_job(**spec), Target(backend=backend)
    context = RuleContext(spec=job, job=lower(job, target), backend=make_backend(backend), target=target, lower=lower)
    return set(registry.triggered_rules(context))


def backend_and_launcher(rule: str) -> tuple[str, dict[str, Any]]:
    """Return the back end and the launcher's section for which a rule may run."""
    _, owner, name, *_ = rule.split(".")
    sections: dict[str, Any] = {"launch": {name: {}}} if owner == "launchers" and name != "shared" else {}
    name = "pytorchjob" if name == "shared" else name
    return (name if owner == "systems" else "job"), sections


def test_index_contains_every_rule() -> None:
    assert TRIGGERS.keys() == MODULES
    for rule, expected in TRIGGERS.items():
        module = import_module(rule)
        assert callable(module.check)
        assert sorted(module.TRIGGERS) == sorted(expected)


@pytest.mark.parametrize("field", sorted({field for _, field in BY_FIELD}))
def test_field_of_a_trigger_is_in_the_schema(field: str) -> None:
    schema, steps = schema_of(field)
    for step in steps:
        assert step in schema["properties"], field
        schema = schema["properties"][step]
        if "$ref" in schema:
            schema = resolve_reference(schema["$ref"], JOB)[0]


def test_minimal_job_imports_only_rules_for_every_job() -> None:
    (modules,) = imported_modules(("import sys, trainc; trainc.compile(sys.stdin.read())", job_text()))
    always = {rule for rule, names in TRIGGERS.items() if names == ("always()",)}
    assert modules & TRIGGERS.keys() == {rule for rule in always if backend_and_launcher(rule)[0] == "job"}


def test_plain_script_triggers_no_rule_about_launchers_in_programs() -> None:
    plain_script: dict[str, Any] = {
        "launch": {"torchrun": {"nprocPerNode": 8}},
        "resources": {"gpu": 8},
        "run": {"python": ["train.py", "--deepspeed", "--launcher=torchrun", "a b"]},
        "env": {"RANKS": "PET_NNODES"},
        "podTemplate": {"spec": {"containers": [{"name": "main", "stdin": True}]}},
    }
    about_programs = {"is_not_plain_script()", "starts_launcher()", "sets_launcher_variable()"}
    assert not {rule for rule in triggered(**plain_script) if set(TRIGGERS[rule]) <= about_programs}


def test_the_line_that_names_the_schema_imports_nothing() -> None:
    code = "import sys, trainc; trainc.compile(sys.stdin.read())"
    line = "# yaml-language-server: $schema=../trainingjob.json\n"
    without, with_line = imported_modules((code, job_text()), (code, line + job_text()))
    assert with_line == without


@pytest.mark.parametrize(("predicate", "spec"), [(name, spec) for name, specs in MATCHING.items() for spec in specs])
def test_predicate_triggers_its_rules(predicate: str, spec: dict[str, Any]) -> None:
    rules = {
        rule for rule, names in TRIGGERS.items() if f"{predicate}()" in names and not backend_and_launcher(rule)[1]
    }
    for backend in {backend_and_launcher(rule)[0] for rule in rules}:
        assert {rule for rule in rules if backend_and_launcher(rule)[0] == backend} <= triggered(backend, **spec)


def test_every_predicate_is_tested() -> None:
    used = {name.removesuffix("()") for names in TRIGGERS.values() for name in names if name.endswith("()")}
    assert used == MATCHING.keys()
    assert all(map(triggers.is_predicate, used))


@pytest.mark.parametrize(("rule", "field"), BY_FIELD)
def test_field_triggers_its_rule(rule: str, field: str) -> None:
    backend, sections = backend_and_launcher(rule)
    assert rule in triggered(backend, **{**sections, **with_field(field)})


@pytest.mark.parametrize("rule", sorted(TRIGGERS))
def test_rule_has_a_code_and_each_code_a_bad_fixture(rule: str) -> None:
    assert codes_of(rule)
    assert codes_of(rule) - NEED_LARGE_FILES <= set().union(*BAD_CODES.values())


@pytest.mark.sample(40)
@pytest.mark.parametrize("rule", sorted(TRIGGERS))
def test_rule_reports_its_codes_without_the_others(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    index: Index = {
        folder: {name: (rule,) for name, rules in triggered.items() if rule in rules}
        for folder, triggered in INDEX.items()
    }
    monkeypatch.setattr(registry, "load", lambda: index)
    monkeypatch.setattr(registry, "_rules", registry._rules.__wrapped__)  # not cached
    missing = codes_of(rule) - NEED_LARGE_FILES
    for file, finding_codes in BAD_CODES.items():
        if missing & finding_codes:
            missing -= {diagnostic.code.id for diagnostic in diagnose(file, read_expectation(file).target)}
    assert not missing


@pytest.mark.sample(5)
@pytest.mark.parametrize("part", range(20))
def test_triggers_skip_only_silent_rules(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rules run for every job report the same as the triggered ones."""
    files = BAD[part::20]
    expected = [diagnose(file, read_expectation(file).target) for file in files]
    monkeypatch.setattr(triggers, "selected", lambda rules, file: rules.values())
    actual = [diagnose(file, read_expectation(file).target) for file in files]
    for file, without, triggered_only in zip(files, actual, expected, strict=True):
        assert [(d.code.id, d.span.place) for d in without] == [(d.code.id, d.span.place) for d in triggered_only], file
