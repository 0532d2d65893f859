"""Variables that no shell expands and placeholders, and similar texts that programs need."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import job_text


def texts(code: str, **spec: Any) -> list[str]:
    """Return the source of each diagnostic of a code."""
    return [
        each.span.source.line(each.span.line)[each.span.column - 1 : each.span.end_column - 1]
        for each in trainc.compile(job_text(**spec)).diagnostics
        if each.code.id == code
    ]


def sidecar(**container: Any) -> dict[str, Any]:
    container = {"name": "log", "image": "log:1", "restartPolicy": "Always", **container}
    return {"podTemplate": {"spec": {"initContainers": [container]}}}


# The kubelet's expand.go knows `$(NAME)` only:
# https://github.com/kubernetes/kubernetes/blob/v1.36.0/third_party/forked/golang/expansion/expand.go
@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"run": {"python": ["a.py", "$A"]}}, ["$A"]),
        ({"run": {"python": ["a.py", "--x=${A_1}/b"]}}, ["${A_1}"]),
        ({"run": {"exec": ["/opt/app", "${A:-b}"]}}, ["${A:-b}"]),
        ({"run": {"exec": ["env", "X=$A", "sh", "-c", "echo $B"]}}, ["$A"]),
        ({"run": {"exec": ["bash", "run.sh", "$A"]}}, []),
        ({"run": {"exec": ["./run.sh", "$A"]}}, []),
        ({"run": {"exec": ["/usr/bin/ssh", "host", "echo $A"]}}, []),
        ({"run": {"python": ["-c", "print('$A and $B')"]}}, []),
        ({"run": {"python": ["a.py", "$(A)", "$$(B)", "$1", "$?", "a$", "$$A", "\\$A"]}}, []),
        ({"run": {"python": ["a.py", "x=${y}", "x=${y.z}", "x=${env:HOME}", "$name"]}}, []),
        ({"run": {"python": ["a.py", "$name"]}, "env": {"name": "b"}}, ["$name"]),
        ({"run": {"entrypoint": ["$A", "$B"]}}, ["$B"]),
        ({"env": {"A": "$B", "C": "${D}/e"}}, ["$B", "${D}"]),
        ({"env": {"A": "echo $B", "C": "a$", "D": "$(A)"}}, []),
        ({"env": {"DB_PASSWORD": "a$B"}}, []),
        ({"image": "$REGISTRY/train:1"}, ["$REGISTRY/train:1"]),
        ({"volumes": [{"name": "d", "mountPath": "/d", "hostPath": {"path": "/data/$USER"}}]}, ["/data/$USER"]),
        (sidecar(args=["--bucket=$B"]), ["$B"]),
        (sidecar(env=[{"name": "A", "value": "$B"}]), ["$B"]),
        (sidecar(command=["sh", "-c"], args=["echo $B"]), []),
        ({"podTemplate": {"metadata": {"annotations": {"a/b": "$C"}}}}, []),
    ],
)
def test_variables_that_no_shell_expands(spec: dict[str, Any], expected: list[str]) -> None:
    assert [text.strip('"') for text in texts("TC3130", **spec)] == expected


@pytest.mark.parametrize(
    ("env", "argument", "help_"),
    [
        ({"A": "1"}, "$A", "write `$(A)`"),
        ({}, "$A", "set `A` in env, and write `$(A)`"),
        ({}, "${A:-1}", 'start the program by a shell: [bash, -c, "…"]'),
    ],
)
def test_the_help_depends_on_what_kubernetes_can_expand(env: dict[str, str], argument: str, help_: str) -> None:
    [diagnostic] = trainc.compile(job_text(env=env, run={"python": ["a.py", argument]})).diagnostics
    assert diagnostic.help == help_


@pytest.mark.parametrize(
    ("env", "help_"),
    [
        ({"A": "1", "B": "$A"}, "write `$(A)`"),
        ({"A": "1", "B": "/$A"}, "write `$(A)`"),
        ({"B": "/$A"}, "set `A` in env, and write `$(A)`"),
        ({"B": "$A"}, "render the file with envsubst first, or use valueFrom"),
        ({"B": "$B"}, "render the file with envsubst first, or use valueFrom"),
        (
            {"B": "${A:-1}"},
            "remove the default, and render the file with envsubst first, which knows none, or use valueFrom",
        ),
        ({"B": "/b:$B"}, "write the whole value: Kubernetes does not know the image's `B`"),
        ({"B": "/b:$PATH"}, "write the whole value: Kubernetes does not know the image's `PATH`"),
        ({"PATH": "/b", "B": "/b:$PATH"}, "write `$(PATH)`"),
    ],
)
def test_the_help_for_a_value(env: dict[str, str], help_: str) -> None:
    [diagnostic] = trainc.compile(job_text(env=env)).diagnostics
    assert diagnostic.help == help_


def test_the_default_of_a_variable_is_not_shown() -> None:
    [diagnostic] = trainc.compile(job_text(run={"python": ["a.py", "${A:-hunter2}"]})).diagnostics
    assert "hunter2" not in f"{diagnostic.message}{diagnostic.help}"


@pytest.mark.parametrize(
    "placeholder",
    ["<HF_token>", "<your-token>", "<YOUR TOKEN>", "<CHANGE ME>", "<ACCOUNT_ID>", "<accountId>", "<bucket>"],
)
@pytest.mark.parametrize("argument", ["{}", "--x={}", "s3://{}/a", "{}.dkr.ecr.example.com/a"])
def test_placeholders_in_arguments_and_variables(placeholder: str, argument: str) -> None:
    value = argument.format(placeholder)
    assert texts("TC3131", run={"python": ["a.py", value]}) == [placeholder]
    assert texts("TC3131", env={"A": value}) == [placeholder]
    assert texts("TC3131", **sidecar(args=["--a", value])) == [placeholder]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("huggingface-cli login --token <HF_token>", ["<HF_token>"]),
        ("export WANDB_API_KEY='<your key>' && a", ["<your key>"]),
        ("aws s3 cp s3://<bucket>/a .", ["<bucket>"]),
        ("a <config >log", []),
        ("a --prompt 'Say <your name> now'", []),
        ("a --pad <pad> --image <image>", []),
    ],
)
def test_placeholders_in_scripts(script: str, expected: list[str]) -> None:
    assert texts("TC3131", run={"exec": ["bash", "-lc", script]}) == expected


# Special tokens of Llama, LLaVA, StarCoder and Qwen, and texts.
@pytest.mark.parametrize(
    "argument",
    [
        *("<s>", "</s>", "<pad>", "<unk>", "<|endoftext|>", "<image>", "<im_start>", "<IMG_CONTEXT>", "<video_token>"),
        *("<repo_name>", "<file_sep>", "<fim_prefix>", "<tool_call>", "<think>", "<user>", "<url>", "a <your name> b"),
        *("<b>bold</b>", "<config", "x>y", "<1>", "key=<key>"),
    ],
)
def test_texts_in_angle_brackets_that_are_no_placeholders(argument: str) -> None:
    assert texts("TC3131", run={"python": ["a.py", argument]}, env={"A": argument}) == []


@pytest.mark.parametrize("image", ["<image>", "<registry>/a:1", "gcr.io/<your_project>/a:1", "<ID>.b/c:1"])
def test_no_image_has_angle_brackets(image: str) -> None:
    assert len(texts("TC3131", image=image)) == 1
