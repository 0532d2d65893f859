"""Command lines mean to trainc what they mean to the launchers: launchers.json holds what these said of them."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest

from tools.launcher_cases import CASES, FILE, LAUNCHERS, ask, made_with, options, split
from trainc.commandline.word import Word
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.registry import grammar
from trainc.launchers.torchrun.options import OPTIONS

RECORDED: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
# How a launcher says it, and trainc's word for it. Of values it says nothing here: they are for the checks.
ENDS = {
    "ambiguous option": "ambiguous option",
    "unrecognized arguments": "unknown option",
    "expected one argument": "missing value",
    "ignored explicit argument": "unexpected value",
}
OF_VALUES = ("invalid literal", "invalid int value", "invalid float value")

TABLES = {name.rpartition(".")[2]: grammar(name) for name in ("torchrun", "torch.distributed.launch", "deepspeed")}


def read(case: str) -> Call:
    """The one launcher of a case."""
    env, launcher, _ = split(case)
    named = {"launch": "python -m torch.distributed.launch", "accelerate": "accelerate launch"}.get(launcher, launcher)
    behind = case.partition(f"{launcher} ")[2]
    before = case.removesuffix(f"{launcher} {behind}")
    assert bool(before) == bool(env)
    (found,) = calls([Word(text="sh"), Word(text="-c"), Word(text=f"{before}{named} {behind}")])
    return found


@pytest.mark.parametrize("recorded", RECORDED["cases"], ids=lambda recorded: recorded["case"])
def test_a_command_line_is_read_as_its_launcher_reads_it(recorded: dict[str, Any]) -> None:
    call = read(recorded["case"])
    if "ends" in recorded:
        said = next((why for words, why in ENDS.items() if words in recorded["ends"]), None)
        assert said is not None or any(words in recorded["ends"] for words in OF_VALUES)
        assert (call.problem.reason if call.problem else None) == said
        return
    assert call.problem is None
    given = {name: one.value.text if one.value else "" for name, one in call.parsed.options.items()}
    assert given == recorded["given"]
    assert [word.text for word in call.parsed.program] == recorded["program"]


NUMBERS = [recorded for recorded in RECORDED["cases"] if recorded.get("variables")]


@pytest.mark.parametrize("recorded", NUMBERS, ids=lambda recorded: recorded["case"])
def test_an_argument_wins_over_a_variable_as_it_does_for_torchrun(recorded: dict[str, Any]) -> None:
    call = read(recorded["case"])
    for variable, effective in recorded["variables"].items():
        given = call.option(variable.removeprefix("PET_").lower())
        if given is None:
            assert effective in ("None", "False")  # no option that has a variable
        elif effective == "True":
            assert given.value is None or int(given.value.text)
        else:
            assert given.value is not None
            assert (
                float(given.value.text) == float(effective) if effective[0].isdigit() else given.value.text == effective
            )


@pytest.mark.parametrize("launcher", ["torchrun", "launch", "deepspeed"])
def test_no_option_of_a_launcher_is_missing(launcher: str) -> None:
    ours = {name: list(option) for name, option in TABLES[launcher].options.items()}
    theirs = RECORDED["options"][launcher]
    assert {name: ours.get(name) for name in theirs} == theirs


def test_accelerates_options_are_what_the_table_says_of_them() -> None:
    theirs = RECORDED["options"]["accelerate"]
    ours = {name: list(option) for name, option in grammar("accelerate").options.items()}
    assert {name: theirs[name] for name in ours} == ours


def test_the_variables_are_those_of_torchruns_options() -> None:
    said = {target for target, _ in RECORDED["options"]["torchrun"].values()} - {"help"}
    assert said == {option.name for option in OPTIONS} - {"help"}


def test_the_recorded_cases_are_those_of_the_tool() -> None:
    assert [recorded["case"] for recorded in RECORDED["cases"]] == CASES


@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("torch", "deepspeed", "accelerate")),
    reason="torch, deepspeed and accelerate are not all installed here: what they said is in launchers.json",
)
def test_the_launchers_still_say_what_was_recorded() -> None:
    if made_with() != RECORDED["made with"]:
        pytest.skip(f"these are other versions than {RECORDED['made with']}")
    assert [ask(case) for case in CASES] == RECORDED["cases"]
    assert {name: options(name) for name in LAUNCHERS} == RECORDED["options"]
