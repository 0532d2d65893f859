"""trainc parses command lines like the launchers, whose results are recorded in launchers.json."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest

from tools.launcher_cases import CASES, FILE, LAUNCHERS, PACKAGES, installed_versions, options, record, split
from trainc.commandline.word import Word
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.grammars import grammar
from trainc.launchers.torchrun.options import OPTIONS, TORCHELASTIC_OPTIONS

RECORDED: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
# Error message of a launcher and trainc's reason. Values are left to the rules.
REASONS = {
    "ambiguous option": "ambiguous option",
    "unrecognized arguments": "unknown option",
    "expected one argument": "missing value",
    "ignored explicit argument": "unexpected value",
}
NO_PROGRAM = "the following arguments are required"
VALUE_ERRORS = ("invalid literal", "invalid int value", "invalid float value")

TABLES = {
    name.rpartition(".")[2]: grammar(name)
    for name in ("torchrun", "torch.distributed.launch", "torchelastic", "deepspeed", "accelerate")
}


def parse(case: str) -> Call:
    """Return the only launcher call of a case."""
    env, launcher, _ = split(case)
    command = {
        "launch": "python -m torch.distributed.launch",
        "torchelastic": "python -m torchelastic.distributed.launch",
        "accelerate": "accelerate launch",
    }.get(launcher, launcher)
    arguments = case.partition(f"{launcher} ")[2]
    variables = case.removesuffix(f"{launcher} {arguments}")
    assert bool(variables) == bool(env)
    (call,) = calls([Word(text="sh"), Word(text="-c"), Word(text=f"{variables}{command} {arguments}")])
    return call


@pytest.mark.parametrize("recorded", RECORDED["cases"], ids=lambda recorded: recorded["case"])
def test_command_lines_are_parsed_like_the_launchers(recorded: dict[str, Any]) -> None:
    call = parse(recorded["case"])
    if "error" in recorded:
        expected = next((reason for message, reason in REASONS.items() if message in recorded["error"]), None)
        is_known = expected is not None or any(message in recorded["error"] for message in VALUE_ERRORS)
        assert is_known or NO_PROGRAM in recorded["error"]
        assert call.parsed.lacks_program == (NO_PROGRAM in recorded["error"])
        assert (call.parsed.problem.reason if call.parsed.problem else None) == expected
        return
    assert call.parsed.problem is None
    options = {name: option.value.text if option.value else "" for name, option in call.parsed.options.items()}
    assert options == recorded["options"]
    assert [argument.text for argument in call.parsed.program] == recorded["program"]


WITH_VARIABLES = [recorded for recorded in RECORDED["cases"] if recorded.get("variables")]


@pytest.mark.parametrize("recorded", WITH_VARIABLES, ids=lambda recorded: recorded["case"])
def test_arguments_override_variables_like_torchrun(recorded: dict[str, Any]) -> None:
    call = parse(recorded["case"])
    for variable, effective in recorded["variables"].items():
        option = call.option(variable.removeprefix("PET_").lower())
        if option is None:
            assert effective in ("None", "False")  # an option without a variable
        elif effective == "True":
            assert option.value is None or int(option.value.text)
        else:
            assert option.value is not None
            assert (
                float(option.value.text) == float(effective)
                if effective[0].isdigit()
                else option.value.text == effective
            )


@pytest.mark.parametrize("launcher", ["torchrun", "launch", "torchelastic", "deepspeed", "accelerate"])
def test_tables_contain_every_option(launcher: str) -> None:
    table = {name: list(option) for name, option in TABLES[launcher].options.items()}
    recorded = RECORDED["options"][launcher]
    assert {name: table.get(name) for name in recorded} == recorded


def test_table_of_accelerate_contains_no_other_options() -> None:
    assert TABLES["accelerate"].options.keys() == RECORDED["options"]["accelerate"].keys()


def test_table_of_torchrun_contains_no_other_options() -> None:
    recorded = {target for target, _ in RECORDED["options"]["torchrun"].values()} - {"help"}
    assert recorded == {option.name for option in OPTIONS} - {"help"}


def test_table_of_torchelastic_contains_no_other_options() -> None:
    assert {target for target, _ in RECORDED["options"]["torchelastic"].values()} == TORCHELASTIC_OPTIONS


def test_recorded_cases_are_up_to_date() -> None:
    assert [recorded["case"] for recorded in RECORDED["cases"]] == CASES


@pytest.mark.skipif(
    any(find_spec(name) is None for name in PACKAGES),
    reason=f"{', '.join(PACKAGES)} are not all installed",
)
def test_the_launchers_confirm_the_recorded_cases() -> None:
    if installed_versions() != RECORDED["versions"]:
        pytest.skip(f"the recorded versions are {RECORDED['versions']}")
    assert [record(case) for case in CASES] == RECORDED["cases"]
    assert {name: options(name) for name in LAUNCHERS} == RECORDED["options"]
