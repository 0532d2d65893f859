"""Paths reach the program by argument, by variable, by both or by neither."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_env, lower_job
from trainc.ir.env import FactArg, PodFact

OFF = {"basic": {"worldSizeArgument": False, "rankArgument": False}}
RUN = FactArg(fact=PodFact.RUN, variable="TRAINC_RUN_ID", before="/cache/")


def told(**spec: Any) -> tuple[list[object], dict[str, Any]]:
    """Arguments after the program, and variables beside the launcher's."""
    job = lower_job(launch=OFF, **spec)
    own = {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT"}
    env: dict[str, Any] = {name: value for name, value in job_env(job).items() if name not in own}
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
def test_a_path_is_told(
    field: str, argument: str, options: dict[str, Any], args: list[str], env: dict[str, str]
) -> None:
    expected = [argument if word == "ARGUMENT" else word for word in args]
    assert told(**{field: {"path": "/m", **options}}) == (expected, env)


def test_all_three_come_in_the_order_of_tlaunch() -> None:
    args, _ = told(shareFile={"directory": "/cache"}, checkpoint={"path": "/m/c"}, save={"path": "/m"})
    assert args == ["--save_path", "/m", "--checkpoint_path", "/m/c", "--share_file", RUN]


DATA = {"name": "data", "mountPath": "/TData", "persistentVolumeClaim": {"claimName": "a"}}
CODE = {"name": "code", "mountPath": "/code/", "configMap": {"name": "b"}}


# Where TLaunch keeps them below /TData: tlaunch 0.0.2, tlaunch/lp_k8s/runner. The job of these tests is called mnist.
@pytest.mark.parametrize(
    ("volumes", "volume", "above"),
    [([DATA], {}, "/TData"), ([CODE, DATA], {"volume": "data"}, "/TData"), ([CODE, DATA], {"volume": "code"}, "/code")],
)
def test_a_path_that_is_not_given_is_where_tlaunch_has_it(
    volumes: list[dict[str, Any]], volume: dict[str, str], above: str
) -> None:
    args, _ = told(volumes=volumes, checkpoint=volume, save=volume, shareFile=volume)
    share = RUN.replace(before=f"{above}/cache/mnist/")
    assert args == [
        *("--save_path", f"{above}/models/mnist"),
        *("--checkpoint_path", f"{above}/models/mnist/last.tar.gz"),
        *("--share_file", share),
    ]


def test_they_come_after_the_programs_own_arguments() -> None:
    job = lower_job(run={"python": ["a.py", "-x"]}, save={"path": "/m"}, launch={"torchrun": {}})
    assert job.pod.program.args == ("a.py", "-x", "--save_path", "/m")


@pytest.mark.parametrize("folder", ["/cache", "/cache/"])
def test_the_share_file_is_named_after_the_run(folder: str) -> None:
    """init_method file:// must not find the file of an earlier run."""
    args, env = told(shareFile={"directory": folder})
    assert args == ["--share_file", RUN]
    assert env == {"TRAINC_RUN_ID": PodFact.RUN}


def test_a_share_file_in_the_root_has_one_slash() -> None:
    args, _ = told(shareFile={"directory": "/"})
    assert args[1] == FactArg(fact=PodFact.RUN, variable="TRAINC_RUN_ID", before="/")


def test_the_variable_of_the_share_file_refers_to_one_that_stands_before_it() -> None:
    """Kubernetes expands only what is already defined."""
    args, env = told(shareFile={"directory": "/cache", "argument": False, "env": "FILE"})
    assert args == []
    assert list(env.items()) == [("TRAINC_RUN_ID", PodFact.RUN), ("FILE", "/cache/$(TRAINC_RUN_ID)")]


def test_a_job_without_paths_is_told_nothing() -> None:
    assert told() == ([], {})
