"""Scripts are parsed like bash parses them: bash runs them with a program `show` that records its arguments."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trainc.commandline.shell import commands
from trainc.commandline.word import UNKNOWN, Word

BASH = shutil.which("bash")
SHOW = f"""#!{sys.executable}
import json, os, sys
with open(os.environ["RECORD"], "a") as file:
    print(json.dumps([os.environ.get("MARKER"), *sys.argv[1:]]), file=file)
"""
# Each script certainly runs `show` once.
CERTAIN = [
    "show a b",
    "show 'a b' \"c d\" e\\ f",
    "show 'it'\"'\"'s' \"\" ''",
    'show "a\\"b" "\\$HOME" "\\n" \\n "back\\\\slash"',
    "show a\\\n  b \\\n  c",
    "show a # b",
    "show a#b '#c' \\#d",
    "# nothing\n\nshow a",
    "MARKER=x show a",
    "MARKER='x y' OTHER= show a",
    "MARKER=x; show a",
    "MARKER=x\nexport MARKER; show a",
    "export MARKER=x; show a",
    "export MARKER=x && show a",
    "MARKER=x; unset MARKER; show a",
    "true && show a || false",
    "cd / ; show a",
    "true | show a | cat",
    "show a > /dev/null 2>&1",
    "show 2 > /dev/null",
    "show a 2>/dev/null b",
    "show a &> /dev/null; true",
    "show a >| /dev/null < /dev/null",
    "show a &\nwait",
    "cat <<E > /dev/null\nshow b\nE\nshow a",
    "cat <<'E' <<-F > /dev/null\nshow 'b\nE\n\tshow \"c\n\tF\nshow a",
    "show a <<E\nb\nE\n",
    "cat <<< 'show b' >/dev/null; show a",
    "if true; then show=1; fi; show a",
    "for x in show b; do true; done; show a",
    "while false; do show b; done\nshow a",
    "case x in y) show b;; (z|w) show c;; esac; show a",
    "f() { show b; }; show a",
    "f () { show b; }\nshow a",
    "[[ a == b && c < d ]]; show a",
    "[ a = b ] && show b; show a",
    "[ a = b ] || true; show a",
    "x=(show b c); show a",
    "x=$(show=1; echo ')'); show a",
    "show a; exit 0; show b",
    "set -e; set -euo pipefail; show a",
    "! show a",
    "((1 + 2)); show a",
    "(true; false); show a",
    "{ true; }; show a",
    "show a;",
    "show {a} {} }a",
    "show a=b -c=d",
    "show ~x",
    'show "$(printf \'%s\' "a)b")" end',
    'show "`echo b`" end',
    "show ${NOTHING:-'a b'} \"${NOTHING:-x}y\" end",
    "show --n=$HOME \"$HOME\" '$HOME'",
    "show $((1 + 2)) end",
    "show $'a\\tb' $\"c\" end",
    "echo $# > /dev/null; show a",
    "show \"a\nb\" 'c\nd'",
    "MARKER=$HOME show a",
    "export MARKER=x | true; show a",
    "true | export MARKER=x; show a",
    "export MARKER=x &\nshow a",
    "export MARKER=x | true; export MARKER=y; show a",
    "exit 0 | true; show a",
]
VARIABLES = {"NODES": "3", "ARGS": "--lr 0.1  --wd 0", "NAME": "job-0"}
# With VARIABLES all arguments of these scripts are known.
KNOWN_VALUES = [
    'show $NODES ${NODES} "$NODES" --n=$NODES',
    'show ${NODES:-1} ${NODES-1} "${NODES:?there must be some}"',
    "show $ARGS end",
    'show "$ARGS" end',
    "show '$NODES' \\$NODES",
    "X=$NODES; show $X",
    'X=$NODES\nexport Y="$X:$NODES"\nshow $Y',
    'G=8\nD="--nproc_per_node $G \\\n --nnodes $NODES"\nshow $D train.py',
    "NODES=5 && show $NODES",
    "NODES=5 show $NODES",
    "NODES=5 true; show $NODES",
    "CMD='show a'; $CMD b",
    "cat <<E > /dev/null\nNODES=5 $NODES\nE\nshow $NODES",
    "echo $((NODES * 8)) > /dev/null; show $NODES",
    "((NODES == 3)); show $NODES",
    "printf '%s' NODES > /dev/null; show $NODES",
    "unset NODES; NODES=4; show $NODES",
    "NODES+=5; show $NODES",
    'A="x"; A+=" y --n=$NODES"; show $A "$A"',
    'A=(--nodes $NODES\n  # comment\n  "b c"); show "${A[@]}" end',
    "A=(x y); A+=(z); show ${A[@]} end",
    'A=(); show "${A[@]}" end',
    "A=(x); A=(y $NODES); show ${A[*]}",
]
# Each of these scripts has an unknown argument that looks known.
DOUBTFUL = [
    "if true; then NODES=5; fi; show $NODES",
    "f() { NODES=5; }; f; show $NODES",
    "f() { NODES=5; }; NODES=4; f; show $NODES",
    "for NODES in 1 2; do true; done; show $NODES",
    "read NODES <<< 5; show $NODES",
    "printf -v NODES 5; show $NODES",
    "((NODES++)); show $NODES",
    "echo $((NODES = 5)) > /dev/null; show $NODES",
    "let NODES=5; show $NODES",
    "eval NODES=5; show $NODES",
    "true && false || NODES=5; show $NODES",
    "NODES=5 | true; show $NODES",
    "NODES=5 & wait; show $NODES",
    "unset NODES; show ${NODES:-1}",
    "NODES=; show ${NODES:-1}",
    "if true; then NODES+=5; fi; show $NODES",
    "A=(x); if true; then A=(y); fi; show ${A[@]}",
    "A=(x); if true; then A+=(y); fi; show ${A[@]}",
    "A=(x); read -a A <<< y; show ${A[@]}",
    'A=("x  y"); show ${A[@]}',
    "A=(x); A[0]=y; show ${A[@]}",
    "A=(x); unset A; B=; show a$A${A[@]}",
    "declare -i NODES=1+2; show $NODES",
    "NODES=$(echo 5); show $NODES",
    "X='/*'; show $X",
    "IFS=o; show $NAME",
    "if true; then X=5; fi; export X; show $X",
    "cd /; show $PWD",
]
# It is unknown whether these run `show`, or with which arguments; bash runs it.
UNCERTAIN = [
    "false || show a",
    "if true; then show a; fi",
    "(show a)",
    "{ show a; }",
    "for x in 1; do show $x; done",
    "f() { show a; }; f",
    "[ a = a ] && show a",
    "eval show a",
    "true || true && show a",
    "case x in x) show a;; esac",
]
INCOMPLETE = [
    "show 'a",
    'show "a',
    "show $(a",
    "show ${a",
    "show `a",
    "if true; show a",
    "show a; fi",
    "(show a",
    "}",
    ")",
]


def parse(text: str, variables: dict[str, str] | None = None) -> list[list[str | None]]:
    calls = []
    for command in commands(text, None, {name: Word(text=value) for name, value in (variables or {}).items()}):
        if command.words[0].text == "show":
            marker = command.env.get("MARKER")
            calls.append([marker.text if marker else None, *(argument.text for argument in command.words[1:])])
    return calls


def run_in_bash(text: str, folder: Path, variables: dict[str, str] | None = None) -> list[list[str | None]]:
    (folder / "bin").mkdir()
    (folder / "bin/show").write_text(SHOW)
    (folder / "bin/show").chmod(0o755)
    record = folder / "record"
    record.touch()
    env = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": "/home/me", "RECORD": str(record), **(variables or {})}
    assert BASH is not None
    subprocess.run([BASH, "-c", text], env=env, cwd=folder, check=False, capture_output=True)
    return [json.loads(line) for line in record.read_text().splitlines()]


def matches(parsed: str | None, actual: str | None) -> bool:
    if parsed == UNKNOWN:  # also if the variable may not be exported
        return True
    if parsed is None or actual is None:
        return parsed is actual
    return re.fullmatch(".*".join(map(re.escape, parsed.split(UNKNOWN))), actual, re.DOTALL) is not None


@pytest.mark.sample(25)
@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("text", CERTAIN)
def test_arguments_match_bash(text: str, tmp_path: Path) -> None:
    (actual,) = run_in_bash(text, tmp_path)
    (parsed,) = parse(text)
    assert len(parsed) == len(actual), (parsed, actual)
    assert all(map(matches, parsed, actual)), (parsed, actual)


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("text", KNOWN_VALUES)
def test_known_variables_are_expanded_like_bash(text: str, tmp_path: Path) -> None:
    actual = run_in_bash(text, tmp_path, VARIABLES)
    assert [call[1:] for call in parse(text, VARIABLES)] == [call[1:] for call in actual]


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("text", DOUBTFUL)
def test_variables_that_may_have_changed_are_unknown(text: str, tmp_path: Path) -> None:
    (actual,) = run_in_bash(text, tmp_path, VARIABLES)
    (parsed,) = parse(text, {**VARIABLES, "PWD": "/home"})
    assert UNKNOWN in "".join(map(str, parsed[1:])), (parsed, actual)


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize("text", UNCERTAIN)
def test_commands_that_may_not_run_are_omitted(text: str, tmp_path: Path) -> None:
    assert parse(text) == []
    assert len(run_in_bash(text, tmp_path)) <= 1


@pytest.mark.parametrize("text", INCOMPLETE)
def test_incomplete_scripts_have_no_commands(text: str) -> None:
    assert commands(text, None) == []


@pytest.mark.parametrize("text", ["show $x", "show `x`", 'show "$@"', "show {a,b}", "show ${a[@]}", "show {1..3}"])
def test_arguments_that_may_split(text: str) -> None:
    (command,) = commands(text, None)
    assert command.words[1].splits
    assert not command.words[1].known


@pytest.mark.parametrize("text", ['show "$x"', "show '$x'", "show \\$x", "show $'x'", "show a$", "show {a}"])
def test_arguments_that_do_not_split(text: str) -> None:
    (command,) = commands(text, None)
    assert not command.words[1].splits


def test_variables_set_in_one_branch_are_unknown() -> None:
    *_, last = commands("if true; then export MARKER=1; fi; show a", None)
    marker = last.env["MARKER"]
    assert marker is not None
    assert not marker.known


def test_exponential_values_are_unknown() -> None:
    *_, last = commands("A=x;" + 'A="$A$A";' * 80 + "show $A", None)
    assert not last.words[-1].known
    assert len(last.words[-1].text) < 10000
