"""Objects of templates are what PyYAML reads in the text that Jinja renders, for every line of every template."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import pytest
import yaml

from tests.support.build import BASIC
from tests.support.examples import EXAMPLES, NEIGHBOR, accepted, canonical_json, example_path
from tests.support.full_job import FULL
from tests.support.hostile import HOSTILE
from tests.support.string_slots import flow_yaml
from trainc.driver import run
from trainc.emit.compiler import compile_templates, jinja_environment
from trainc.emit.render import Planned, refresh
from trainc.emit.runtime import MARK, Context, TemplateRuntimeError
from trainc.emit.skeleton import build, parse, render
from trainc.resources import folder
from trainc.span import Source
from trainc.systems.registry import NAMES
from trainc.target import DEFAULT, NEWEST, Target

FOLDER = Path(folder("templates"))
TEMPLATES = sorted(str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.j2"))
# Included by the others; test_the_jobs_write_every_line_of_every_template covers them, too.
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


class Mark(NamedTuple):
    """Line that a template writes, and where the template says so."""

    text: str
    template: str
    line: int
    comment: str


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


def object_of_jinja(item: Planned, context: dict[str, Any] | None = None) -> Any:
    return yaml.safe_load(JINJA.get_template(item.template).render(item.context if context is None else context))


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDALONE)
def test_objects_are_those_of_jinja(name: str) -> None:
    items = [item for item in planned_objects() if item.template == name]
    assert items
    for item in items:
        assert canonical_json(build(item.template, item.context)) == canonical_json(object_of_jinja(item))


@pytest.mark.slow
def test_the_jobs_write_every_line_of_every_template() -> None:
    """Otherwise the comparison would miss lines."""
    written = {(mark.template, mark.line) for item in planned_objects() for mark in _marks(item)}
    for template in TEMPLATES:
        numbered = enumerate(_source(template), 1)
        lines = {number for number, line in numbered if not line.strip().startswith(("{%", "{#"))}
        assert {number for name, number in written if name == template} == lines, template


def _marks(item: Planned) -> Iterator[Mark]:
    """Yield the mark of each line that a template writes."""
    pieces = [piece if isinstance(piece, str) else "{{" for piece in render(item.template, item.context)]
    *lines, last = "".join(pieces).split("\n")
    assert last == ""
    for text, template, number, comment in (line.split(MARK) for line in lines):
        yield Mark(text, template, int(number), comment)


@pytest.mark.slow
@pytest.mark.parametrize("name", STANDALONE)
def test_marks_name_the_line_that_writes_a_line(name: str) -> None:
    for item in (item for item in planned_objects() if item.template == name):
        for mark in _marks(item):
            above, source = ["", *_source(mark.template)][mark.line - 1 : mark.line + 1]
            assert source.partition("{{")[0].strip() in mark.text, mark
            assert ("{{" in source) == ("{{" in mark.text), mark
            is_below_comment = above.strip().startswith("{#")
            assert above.strip() == f"{{# {mark.comment} #}}" if is_below_comment else not mark.comment or "{%" in above


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
            expected = object_of_jinja(item, context)
        except jinja2.UndefinedError:
            with pytest.raises(TemplateRuntimeError):
                build(item.template, context)
        else:
            assert build(item.template, context) == expected


def _object(text: str, folder: Path, values: dict[str, Any]) -> dict[str, Any]:
    (folder / "a.yaml.j2").write_text(text, "utf-8")
    compile_templates(str(folder), str(folder))
    scope: dict[str, Any] = {}
    exec(compile((folder / "a.py").read_text("utf-8"), "a.py", "exec"), scope)
    skeleton, printed = parse(scope["root"](Context(values)))
    return skeleton.fill(printed)


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
        _object(text, tmp_path, values)


@pytest.mark.parametrize("value", [*HOSTILE, 5, 1.5, True, None, {}, [], {"no": ["- a", {"b: c": ""}]}, ("a", "b")])
def test_values_are_in_the_object_as_they_are(value: Any, tmp_path: Path) -> None:
    text = "a: {{ job.name }}\nb:\n- c: {{ job.name }}\n  d: 5\n- {{ job.name }}\n"
    values = {"job": {"name": value}}
    assert _object(text, tmp_path, values) == {"a": value, "b": [{"c": value, "d": 5}, value]}


def test_values_in_keys_and_texts(tmp_path: Path) -> None:
    text = (
        '{% for name in names %}\n{{ name }}: --{{ name }}=http://{{ name }}:{{ 1 + 1 }}/ # a\n{% endfor %}\nb: "0"\n'
    )
    assert _object(text, tmp_path, {"names": ["x: [", "#"]}) == {
        "x: [": "--x: [=http://x: [:2/",
        "#": "--#=http://#:2/",
        "b": "0",
    }


def test_a_template_that_writes_no_object_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one object"):
        _object("a: {{ b }}\n  c: d\n", tmp_path, {"b": {}})


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("{% macro a() %}b{% endmacro %}{{ a() }}", "Macro"),
        ("{% for a in b %}{{ loop.index }}{% endfor %}", "LoopContext"),
        ('{% include "a.yaml.j2" %}', "include"),
    ],
)
def test_templates_with_unsupported_features_are_rejected(text: str, missing: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml.j2").write_text(text, "utf-8")
    with pytest.raises(jinja2.TemplateError, match=missing):
        compile_templates(str(tmp_path), str(tmp_path / "out"))
