"""`--set path=value`: every form of a path and a value, and wrong ones blamed on the option itself."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.command import JOB, trainc

FULL = (
    JOB
    + """\
  env: {A: b}
  volumes:
  - {name: data, mountPath: /data, emptyDir: {}}
"""
)


def _job(*sets: str, text: str = FULL) -> dict[str, Any]:
    """The Job that comes of a changed job."""
    done = trainc("compile", "-", *(word for value in sets for word in ("--set", value)), stdin=text)
    assert (done.code, done.err) == (0, "")
    *_, job = yaml.safe_load_all(done.out)
    found: dict[str, Any] = job
    return found


def _container(*sets: str, text: str = FULL) -> dict[str, Any]:
    found: dict[str, Any] = _job(*sets, text=text)["spec"]["template"]["spec"]["containers"][0]
    return found


def test_a_number_is_changed() -> None:
    assert _job("spec.workers=5")["spec"]["completions"] == 5


def test_a_field_that_is_missing_is_made_with_all_that_is_above_it() -> None:
    job = _job("spec.lifecycle.activeDeadlineSeconds=6000", "spec.scheduling.nodeSelector.zone=a")
    assert job["spec"]["activeDeadlineSeconds"] == 6000
    assert job["spec"]["template"]["spec"]["nodeSelector"] == {"zone": "a"}


def test_what_is_empty_on_the_way_is_filled() -> None:
    empty = FULL + "  lifecycle:\n"
    assert _job("spec.lifecycle.activeDeadlineSeconds=6000", text=empty)["spec"]["activeDeadlineSeconds"] == 6000


def test_an_item_of_a_list_is_changed() -> None:
    assert _container("spec.run.python[0]=other.py")["args"] == ["other.py"]
    assert _container("spec.volumes[0].mountPath=/mnt")["volumeMounts"][0]["mountPath"] == "/mnt"


def test_a_whole_list_or_mapping_is_given_in_flow_style() -> None:
    assert _container("spec.run.python=[a.py, --lr, 1e-3]")["args"] == ["a.py", "--lr", "1e-3"]
    assert {"name": "B", "value": "c"} in _container("spec.env={B: c}")["env"]


def test_a_dot_in_a_name_is_escaped() -> None:
    at = "spec.podTemplate.metadata.annotations."
    job = _job(rf"{at}example\.com/a\.b=c", rf"{at}back\\slash=d")
    assert job["spec"]["template"]["metadata"]["annotations"] == {"example.com/a.b": "c", "back\\slash": "d"}


def test_brackets_and_equal_signs_in_a_name_are_escaped() -> None:
    job = _job(r"spec.podTemplate.metadata.annotations.a\[0\]\=b=c")
    assert job["spec"]["template"]["metadata"]["annotations"] == {"a[0]=b": "c"}


@pytest.mark.parametrize("value", ["a=b", "--lr=0.1", "no", "y", "it's", "a b", "'1'", '"1"', "1e3", "🚀", "~x"])
def test_a_value_is_what_yaml_1_2_reads(value: str) -> None:
    expected = value.strip("'\"") if value[0] in "'\"" else value
    assert {"name": "A", "value": expected} in _container(f"spec.env.A={value}")["env"]


def test_later_options_win() -> None:
    assert _job("spec.workers=5", "spec.workers=7")["spec"]["completions"] == 7


def test_every_job_of_every_file_is_changed() -> None:
    two = f"{JOB}---\n{JOB.replace('mnist', 'cifar')}"
    done = trainc("compile", "-", "--set", "spec.image=new:2", stdin=two)
    assert done.out.count("image: new:2") == 2


def test_a_missing_field_may_come_from_an_option() -> None:
    assert _container("spec.image=new:2", text=JOB.replace("  image: train:1\n", ""))["image"] == "new:2"


def test_an_anchor_is_not_changed_with_its_alias() -> None:
    """Both names lead to one mapping in the text; the option names one of them."""
    text = JOB + "  resources:\n    requests: &same {cpu: 1}\n    limits: *same\n"
    assert _container("spec.resources.limits.cpu=2", text=text)["resources"] == {
        "requests": {"cpu": "1"},
        "limits": {"cpu": "2"},
    }


WRONG = {
    # option: code, column in the option
    "spec.workers=0": ("TC2005", 14),
    "spec.workers=two": ("TC2004", 14),
    "spec.workers=": ("TC2004", 6),  # nothing to point at but the name
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
def test_a_wrong_option_is_one_diagnostic_that_points_into_the_option(option: str, expected: tuple[str, int]) -> None:
    code, column = expected
    done = trainc("compile", "-", "--set", option, stdin=FULL)
    assert done.code in (1, 2)
    assert done.out == ""
    assert done.err.count("error[") == 1
    assert f"error[{code}]" in done.err
    assert "--set " in done.err
    assert f":1:{column}\n" in done.err, done.err


def test_a_diagnostic_shows_the_option_as_it_was_typed() -> None:
    done = trainc("compile", "-", "--set", "spec.workers=0", stdin=FULL)
    assert "1 | spec.workers=0\n" in done.err


def test_a_wrong_option_is_said_once_for_many_jobs() -> None:
    two = f"{JOB}---\n{JOB.replace('mnist', 'cifar')}"
    assert trainc("compile", "-", "--set", "spec.wrkers=1", stdin=two).err.count("error[") == 1


def test_bytes_that_are_no_text_are_refused_without_a_traceback() -> None:
    done = trainc("compile", "-", "--set", "spec.env.A=\udcff", stdin=FULL)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error[TC1002]")
    done = trainc("compile", "-", "--set", "spec.env.\udcff=a", stdin=FULL)
    assert done.code in (1, 2)
    assert "error[TC9" not in done.err
