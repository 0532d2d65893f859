"""Paths of checkpoints, models and share files in arguments and variables."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_env, lower_job
from trainc.ir.env import FactArg, PodFact

WITHOUT_RANKS = {"basic": {"worldSizeArgument": False, "rankArgument": False}}
RUN = FactArg(fact=PodFact.RUN, variable="TRAINC_RUN_ID", before="/cache/")


def arguments_and_env(**spec: Any) -> tuple[list[object], dict[str, Any]]:
    """Return the arguments after the program, and the variables without the launcher's."""
    job = lower_job(launch=WITHOUT_RANKS, **spec)
    launcher_variables = {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT"}
    env: dict[str, Any] = {name: value for name, value in job_env(job).items() if name not in launcher_variables}
    return list(job.pod.program.args[1:]), env


@pytest.mark.parametrize(("field", "argument"), [("save", "--save_path"), ("checkpoint", "--checkpoint_path")])
@pytest.mark.parametrize(
    ("options", "args", "env"),
    [
        ({}, ["ARGUMENT", "/m"], {}),
        ({"argument": "--to"}, ["--to", "/m"], {}),
        ({"argument": False}, [], {}),
        ({"env": "DIR"}, ["ARGUMENT", "/m"], {"DIR": "/m"}),
        ({"argument": False, "env": "DIR"}, [], {"DIR": "/m"}),
    ],
)
def test_paths_in_arguments_and_variables(
    field: str, argument: str, options: dict[str, Any], args: list[str], env: dict[str, str]
) -> None:
    expected = [argument if item == "ARGUMENT" else item for item in args]
    assert arguments_and_env(**{field: {"path": "/m", **options}}) == (expected, env)


def test_arguments_are_in_the_order_of_tlaunch() -> None:
    args, _ = arguments_and_env(shareFile={"directory": "/cache"}, checkpoint={"path": "/m/c"}, save={"path": "/m"})
    assert args == ["--save_path", "/m", "--checkpoint_path", "/m/c", "--share_file", RUN]


DATA = {"name": "data", "mountPath": "/TData", "persistentVolumeClaim": {"claimName": "a"}}
CODE = {"name": "code", "mountPath": "/code/", "configMap": {"name": "b"}}


# TLaunch's paths below /TData: tlaunch 0.0.2, tlaunch/lp_k8s/runner. The job of these tests is named mnist.
@pytest.mark.parametrize(
    ("volumes", "volume", "parent"),
    [([DATA], {}, "/TData"), ([CODE, DATA], {"volume": "data"}, "/TData"), ([CODE, DATA], {"volume": "code"}, "/code")],
)
def test_default_paths_are_those_of_tlaunch(volumes: list[dict[str, Any]], volume: dict[str, str], parent: str) -> None:
    args, _ = arguments_and_env(volumes=volumes, checkpoint=volume, save=volume, shareFile=volume)
    share = RUN.replace(before=f"{parent}/cache/mnist/")
    assert args == [
        *("--save_path", f"{parent}/models/mnist"),
        *("--checkpoint_path", f"{parent}/models/mnist/last.tar.gz"),
        *("--share_file", share),
    ]


def test_path_arguments_follow_the_programs_arguments() -> None:
    job = lower_job(run={"python": ["a.py", "-x"]}, save={"path": "/m"}, launch={"torchrun": {}})
    assert job.pod.program.args == ("a.py", "-x", "--save_path", "/m")


@pytest.mark.parametrize("folder", ["/cache", "/cache/"])
def test_the_share_file_is_named_after_the_run(folder: str) -> None:
    """init_method file:// must not find the file of an earlier run."""
    args, env = arguments_and_env(shareFile={"directory": folder})
    assert args == ["--share_file", RUN]
    assert env == {"TRAINC_RUN_ID": PodFact.RUN}


def test_a_share_file_in_the_root_has_one_slash() -> None:
    args, _ = arguments_and_env(shareFile={"directory": "/"})
    assert args[1] == FactArg(fact=PodFact.RUN, variable="TRAINC_RUN_ID", before="/")


def test_the_variable_of_the_share_file_refers_to_an_earlier_variable() -> None:
    """Kubernetes expands only variables that are defined before."""
    args, env = arguments_and_env(shareFile={"directory": "/cache", "argument": False, "env": "FILE"})
    assert args == []
    assert list(env.items()) == [("TRAINC_RUN_ID", PodFact.RUN), ("FILE", "/cache/$(TRAINC_RUN_ID)")]


def test_jobs_without_paths_have_no_path_arguments() -> None:
    assert arguments_and_env() == ([], {})
