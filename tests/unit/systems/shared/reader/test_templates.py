"""Files that are templates have one error, which renders them by a command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import trainc
from tests.support.build import job_text
from tests.support.command import trainc as run_trainc
from trainc.diagnostics.diagnostic import Diagnostic

HEAD = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n"


def only(text: str, **options: Any) -> Diagnostic:
    """Return the only diagnostic of a template."""
    [diagnostic] = trainc.compile(text, **options).diagnostics
    assert diagnostic.code.id == "TC5004"
    assert diagnostic.severity == "error"
    return diagnostic


def pytorchjob(container: dict[str, Any], replicas: Any = 2, **worker: Any) -> str:
    pod = {"containers": [{"name": "pytorch", "image": "train:1", "command": ["python", "train.py"], **container}]}
    spec = {"pytorchReplicaSpecs": {"Worker": {"replicas": replicas, "template": {"spec": pod}, **worker}}}
    return json.dumps(
        {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "mnist"}, "spec": spec}
    )


def names(help_: str | None) -> list[str]:
    """Return the list of variables of an envsubst command."""
    return (help_ or "").partition("envsubst '")[2].partition("'")[0].replace("$", "").split()


# Syntax of https://helm.sh/docs/chart_template_guide/ at every place where charts have it.
@pytest.mark.parametrize(
    ("lines", "position"),
    [
        ("{{ $x := now }}", "3:1"),
        ('{{$x := now | date "2006-01-02"}}', "3:1"),
        ("{{- $root := . -}}", "3:1"),
        ("{{- if .Values.enabled }}\nmetadata: {name: a}\n{{- end }}", "3:1"),
        ("{{/* a comment */}}", "3:1"),
        ("{{- /* a comment */ -}}", "3:1"),
        ('metadata:\n  {{- include "labels" . | nindent 4 }}', "4:3"),
        ('metadata:\n  labels: {{ include "labels" . | nindent 4 }}', "4:11"),
        ('{{ include "spec" (dict\n  "a" 1) }}', "3:1"),
        ("metadata: {name: {{ .Release.Name }}}", "3:18"),
        ("metadata:\n  name: {{ .Release.Name }}-train", "4:9"),
        ("metadata:\n  name: '{{ .Release.Name }}'", "4:9"),
        ("metadata:\n  name: train-{{ .Values.run }}", "4:9"),
        ("metadata:\n  {{ .Values.key }}: a", "4:3"),
        ("metadata: *{{ .Values.anchor }}", "3:12"),
        ("metadata: !{{ .Values.tag }}", "3:12"),
        ("spec:\n{{- range .Values.roles }}\n  a: 1\n{{- end }}", "4:1"),
        ('spec:\n  a: {{ printf "%s:%s" .Values.image .Values.tag | quote }}', "4:6"),
        ('spec:\n  a: {{ .Values.a | default (dict "x" "y") | toJson }}', "4:6"),
        ("spec:\n  a: [{{ .Values.a }}, {{ .Values.b }}]", "4:7"),
        ("metadata: {name: a}\nspec: {args: ['--lr={{ .Values.lr }}']}", "4:15"),
    ],
)
def test_every_syntax_of_helm(lines: str, position: str) -> None:
    diagnostic = only(f"{HEAD}{lines}\n")
    assert f"{diagnostic.span.line}:{diagnostic.span.column}" == position
    assert "is for Helm" in diagnostic.message
    assert diagnostic.help == "render it first: helm template CHART | trainc check -"


@pytest.mark.parametrize(
    "lines",
    [
        "{% if large %}\nmetadata: {name: a}\n{% endif %}",
        "{%- for role in roles %}\nmetadata: {name: a}\n{%- endfor %}",
        "metadata:\n  name: {{ name }}",
        "metadata:\n  name: {{ name | lower }}",
        "metadata:\n  name: {{ job.name }}-train",
        "metadata:\n  name: {{ lookup('env', 'NAME') }}",
        "metadata:\n  name: '{{ name }}'",
    ],
)
def test_every_syntax_of_jinja(lines: str) -> None:
    rest = "spec: {pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [{name: pytorch, image: a}]}}}}}"
    diagnostic = only(f"{HEAD}{lines}\n{rest}\n", filename="job.yaml.j2")
    assert "is for Jinja" in diagnostic.message
    assert diagnostic.help == "render it first: jinja2 job.yaml.j2 VALUES | trainc check -"


def test_a_job_of_trainc_may_be_a_template_too() -> None:
    assert "is for Helm" in only(job_text().replace('"image:1"', "{{ .Values.image }}")).message
    assert "is for Helm" in only(job_text(image="{{ .Values.image }}")).message
    diagnostic = only(job_text(workers="${WORKERS}"))
    assert names(diagnostic.help) == ["WORKERS"]


@pytest.mark.parametrize(
    "spec",
    [
        {"run": {"python": ["train.py", "--template={{ messages }}"]}},
        {"run": {"python": ["train.py", "--template", "{% for m in messages %}{{ m }}{% endfor %}"]}},
        {"env": {"PROMPT": "{{ .Prompt }}"}},
        {"metadata": {"annotations": {"a/b": "{{ .Values.x }}"}}},
        {"run": {"exec": ["sh", "-c", "docker ps --format '{{.Names}}'; echo $HOME ${X:-1}"]}},
    ],
)
def test_braces_for_the_program_are_no_template(spec: dict[str, Any]) -> None:
    assert [each.code.id for each in trainc.compile(job_text(**spec)).diagnostics] == []


@pytest.mark.parametrize("text", ["# {{ .Values.x }}\na: [", "a: '{{ x }}'\nb: [", "# see {% url %}\na: {b"])
def test_another_syntax_error_is_no_template(text: str) -> None:
    assert [each.code.id for each in trainc.compile(text).diagnostics] == ["TC1003"]


# Template variables by their use. GNU's envsubst without a list would replace `$RANK` and `$i` by nothing.
@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"image": "${IMAGE}"}, ["N", "IMAGE"]),
        ({"image": "$REGISTRY/${IMAGE}:1"}, ["N", "REGISTRY", "IMAGE"]),
        ({"resources": {"limits": {"${GPU}": 1}}}, ["N", "GPU"]),
        ({"args": ["--lr=$LR", "$DATA"]}, ["N", "LR", "DATA"]),
        ({"env": [{"name": "HF_TOKEN", "value": "${HF_TOKEN}"}]}, ["N", "HF_TOKEN"]),
        ({"env": [{"name": "PATH", "value": "$PATH:/opt/bin"}]}, ["N"]),
        (
            {"env": [{"name": "CUDA_VISIBLE_DEVICES", "value": "${CUDA_VISIBLE_DEVICES}"}]},
            ["N", "CUDA_VISIBLE_DEVICES"],
        ),
        ({"command": ["sh", "-c", "train --lr=$LR --rank $RANK --home $HOME"]}, ["N", "LR"]),
        ({"command": ["sh", "-c", "LR=1; for i in $ALL; do train $LR $i $1 $? ${LR}; done"]}, ["N", "ALL"]),
        ({"command": ["sh", "-c", "read -r A B; for ((k=0; k<3; k++)); do echo $A $B $k $C; done"]}, ["N", "C"]),
        ({"command": ["sh", "-c", "export TOKEN=$TOKEN; X=$(date) train --x $X --token=$TOKEN"]}, ["N", "TOKEN"]),
        ({"command": ["sh", "-c", "echo ${LR:-3} \\$A $$"]}, ["N", "LR"]),
        ({"command": ["sh", "-c", "train $LR"], "env": [{"name": "LR", "value": "1"}]}, ["N"]),
        ({"command": ["sh", "-c", "train $LR"], "envFrom": [{"secretRef": {"name": "s"}}]}, ["N"]),
    ],
)
def test_the_command_names_the_variables_of_the_template(container: dict[str, Any], expected: list[str]) -> None:
    diagnostic = only(pytorchjob(container, replicas="${N}"), filename="a job.yaml")
    assert names(diagnostic.help) == expected
    assert (diagnostic.help or "").endswith("' < 'a job.yaml' | trainc check -")


@pytest.mark.skipif(shutil.which("envsubst") is None, reason="no envsubst")
def test_the_command_renders_a_template_and_leaves_the_shell_its_variables() -> None:
    script = "for i in 1 2; do train --rank=$RANK --lr=$LR --step=$i; done"
    text = pytorchjob({"command": ["sh", "-c", script], "image": "${IMAGE}"}, replicas="$N")
    command = (only(text, filename="/dev/stdin").help or "").removeprefix("render it first: ").partition(" |")[0]
    env = {**os.environ, "N": "3", "IMAGE": "train:2", "LR": "0.1"}
    done = subprocess.run(["sh", "-c", command], input=text, env=env, text=True, capture_output=True, check=True)
    assert done.stdout == text.replace("$N", "3").replace("${IMAGE}", "train:2").replace("$LR", "0.1")


@pytest.mark.parametrize("reference", ["${N:-2}", "${N-2}", "${N:?}"])
def test_defaults_need_another_envsubst(reference: str) -> None:
    help_ = only(pytorchjob({}, replicas=reference), filename="job.yaml").help
    assert help_ == (
        "render it first with the envsubst of github.com/a8m/envsubst, as GNU's knows no defaults and escapes:"
        " envsubst < job.yaml | trainc check -"
    )


def test_escapes_need_another_envsubst() -> None:
    help_ = only(pytorchjob({"command": ["sh", "-c", "train $$RANK"]}, replicas="$N")).help
    assert "github.com/a8m/envsubst" in (help_ or "")


def test_the_default_of_a_variable_is_not_shown() -> None:
    diagnostic = only(pytorchjob({}, replicas="${N:-hunter2}"))
    assert "`${N:-…}`" in diagnostic.message
    assert "hunter2" not in f"{diagnostic.message}{diagnostic.help}"


def test_variables_in_flow_collections() -> None:
    """YAML reads their braces as a mapping; all variables of the file are listed nevertheless."""
    text = f"""{HEAD}metadata: {{name: "a-$RUN"}}
spec:
  pytorchReplicaSpecs:
    Worker: {{replicas: ${{N}}, template: {{spec: {{nodeSelector: {{a: ${{TYPE}}, b: x${{ZONE}}}}}}}}}}
"""
    diagnostic = only(text)
    assert (diagnostic.span.line, diagnostic.span.column) == (3, 18)
    assert diagnostic.message == "unrendered template: `$RUN` and 3 more variables in place of a value"
    assert names(diagnostic.help) == ["RUN", "N", "TYPE", "ZONE"]


def test_one_error_for_all_jobs_of_a_file() -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: $SERVICE}\n"
    diagnostic = only(f"{service}---\n{pytorchjob({}, replicas='$N')}\n---\n{pytorchjob({}, replicas='$M')}\n")
    assert diagnostic.span.line == 5
    assert names(diagnostic.help) == ["N", "SERVICE", "M"]


CHART = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: "{{ .Values.name }}"}
"""


@pytest.mark.parametrize(
    ("command", "piped"),
    [
        ("import FILE", "import -"),
        ("import FILE -o job.yaml", "import - -o job.yaml"),
        ("check --strict FILE", "check - --strict"),
        ("check --fix FILE", "check -"),
        ("plan FILE -b jobset", "plan - -b jobset"),
        ("plan --manifests FILE", "plan - --manifests"),
        ("compile -b pytorchjob --set spec.workers=2 FILE", "compile - -b pytorchjob --set spec.workers=2"),
        ("rehearse FILE", "rehearse -"),
    ],
)
def test_the_help_pipes_a_chart_to_the_command_that_runs(
    command: str, piped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my chart" / "templates" / "job.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(CHART)
    monkeypatch.chdir(tmp_path)
    done = run_trainc(*(str(file.relative_to(tmp_path)) if word == "FILE" else word for word in command.split()))
    assert f"  = help: render it first: helm template 'my chart' | trainc {piped}\n" in done.err


def test_the_description_of_a_chart_names_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: train\nversion: 1.0.0\n")
    assert "`helm template . | trainc import -`" in run_trainc("import", "Chart.yaml").err
