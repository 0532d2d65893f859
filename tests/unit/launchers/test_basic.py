"""basic: one process a pod, told its place by arguments and by the variables of init_method env://."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_env, lower_job
from trainc.ir.env import FactArg, PodFact

RANK = FactArg(fact=PodFact.INDEX, variable="RANK")


def program(options: dict[str, Any] | None = None, **spec: Any) -> tuple[object, ...]:
    found = lower_job(launch={"basic": options or {}}, **spec).pod.program
    return (*found.command, *found.args)


def test_world_size_and_rank_are_passed_as_tlaunch_passes_them() -> None:
    words = program(run={"python": ["train.py", "--epochs", 3]}, workers=4)
    assert words == ("python3", "-u", "train.py", "--epochs", "3", "--world_size", "4", "--rank", RANK)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"python": ["a.py", "-x"]}, ("python3", "-u", "a.py", "-x")),
        ({"module": ["pkg.a", "-x"]}, ("python3", "-u", "-m", "pkg.a", "-x")),
        ({"exec": ["./a", "-x"]}, ("./a", "-x")),
        ({"exec": ["./a"]}, ("./a",)),
    ],
)
def test_a_program_is_started_as_one_starts_it_by_hand(run: dict[str, Any], words: tuple[str, ...]) -> None:
    off = {"worldSizeArgument": False, "rankArgument": False}
    assert program(off, run=run) == words


def test_the_arguments_may_have_other_names() -> None:
    words = program({"worldSizeArgument": "--nodes", "rankArgument": "--id"}, workers=2)
    assert words[3:] == ("--nodes", "2", "--id", RANK)


def test_one_argument_may_be_off_and_the_other_on() -> None:
    assert program({"worldSizeArgument": False}, workers=2)[3:] == ("--rank", RANK)
    assert program({"rankArgument": False}, workers=2)[3:] == ("--world_size", "2")


def test_the_variables_are_those_of_init_method_env() -> None:
    """https://pytorch.org/docs/stable/distributed.html#environment-variable-initialization"""
    assert job_env(lower_job(workers=2)) == {
        "WORLD_SIZE": "2",
        "RANK": PodFact.INDEX,
        "MASTER_ADDR": "mnist-0",
        "MASTER_PORT": "29500",
    }
    assert job_env(lower_job(launch={"basic": {"port": 23456}}))["MASTER_PORT"] == "23456"


def test_the_variables_are_there_when_the_arguments_are_off() -> None:
    job = lower_job(launch={"basic": {"worldSizeArgument": False, "rankArgument": False}}, workers=2)
    assert set(job_env(job)) == {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT"}


def test_the_users_variables_come_after_the_launchers_so_that_they_may_refer_to_them() -> None:
    names = [variable.name for variable in lower_job(env={"B": "$(RANK)", "A": "1"}).pod.env]
    assert names[-2:] == ["B", "A"]
    assert names.index("RANK") < names.index("B")


@pytest.mark.parametrize(("given", "value"), [("x", "x"), (1, "1"), (1.5, "1.5"), (True, "true"), ("", "")])
def test_a_variable_has_the_value_that_was_typed(given: object, value: str) -> None:
    assert job_env(lower_job(env={"A": given}))["A"] == value
    if isinstance(given, str):
        assert job_env(lower_job(env=[{"name": "A", "value": given}]))["A"] == value


def test_a_variable_without_a_value_is_empty_and_one_may_come_from_elsewhere() -> None:
    source = {"secretKeyRef": {"name": "s", "key": "k"}}
    job = lower_job(env=[{"name": "A"}, {"name": "B", "valueFrom": source}])
    assert job_env(job)["A"] == ""
    assert job_env(job)["B"] == source
