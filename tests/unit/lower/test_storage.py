"""Paths of checkpoints, models and share files in arguments and variables."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_env, lower_job
from trainc.ir.env import FactArg, PodFact

RUN = FactArg(fact=PodFact.RUN, variable="TRAINC_RUN_ID", before="/cache/")


def arguments_and_env(**spec: Any) -> tuple[list[object], dict[str, Any]]:
    """Return the arguments after the program, and the variables without the launcher's."""
    job = lower_job(**spec)
    launcher_variables = {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT"}
    env: dict[str, Any] = {name: value for name, value in job_env(job).items() if name not in launcher_variables}
    return list(job.pod.program.args[1:]), env


@pytest.mark.parametrize(("field", "variable"), [("save", "SAVE_PATH"), ("checkpoint", "CHECKPOINT_PATH")])
@pytest.mark.parametrize(
    ("options", "args", "env"),
    [
        ({}, [], {"VARIABLE": "/m"}),
        ({"env": "DIR"}, [], {"DIR": "/m"}),
        ({"argument": "--to"}, ["--to", "/m"], {}),
        ({"argument": "--to", "env": "DIR"}, ["--to", "/m"], {"DIR": "/m"}),
    ],
)
def test_paths_are_in_a_variable_unless_an_argument_is_named(
    field: str, variable: str, options: dict[str, Any], args: list[str], env: dict[str, str]
) -> None:
    expected = {variable if name == "VARIABLE" else name: value for name, value in env.items()}
    assert arguments_and_env(**{field: {"path": "/m", **options}}) == (args, expected)


def test_arguments_are_in_the_order_of_tlaunch() -> None:
    args, _ = arguments_and_env(
        shareFile={"directory": "/cache", "argument": "--share_file"},
        checkpoint={"path": "/m/c", "argument": "--checkpoint_path"},
        save={"path": "/m", "argument": "--save_path"},
    )
    assert args == ["--save_path", "/m", "--checkpoint_path", "/m/c", "--share_file", RUN]


DATA = {"name": "data", "mountPath": "/TData", "persistentVolumeClaim": {"claimName": "a"}}
CODE = {"name": "code", "mountPath": "/code/", "configMap": {"name": "b"}}


# TLaunch's paths below /TData: tlaunch 0.0.2, tlaunch/lp_k8s/runner. The job of these tests is named mnist.
@pytest.mark.parametrize(
    ("volumes", "volume", "parent"),
    [([DATA], {}, "/TData"), ([CODE, DATA], {"volume": "data"}, "/TData"), ([CODE, DATA], {"volume": "code"}, "/code")],
)
def test_default_paths_are_those_of_tlaunch(volumes: list[dict[str, Any]], volume: dict[str, str], parent: str) -> None:
    _, env = arguments_and_env(volumes=volumes, checkpoint=volume, save=volume, shareFile=volume)
    assert env == {
        "SAVE_PATH": f"{parent}/models/mnist",
        "CHECKPOINT_PATH": f"{parent}/models/mnist/last.tar.gz",
        "TRAINC_RUN_ID": PodFact.RUN,
        "SHARE_FILE": f"{parent}/cache/mnist/$(TRAINC_RUN_ID)",
    }


def test_path_arguments_follow_the_programs_arguments() -> None:
    job = lower_job(run={"python": ["a.py", "-x"]}, save={"path": "/m", "argument": "--to"}, launch={"torchrun": {}})
    assert job.pod.program.args == ("a.py", "-x", "--to", "/m")


@pytest.mark.parametrize("folder", ["/cache", "/cache/"])
def test_the_share_file_is_named_after_the_run(folder: str) -> None:
    """init_method file:// must not find the file of an earlier run."""
    args, env = arguments_and_env(shareFile={"directory": folder, "argument": "--file"})
    assert args == ["--file", RUN]
    assert env == {"TRAINC_RUN_ID": PodFact.RUN}


def test_a_share_file_in_the_root_has_one_slash() -> None:
    args, _ = arguments_and_env(shareFile={"directory": "/", "argument": "--file"})
    assert args[1] == FactArg(fact=PodFact.RUN, variable="TRAINC_RUN_ID", before="/")


@pytest.mark.parametrize(("options", "name"), [({}, "SHARE_FILE"), ({"env": "FILE"}, "FILE")])
def test_the_variable_of_the_share_file_refers_to_an_earlier_variable(options: dict[str, str], name: str) -> None:
    """Kubernetes expands only variables that are defined before."""
    args, env = arguments_and_env(shareFile={"directory": "/cache", **options})
    assert args == []
    assert list(env.items()) == [("TRAINC_RUN_ID", PodFact.RUN), (name, "/cache/$(TRAINC_RUN_ID)")]


def test_jobs_without_paths_have_no_path_arguments() -> None:
    assert arguments_and_env() == ([], {})
