"""The template runtime renders the same text as Jinja, for every line of every template."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import jinja2
import pytest
from jinja2.filters import do_indent

from tests.support.build import BASIC
from tests.support.examples import EXAMPLES, NEIGHBOR, accepted, example_path
from tests.support.full_job import FULL
from tests.support.hostile import HOSTILE
from tests.support.string_slots import flow_yaml
from trainc.driver import run
from trainc.emit.block import document
from trainc.emit.compiler import compile_templates, jinja_environment, module_name
from trainc.emit.render import Planned, refresh
from trainc.emit.runtime import MARK, Template, TemplateRuntimeError, environment, marked_environment
from trainc.resources import folder
from trainc.span import Source
from trainc.systems.registry import NAMES
from trainc.target import DEFAULT, NEWEST, Target

FOLDER = Path(folder("templates"))
TEMPLATES = sorted(str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.j2"))
# Included by the others; test_the_jobs_execute_every_line_of_every_template covers them too.
PARTS = {
    *("shared/metadata.yaml.j2", "shared/indexed_job.yaml.j2", "jobset/spec.yaml.j2"),
    "shared/pod_template.yaml.j2",
}
STANDALONE = [name for name in TEMPLATES if name not in PARTS]
JINJA = jinja_environment(str(FOLDER))
JINJA.globals.clear()  # Jinja's function `namespace` would hide a missing variable
MINIMAL = {"apiVersion": "trainc.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": "a"}}
# Features that neither the examples nor the full job uses.
MORE_SPECS: list[dict[str, Any]] = [
    {"volumes": [{"name": "a", "mountPath": "/a", "claim": {"size": "1Gi", "storageClass": "a.b"}}], "workers": 2},
    {"mode": "paused", "workers": 2},
    {"env": {f"K{index}": text for index, text in enumerate(HOSTILE)}, "workingDir": "\n"},
    {"lifecycle": {"ttlSecondsAfterFinished": 0, "activeDeadlineSeconds": 5, "successPolicy": "Leader"}},
    {"scheduling": {"priorityClassName": "b", "schedulerName": "- a"}, "resources": {"requests": {"cpu": 1}}},
    {"scheduling": {"gang": "kubernetes"}},
    {"podSecurity": "restricted", "launch": {"torchrun": {"rendezvous": {"backend": "etcd-v2", "managed": {}}}}},
    {"resources": {"limits": {"cpu": "1m"}}, "run": {"exec": ["a"]}, "launch": {"torchrun": {"wrap": False}}},
]
# A DeepSpeedJob's operator starts deepspeed only.
DEEPSPEED = {"launch": {"deepspeed": {"localRank": False, "port": 1, "disableCustomEnv": True}}}
DEEPSPEED_SPECS: list[dict[str, Any]] = [
    {**DEEPSPEED, "mode": "paused", "lifecycle": {"activeDeadlineSeconds": 5, "backoffLimit": 0}},
    {**DEEPSPEED, "workers": 2, "elastic": {"minReplicas": 1, "maxReplicas": 3}},
    {**DEEPSPEED, "mode": {"debug": {"command": ["- a"], "skipInitContainers": True}}, "scheduling": {"gang": "t9k"}},
    {**DEEPSPEED, "lifecycle": {"exitCodes": {"retryable": [130, 137, 138, 143]}}, "run": {"exec": ["a:b", "#"]}},
]
# The launcher pod of an MPIJob starts mpirun.
MPI_SPECS: list[dict[str, Any]] = [
    {"launcherPod": {"mpiImplementation": "Intel", "workerCommand": ["- a"]}, "scheduling": {"gang": "volcano"}},
    {"launcherPod": {"sshAuthMountPath": "/a b"}, "mode": "paused", "run": {"exec": ["a:b", "#"]}},
]
# Labels of Ray's nodes.
RAY_SPECS: list[dict[str, Any]] = [
    {"launch": {"ray": {"otherArgs": ["--labels=zone=a"]}}, "workers": workers} for workers in (1, 2)
]
# The full job names a runtime of the cluster and is elastic, which trainjob refuses.
RUNTIME_SPECS: list[dict[str, Any]] = [
    {"scheduling": {"runtime": {"name": "torch-distributed", "kind": "ClusterTrainingRuntime"}}, "workers": 2},
]


@cache
def planned_objects() -> tuple[Planned, ...]:
    """Return the objects of many jobs on every back end that accepts them."""
    refresh()
    specs = [*MORE_SPECS, *DEEPSPEED_SPECS, *MPI_SPECS, *RAY_SPECS, *RUNTIME_SPECS]
    more_jobs = [flow_yaml({**MINIMAL, "spec": {**BASIC, **spec}}) for spec in specs]
    objects: list[Planned] = []
    for name in NAMES:
        examples = [example_path(example).read_text("utf-8") for example in EXAMPLES if accepted(example, name)]
        for text in (FULL, *examples, *more_jobs):
            target = Target(backend=name, minor=NEWEST if text in more_jobs else DEFAULT)
            outcome = run([Source(NEIGHBOR, text)], target)
            objects += [item for job in outcome.jobs for item in job.objects] if outcome.ok else []
    return tuple(objects)


def render_with_runtime(item: Planned, context: dict[str, Any] | None = None) -> str:
    return environment.get_template(item.template).render(item.context if context is None else context)


def render_with_jinja(item: Planned, context: dict[str, Any] | None = None) -> str:
    return JINJA.get_template(item.template).render(item.context if context is None else context)


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDALONE)
def test_the_runtime_renders_the_same_text_as_jinja(name: str) -> None:
    items = [item for item in planned_objects() if item.template == name]
    assert items
    for item in items:
        assert render_with_runtime(item) == render_with_jinja(item)


@pytest.mark.slow
def test_the_jobs_execute_every_line_of_every_template() -> None:
    """Otherwise the comparison would miss lines."""
    executed: dict[str, set[int]] = {}

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        if "compiled_templates" in frame.f_code.co_filename:
            executed.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
            return trace
        return None

    refresh()
    original = sys.gettrace()
    sys.settrace(trace)
    try:
        for item in planned_objects():
            render_with_runtime(item)
    finally:
        sys.settrace(original)
    assert {Path(file).stem for file in executed} == {module_name(name) for name in TEMPLATES}
    for file, numbers in executed.items():
        lines = Path(file).read_text("utf-8").split("\n")
        unexecuted = [
            line for index, line in enumerate(lines, 1) if re.match(r"\s+yield ", line) and index not in numbers
        ]
        assert unexecuted == [], file


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDALONE)
def test_marks_name_the_line_that_writes_a_line_and_change_no_text(name: str) -> None:
    for item in (item for item in planned_objects() if item.template == name):
        *lines, last = marked_environment.get_template(name).render(item.context).split("\n")
        assert [line.partition(MARK)[0] for line in lines] == render_with_runtime(item).split("\n")[:-1]
        assert last == ""
        for text, *mark in (line.split(MARK) for line in lines):
            if mark:
                template, number, comment = mark
                above, source = ["", *_source(template)][int(number) - 1 : int(number) + 1]
                assert source.partition("{{")[0].strip() in text or "| block" in source, (text, mark)
                assert "{{" in source or source.strip() == text.strip(), (text, mark)
                is_below_comment = above.strip().startswith("{#")
                assert above.strip() == f"{{# {comment} #}}" if is_below_comment else not comment or "{%" in above


@cache
def _source(template: str) -> list[str]:
    return (FOLDER / template).read_text("utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDALONE)
def test_missing_variables_are_errors_in_both_or_in_neither(name: str) -> None:
    item = next(item for item in planned_objects() if item.template == name)
    for variable in item.context:
        context = {key: value for key, value in item.context.items() if key != variable}
        try:
            expected = render_with_jinja(item, context)
        except jinja2.UndefinedError:
            with pytest.raises(TemplateRuntimeError):
                render_with_runtime(item, context)
        else:
            assert render_with_runtime(item, context) == expected


def _compiled(text: str, folder: Path) -> Template:
    (folder / "a.yaml.j2").write_text(text, "utf-8")
    compile_templates(str(folder), str(folder))
    scope: dict[str, Any] = {}
    exec(compile((folder / "a.py").read_text("utf-8"), "a.py", "exec"), scope)
    return Template(scope["root"])


@pytest.mark.parametrize(
    ("text", "values", "name"),
    [
        ("a: {{ nmae }}", {"name": "a"}, "nmae"),
        ("a: {{ job.nmae }}", {"job": {"name": "a"}}, "nmae"),
        # Jinja reports that job is undefined, not that an undefined value has no name.
        ("a: {{ job.name }}", {"jbo": {"name": "a"}}, "job"),
    ],
)
def test_errors_name_the_missing_variable(text: str, values: dict[str, Any], name: str, tmp_path: Path) -> None:
    with pytest.raises(jinja2.UndefinedError, match=name):
        JINJA.from_string(text).render(values)
    with pytest.raises(TemplateRuntimeError, match=name):
        _compiled(text, tmp_path).render(values)


def test_values_are_quoted(tmp_path: Path) -> None:
    assert _compiled("a: {{ job.name }}\n", tmp_path).render({"job": {"name": "no"}}) == 'a: "no"\n'


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("first", [True, False])
def test_the_indent_filter_equals_jinjas(width: int, first: bool) -> None:
    # Not for a text that starts with an empty line, which Jinja would indent; no template renders one.
    for text in (document(list(HOSTILE)), "a", "a\n", "a\n\nb\n", "a\n b"):
        assert environment.filters["indent"](text, width, first) == do_indent(text, width, first)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("{% macro a() %}b{% endmacro %}{{ a() }}", "Macro"),
        ("{% for a in b %}{{ loop.index }}{% endfor %}", "LoopContext"),
    ],
)
def test_templates_with_unsupported_features_are_rejected(text: str, missing: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml.j2").write_text(text, "utf-8")
    with pytest.raises(jinja2.TemplateError, match=missing):
        compile_templates(str(tmp_path), str(tmp_path / "out"))
