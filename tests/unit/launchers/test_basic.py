"""basic: one process per pod, with its rank in the variables of init_method env://, and in arguments if named."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_env, lower_job
from trainc.ir.env import FactArg, PodFact

RANK = FactArg(fact=PodFact.INDEX, variable="RANK")


def command_line(options: dict[str, Any] | None = None, **spec: Any) -> tuple[object, ...]:
    program = lower_job(launch={"basic": options or {}}, **spec).pod.program
    return (*program.command, *program.args)


@pytest.mark.parametrize(
    ("run", "arguments"),
    [
        ({"python": ["a.py", "-x"]}, ("python3", "-u", "a.py", "-x")),
        ({"module": ["pkg.a", "-x"]}, ("python3", "-u", "-m", "pkg.a", "-x")),
        ({"exec": ["./a", "-x"]}, ("./a", "-x")),
        ({"exec": ["./a"]}, ("./a",)),
    ],
)
def test_commands_of_programs(run: dict[str, Any], arguments: tuple[str, ...]) -> None:
    assert command_line(run=run) == arguments


@pytest.mark.parametrize(
    ("names", "arguments"),
    [
        ({}, ()),
        ({"worldSize": "--nodes"}, ("--nodes", "2")),
        ({"rank": "--id"}, ("--id", RANK)),
        ({"localRank": "--device"}, ("--device", "0")),
        ({"rank": "--id", "worldSize": "--nodes"}, ("--nodes", "2", "--id", RANK)),
    ],
)
def test_only_named_arguments_are_passed(names: dict[str, str], arguments: tuple[object, ...]) -> None:
    assert command_line({"arguments": names}, workers=2)[3:] == arguments


def test_variables_of_init_method_env() -> None:
    """https://pytorch.org/docs/stable/distributed.html#environment-variable-initialization"""
    assert job_env(lower_job(workers=2)) == {
        "WORLD_SIZE": "2",
        "RANK": PodFact.INDEX,
        "MASTER_ADDR": "mnist-0",
        "MASTER_PORT": "29500",
    }
    assert job_env(lower_job(launch={"basic": {"port": 23456}}))["MASTER_PORT"] == "23456"


def test_user_variables_follow_the_launchers_and_can_refer_to_them() -> None:
    names = [variable.name for variable in lower_job(env={"B": "$(RANK)", "A": "1"}).pod.env]
    assert names[-2:] == ["B", "A"]
    assert names.index("RANK") < names.index("B")


@pytest.mark.parametrize(("field", "value"), [("x", "x"), (1, "1"), (1.5, "1.5"), (True, "true"), ("", "")])
def test_variables_have_their_text_as_value(field: object, value: str) -> None:
    assert job_env(lower_job(env={"A": field}))["A"] == value
    if isinstance(field, str):
        assert job_env(lower_job(env=[{"name": "A", "value": field}]))["A"] == value


def test_variables_without_a_value_and_from_a_secret() -> None:
    source = {"secretKeyRef": {"name": "s", "key": "k"}}
    job = lower_job(env=[{"name": "A"}, {"name": "B", "valueFrom": source}])
    assert job_env(job)["A"] == ""
    assert job_env(job)["B"] == source
