"""Arithmetic has the values of bash, or is unknown."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from trainc.commandline.arithmetic import evaluate
from trainc.commandline.shell import commands
from trainc.commandline.word import UNKNOWN, Word

BASH = shutil.which("bash")
VARIABLES = {"INDEX": "3", "COUNT": "10", "ZERO": "0", "OCTAL": "010", "TEXT": "INDEX", "NEGATIVE": "-1"}
KNOWN = [
    *("INDEX+1", "$INDEX+1", "${INDEX}+1", " $INDEX + 1 ", "1+INDEX", "INDEX", "ZERO", "7", "INDEX - COUNT"),
    *("COUNT * (INDEX + 1)", "COUNT/INDEX", "-COUNT/INDEX", "COUNT/-INDEX", "COUNT%INDEX", "-COUNT%INDEX"),
    *("COUNT % -INDEX", "1+2*3", "(1+2)*3", "-INDEX", "+INDEX", "- -INDEX", "100/7/2", "2-3-4", "COUNT - INDEX*2"),
    "999999999999999999+1",
]
UNKNOWNS = [
    *("", "OTHER+1", "$OTHER", "OCTAL", "010", "TEXT", "3-NEGATIVE", "2**3", "2 ** 3", "INDEX++", "--INDEX", "1//2"),
    *("INDEX=4", "INDEX<4", "INDEX?1:2", "1,2", "5/ZERO", "5%ZERO", "0x10", "8#17", "1 2", "INDEX INDEX", "()", "1(2)"),
    *("INDEX COUNT", "$INDEX$COUNT", "1+", "(1", "A[0]", "'1'", "1" * 30, "+".join("1" * 200), "~1", "!1", "1&1"),
    "999999999999999999*999999999999999999",
]


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("expression", KNOWN)
def test_known_values_are_those_of_bash(expression: str) -> None:
    assert BASH is not None
    value = subprocess.check_output([BASH, "-c", f"echo $(({expression}))"], env=VARIABLES, text=True)
    assert evaluate(expression, VARIABLES) == value.strip()


@pytest.mark.parametrize("expression", UNKNOWNS)
def test_any_other_expression_is_unknown(expression: str) -> None:
    assert evaluate(expression, VARIABLES) is None


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ("show --node_rank=$((INDEX+1))", "--node_rank=4"),
        ('show "--node_rank=$(( $INDEX + 1 ))"', "--node_rank=4"),
        ("N=$((INDEX * 2)); show --node_rank=$N", "--node_rank=6"),
        ("show $((INDEX++))", UNKNOWN),
        ("show $((echo a) | cat)", UNKNOWN),
        ("let INDEX=5; show $((INDEX+1))", UNKNOWN),
    ],
)
def test_a_script_has_the_values(script: str, word: str) -> None:
    env: dict[str, Word | None] = {name: Word(text=value) for name, value in VARIABLES.items()}
    last = list(commands(script, None, env))[-1]
    assert [each.text for each in last.words][-1] == word
