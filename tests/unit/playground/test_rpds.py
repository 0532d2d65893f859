"""The stand-in for rpds behaves like rpds, and jsonschema gives the same messages with it."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rpds

from tests.support.command import clean_environment, command_line, trainc

ROOT = Path(__file__).parents[3]
SPEC: Any = importlib.util.spec_from_file_location("stand_in", ROOT / "playground" / "rpds.py")
STAND_IN = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(STAND_IN)
Use = Callable[[Any], Any]

MAPS: list[Use] = [
    dict,
    len,
    bool,
    lambda value: value["a"],
    lambda value: value["x"],
    lambda value: (value.get("x"), "a" in value),
    lambda value: sorted(value.items()) + sorted(value.keys()) + sorted(value.values()),
    lambda value: dict(value.insert("c", 3)),
    lambda value: dict(value.insert("a", 3)),
    lambda value: dict(value.update({"a": 5}, [("z", 1)])),
    lambda value: dict(value.update(type(value)(y=1), c=1)),
    lambda value: dict(value.remove("a")),
    lambda value: value.remove("x"),
    lambda value: dict(value.discard("a")) | dict(value.discard("x")),
    lambda value: value == type(value)(dict(value)),
    lambda value: value == dict(value),
    lambda value: hash(value) == hash(type(value)(dict(value))),
    lambda value: type(value).convert(value) is value,
    lambda value: dict(type(value).convert([("a", 1)])),
    lambda value: dict(type(value).fromkeys("ab", 1)),
]
SETS: list[Use] = [
    sorted,
    len,
    bool,
    lambda value: sorted(value.insert(3)),
    lambda value: sorted(value.update([2], [3])),
    lambda value: sorted(value.remove(1)),
    lambda value: value.remove(7),
    lambda value: sorted(value.discard(1)) + sorted(value.discard(7)),
    lambda value: value == type(value)(value),
]
LISTS: list[Use] = [
    list,
    len,
    bool,
    repr,
    lambda value: list(value.push_front(0)),
    lambda value: list(value.drop_first()),
    lambda value: value.first,
    lambda value: list(type(value)(1, 2)),
    lambda value: type(value)(1),
    lambda value: value == type(value)(value),
    lambda value: hash(value) == hash(type(value)(value)),
]


@pytest.mark.parametrize(
    ("name", "content", "use"),
    [
        *(("HashTrieMap", content, use) for content in ({}, {"a": 1, "b": 2}) for use in MAPS),
        *(("HashTrieSet", content, use) for content in ([], [1, 2]) for use in SETS),
        *(("List", content, use) for content in ([], [1, "a"]) for use in LISTS),
    ],
)
def test_the_types_behave_like_those_of_rpds(name: str, content: Any, use: Use) -> None:
    outcomes = []
    for module in (rpds, STAND_IN):
        value = getattr(module, name)(content)
        before = list(value)
        try:
            outcomes.append(use(value))
        except Exception as problem:
            outcomes.append(type(problem).__name__)
        assert list(value) == before
    assert outcomes[0] == outcomes[1]


def test_messages_of_faulty_jobs_are_the_same() -> None:
    files = sorted((ROOT / "tests" / "acceptance" / "bad").glob("*.yaml"))[::9]
    variables = clean_environment(PYTHONPATH=str(ROOT / "playground"))
    command = command_line("check", "--message-format", "json", *files)
    done = subprocess.run(command, env=variables, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == trainc("check", "--message-format", "json", *files)
