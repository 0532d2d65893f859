"""A shell's text is read as the shell reads it: bash runs it, with a `show` that prints its words and a variable."""

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
with open(os.environ["SHOWN"], "a") as file:
    print(json.dumps([os.environ.get("TOLD"), *sys.argv[1:]]), file=file)
"""
# Each runs `show` once, surely; nothing in them changes that.
CERTAIN = [
    "show a b",
    "show 'a b' \"c d\" e\\ f",
    "show 'it'\"'\"'s' \"\" ''",
    'show "a\\"b" "\\$HOME" "\\n" \\n "back\\\\slash"',
    "show a\\\n  b \\\n  c",
    "show a # b",
    "show a#b '#c' \\#d",
    "# nothing\n\nshow a",
    "TOLD=x show a",
    "TOLD='x y' OTHER= show a",
    "TOLD=x; show a",
    "TOLD=x\nexport TOLD; show a",
    "export TOLD=x; show a",
    "export TOLD=x && show a",
    "TOLD=x; unset TOLD; show a",
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
    "TOLD=$HOME show a",
    "export TOLD=x | true; show a",
    "true | export TOLD=x; show a",
    "export TOLD=x &\nshow a",
    "export TOLD=x | true; export TOLD=y; show a",
    "exit 0 | true; show a",
]
GIVEN = {"NODES": "3", "ARGS": "--lr 0.1  --wd 0", "NAME": "job-0"}
# With those variables all words of these are known.
KNOWN = [
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
]
# Of these one isn't, though it looks so.
DOUBTED = [
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
    "NODES+=5; show $NODES",
    "declare -i NODES=1+2; show $NODES",
    "NODES=$(echo 5); show $NODES",
    "X='/*'; show $X",
    "IFS=o; show $NAME",
    "if true; then X=5; fi; export X; show $X",
    "cd /; show $PWD",
]
# Nobody can say that these run `show`, or with what; bash would.
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
UNFINISHED = [
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


def ours(text: str, given: dict[str, str] | None = None) -> list[list[str | None]]:
    found = []
    for command in commands(text, None, {name: Word(text=value) for name, value in (given or {}).items()}):
        if command.words[0].text == "show":
            told = command.env.get("TOLD")
            found.append([told.text if told else None, *(word.text for word in command.words[1:])])
    return found


def by_bash(text: str, folder: Path, given: dict[str, str] | None = None) -> list[list[str | None]]:
    (folder / "bin").mkdir()
    (folder / "bin/show").write_text(SHOW)
    (folder / "bin/show").chmod(0o755)
    shown = folder / "shown"
    shown.touch()
    env = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": "/home/me", "SHOWN": str(shown), **(given or {})}
    assert BASH is not None
    subprocess.run([BASH, "-c", text], env=env, cwd=folder, check=False, capture_output=True)
    return [json.loads(line) for line in shown.read_text().splitlines()]


def like(ours: str | None, theirs: str | None) -> bool:
    if ours == UNKNOWN:  # also of a variable that may not be exported
        return True
    if ours is None or theirs is None:
        return ours is theirs
    return re.fullmatch(".*".join(map(re.escape, ours.split(UNKNOWN))), theirs, re.DOTALL) is not None


@pytest.mark.skipif(BASH is None, reason="there is no bash here to compare with")
@pytest.mark.parametrize("text", CERTAIN)
def test_words_are_those_that_bash_passes(text: str, tmp_path: Path) -> None:
    (real,) = by_bash(text, tmp_path)
    (found,) = ours(text)
    assert len(found) == len(real), (found, real)
    assert all(map(like, found, real)), (found, real)


@pytest.mark.skipif(BASH is None, reason="there is no bash here to compare with")
@pytest.mark.parametrize("text", KNOWN)
def test_variables_that_are_known_are_filled_in_as_bash_does(text: str, tmp_path: Path) -> None:
    real = by_bash(text, tmp_path, GIVEN)
    assert [words[1:] for words in ours(text, GIVEN)] == [words[1:] for words in real]


@pytest.mark.skipif(BASH is None, reason="there is no bash here to compare with")
@pytest.mark.parametrize("text", DOUBTED)
def test_a_variable_that_may_have_changed_is_in_doubt(text: str, tmp_path: Path) -> None:
    (real,) = by_bash(text, tmp_path, GIVEN)
    (found,) = ours(text, {**GIVEN, "PWD": "/home"})
    assert UNKNOWN in "".join(map(str, found[1:])), (found, real)


@pytest.mark.skipif(BASH is None, reason="there is no bash here to compare with")
@pytest.mark.parametrize("text", UNCERTAIN)
def test_a_command_that_may_not_run_is_left_out(text: str, tmp_path: Path) -> None:
    assert ours(text) == []
    assert len(by_bash(text, tmp_path)) <= 1


@pytest.mark.parametrize("text", UNFINISHED)
def test_of_a_text_that_is_unfinished_nothing_is_said(text: str) -> None:
    assert commands(text, None) == []


@pytest.mark.parametrize("text", ["show $x", "show `x`", 'show "$@"', "show {a,b}", "show ${a[@]}", "show {1..3}"])
def test_what_may_become_several_words_says_so(text: str) -> None:
    (command,) = commands(text, None)
    assert command.words[1].splits
    assert not command.words[1].known


@pytest.mark.parametrize("text", ['show "$x"', "show '$x'", "show \\$x", "show $'x'", "show a$", "show {a}"])
def test_what_stays_one_word_says_so(text: str) -> None:
    (command,) = commands(text, None)
    assert not command.words[1].splits


def test_a_variable_set_on_one_road_only_is_unknown() -> None:
    *_, last = commands("if true; then export TOLD=1; fi; show a", None)
    told = last.env["TOLD"]
    assert told is not None
    assert not told.known


def test_a_value_that_doubles_without_end_is_given_up() -> None:
    *_, last = commands("A=x;" + 'A="$A$A";' * 80 + "show $A", None)
    assert not last.words[-1].known
    assert len(last.words[-1].text) < 10000
