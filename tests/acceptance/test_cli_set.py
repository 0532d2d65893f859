"""`--set path=value`: every form of path and value, and positions of errors in the option."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
import yaml

from tests.support.command import JOB, fail, silent, trainc

FULL = (
    JOB
    + """\
  env: {A: b}
  volumes:
  - {name: data, mountPath: /data, emptyDir: {}}
"""
)


def job_with(*overrides: str, text: str = FULL) -> dict[str, Any]:
    """Compile a job with overrides and return its Job."""
    out = silent("compile", "-", *(argument for override in overrides for argument in ("--set", override)), stdin=text)
    manifests: list[dict[str, Any]] = list(yaml.safe_load_all(out))
    return manifests[-1]


def container_with(*overrides: str, text: str = FULL) -> dict[str, Any]:
    container: dict[str, Any] = job_with(*overrides, text=text)["spec"]["template"]["spec"]["containers"][0]
    return container


def test_a_number_is_overridden() -> None:
    assert job_with("spec.workers=5")["spec"]["completions"] == 5


def test_a_missing_field_is_added_with_its_parents() -> None:
    job = job_with("spec.lifecycle.activeDeadlineSeconds=6000", "spec.scheduling.nodeSelector.zone=a")
    assert job["spec"]["activeDeadlineSeconds"] == 6000
    assert job["spec"]["template"]["spec"]["nodeSelector"] == {"zone": "a"}


def test_an_empty_parent_becomes_a_mapping() -> None:
    text = FULL + "  lifecycle:\n"
    assert job_with("spec.lifecycle.activeDeadlineSeconds=6000", text=text)["spec"]["activeDeadlineSeconds"] == 6000


def test_an_index_selects_a_list_item() -> None:
    assert container_with("spec.run.python[0]=other.py")["args"] == ["other.py"]
    assert container_with("spec.volumes[0].mountPath=/mnt")["volumeMounts"][0]["mountPath"] == "/mnt"


def test_a_value_can_be_a_list_or_mapping_in_flow_style() -> None:
    assert container_with("spec.run.python=[a.py, --lr, 1e-3]")["args"] == ["a.py", "--lr", "1e-3"]
    assert {"name": "B", "value": "c"} in container_with("spec.env={B: c}")["env"]


def test_a_variable_gets_a_source_beside_variables_with_values() -> None:
    source = "valueFrom.secretKeyRef"
    env = container_with("spec.env.A=1", f"spec.env.B.{source}.name=s", f"spec.env.B.{source}.key=k")["env"]
    assert {"name": "A", "value": "1"} in env
    assert {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}} in env


def test_a_backslash_escapes_dots_in_a_name() -> None:
    job = job_with(r"spec.podTemplate.metadata.annotations.example\.com/a\.b=c")
    assert job["spec"]["template"]["metadata"]["annotations"] == {"example.com/a.b": "c"}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "name"), [(r"a\[0\]\=b", "a[0]=b"), (r"back\\slash", r"back\slash")])
def test_a_backslash_escapes_other_characters_in_a_name(text: str, name: str) -> None:
    """No annotation has such a name, and the error shows how it is read."""
    done = trainc("compile", "-", "--set", f"spec.podTemplate.metadata.annotations.{text}=c", stdin=FULL)
    assert f": `{name}` is not the name of an annotation\n" in done.err


@pytest.mark.parametrize("value", ["a=b", "--lr=0.1", "no", "y", "it's", "a b", "'1'", '"1"', "1e3", "🚀", "~x"])
def test_a_value_is_parsed_as_yaml_1_2(value: str) -> None:
    expected = value.strip("'\"") if value[0] in "'\"" else value
    assert {"name": "A", "value": expected} in container_with(f"spec.env.A={value}")["env"]


def test_the_last_override_of_a_field_wins() -> None:
    assert job_with("spec.workers=5", "spec.workers=7")["spec"]["completions"] == 7


def test_overrides_apply_to_every_job_of_a_file() -> None:
    two = f"{JOB}---\n{JOB.replace('mnist', 'cifar')}"
    assert trainc("compile", "-", "--set", "spec.image=new:2", stdin=two).out.count("image: new:2") == 2


def test_an_override_can_set_a_required_field() -> None:
    assert container_with("spec.image=new:2", text=JOB.replace("  image: train:1\n", ""))["image"] == "new:2"


def test_an_override_of_an_alias_does_not_change_its_anchor() -> None:
    text = JOB + "  resources:\n    requests: &same {cpu: 1}\n    limits: *same\n"
    assert container_with("spec.resources.limits.cpu=2", text=text)["resources"] == {
        "requests": {"cpu": "1"},
        "limits": {"cpu": "2"},
    }


def test_null_removes_a_field_as_in_helm() -> None:
    assert job_with("spec.workers=null") == job_with("spec.workers=1")
    names = [variable["name"] for variable in container_with("spec.env=null")["env"]]
    assert "A" not in names
    assert job_with("spec.run.python=[train.py, a, b]", "spec.run.python[1]=~") == job_with(
        "spec.run.python=[train.py, b]"
    )


def test_removing_a_missing_field_changes_nothing() -> None:
    assert job_with("spec.elastic=null") == job_with()
    assert job_with("spec.resources.limits.cpu=null") == job_with()
    assert job_with("spec.env.OTHER=null") == job_with()


WRONG = {
    # option: code, and column in the option
    "spec.workers=0": ("TC2005", 14),
    "spec.workers=two": ("TC2004", 14),
    "spec.workers=": ("TC2004", 6),  # without a value, the name
    "spec.workers='4'": ("TC2004", 14),
    "spec.wrkers=4": ("TC2002", 6),
    "spec.launch.torchrun.nproc=4": ("TC2002", 22),
    "spec.env.A=[1]": ("TC2004", 10),
    "spec.resources.memory=16GB": ("TC2007", 23),
    "metadata.name=Mnist": ("TC2005", 15),
    "kind=Job": ("TC2001", 6),
    "spec=5": ("TC2004", 6),
    "spec.workers.x=1": ("TC1011", 14),
    "spec.workers[0]=1": ("TC1011", 13),
    "spec[0]=1": ("TC1011", 5),
    "spec.run.python.x=1": ("TC1011", 17),
    "spec.run.python[1]=x": ("TC1011", 16),
    "spec.run.python[-1]=x": ("TC1011", 16),
    "spec.run.python[x]=x": ("TC1011", 16),
    "spec.run.python[0=x": ("TC1011", 16),
    "spec..workers=1": ("TC1011", 5),
    "spec.wrkers=null": ("TC1011", 6),
    "spec.image=null": ("TC2003", 1),
    "spec.volumes[1]=null": ("TC1011", 13),
    "spec.workers": ("TC1011", 13),
    "spec.=1": ("TC1011", 5),
    "=1": ("TC1011", 1),
    "": ("TC1011", 1),
    "spec.env.A=b: c: d": ("TC1003", 16),
    "spec.env.A=@b": ("TC1003", 12),
    "spec.env.A=*b": ("TC1005", 12),
    "spec.env.A=!x b": ("TC1009", 12),
    "spec.env={B: c, B: d}": ("TC1004", 17),
    "spec.env.A=a\x07": ("TC1002", 13),
    "spec.env.A=a\n--- \nb": ("TC1011", 12),
}


@pytest.mark.parametrize(("option", "expected"), WRONG.items(), ids=repr)
def test_an_invalid_override_is_one_error_with_its_column_in_the_option(option: str, expected: tuple[str, int]) -> None:
    code, column = expected
    done = trainc("compile", "-", "--set", option, stdin=FULL)
    assert done.code in (1, 2)
    assert done.out == ""
    assert done.err.count("error[") == 1
    assert f"error[{code}]" in done.err
    assert "--set " in done.err
    assert f":1:{column}\n" in done.err, done.err


def test_a_diagnostic_shows_the_text_of_the_option() -> None:
    assert "1 | spec.workers=0\n" in trainc("compile", "-", "--set", "spec.workers=0", stdin=FULL).err


def test_an_invalid_override_of_several_jobs_is_reported_once() -> None:
    two = f"{JOB}---\n{JOB.replace('mnist', 'cifar')}"
    assert trainc("compile", "-", "--set", "spec.wrkers=1", stdin=two).err.count("error[") == 1


def test_overrides_outside_utf_8_are_rejected() -> None:
    assert fail("compile", "-", "--set", "spec.env.A=\udcff", stdin=FULL).startswith("error[TC1002]")
    done = trainc("compile", "-", "--set", "spec.env.\udcff=a", stdin=FULL)
    assert done.code in (1, 2)
    assert "error[TC9" not in done.err


@pytest.mark.parametrize(
    ("assignment", "whole"),
    [
        ("workers=4", "spec.workers=4"),
        ("env.A=b c", "'spec.env.A=b c'"),
        ("labels.team=ml", "metadata.labels.team=ml"),
        ("resources.nvidia\\.com/gpu=8", "'spec.resources.nvidia\\.com/gpu=8'"),
    ],
)
def test_a_field_without_its_section_is_told_the_whole_option(assignment: str, whole: str) -> None:
    assert f"  = help: write `--set {whole}`\n" in fail("compile", "-", "--set", assignment, stdin=JOB)
    assert trainc("compile", "-", *shlex.split(f"--set {whole}"), stdin=JOB).code == 0


def test_the_help_for_an_option_repeats_no_secret() -> None:
    done = trainc("compile", "-", "--set", "env.HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", stdin=JOB)
    assert "  = help: write `--set spec.env.HF_TOKEN=VALUE`\n" in done.err


def test_a_key_with_dots_has_backslashes_as_in_helm() -> None:
    labels = job_with(r"metadata.labels.example\.com/team=vision")["metadata"]["labels"]
    assert labels["example.com/team"] == "vision"


def test_quotes_around_a_key_are_told_the_backslash() -> None:
    err = fail("check", "-", "--set", "metadata.labels.'a.b/c'=x", stdin=FULL)
    assert "1:17" in err
    assert r"write a dot of a key as `\.`" in err


def test_the_dash_of_kubectl_is_told_null() -> None:
    assert "remove a field by `--set spec.env.A=null`" in fail("check", "-", "--set", "spec.env.A-", stdin=FULL)


@pytest.mark.parametrize("value", ["a\n  evil: true", "a: b", "{", "[a", "---\nspec: {}", "*x", "&a b", "!!int x"])
def test_no_value_adds_another_field(value: str) -> None:
    done = trainc("compile", "-", "--set", f"spec.env.A={value}", stdin=FULL)
    assert "evil" not in [each.get("name") for each in env_of(done.out)]
    assert "Traceback" not in done.err
    assert done.code in (0, 1)
    assert done.code == 0 or not done.out


def env_of(text: str) -> list[dict[str, Any]]:
    manifests = list(yaml.safe_load_all(text))
    return manifests[-1]["spec"]["template"]["spec"]["containers"][0]["env"] if manifests else []
