"""Wrappers' options. Each command line was executed with the wrapper itself and `echo` in place of torchrun."""

from __future__ import annotations

import shlex

import pytest

from trainc.commandline.shell import Variables
from trainc.commandline.word import UNKNOWN, Word
from trainc.commandline.wrappers import started, unwrap
from trainc.launchers.unread_commands import hidden_launcher

STARTS = [
    "env -u A -u B C=1 torchrun a.py",
    "env --unset=A -C /tmp A=b torchrun a.py",
    "nice -10 torchrun a.py",
    "nice --adj=5 torchrun a.py",
    "nice -n5 torchrun a.py",
    "timeout -k5 10 torchrun a.py",
    "timeout --kill=5 10 torchrun a.py",
    "stdbuf -oL torchrun a.py",
    "stdbuf -o L torchrun a.py",
    "taskset -c 0 torchrun a.py",
    "taskset 1 torchrun a.py",
    "taskset -ac 0 torchrun a.py",
    "ionice -c2 -n 7 torchrun a.py",
    "ionice --class=2 torchrun a.py",
    "setsid -w torchrun a.py",
    "chrt -b 0 torchrun a.py",
    "chrt --idle 0 torchrun a.py",
    "numactl -N0 -m0 torchrun a.py",
    "numactl --cpunodebind 0 --localalloc -- torchrun a.py",
    "numactl -c0 torchrun a.py",
    "numactl --physcpubind=+0 torchrun a.py",
    "numactl -a -l torchrun a.py",
    "dumb-init -r 15:2 -- torchrun a.py",
    "tini -g -- torchrun a.py",
    "uv run --no-project --frozen -- torchrun a.py",
    "uv run --no-project -p 3.11 -q torchrun a.py",
    "uv --offline run --no-project torchrun a.py",
    "nsys profile -tnone -o r1 torchrun a.py",
    "nsys profile --trace none -o r2 torchrun a.py",
    "nsys launch --trace=none torchrun a.py",
    "ncu -orep2 torchrun a.py",
    "ncu --target-processes all -o rep -f --set full torchrun a.py",
    # of another version of ncu, with the value attached
    "ncu --pm-sampling-interval=1 -o rep torchrun a.py",
    # conda of August 2026 from its source, with Python 3.11
    "conda run -ntrain torchrun a.py",
    "conda run --nam train torchrun a.py",
    "conda run -svn train torchrun a.py",
    "conda run --live --pre /envs/train -- torchrun a.py",
    "conda run -n train --trac --debug-w --cw /tmp torchrun a.py",
    "conda --debug run -n=train torchrun a.py",
    "conda run --no-capture-output -n train torchrun a.py",
    "conda run -s --cwd /src torchrun a.py",
    "gosu 0:0 torchrun a.py",
    "setpriv --no-new-privs --reuid=0 --groups 0 torchrun a.py",
    "sudo -EHu root torchrun a.py",
    "sudo --preserve-env=A A=b torchrun a.py",
    "sudo -- torchrun a.py",
    "xvfb-run --server-args=-x -l -n 5 torchrun a.py",
    "xvfb-run -a -s -ac torchrun a.py",
    "ddtrace-run -nc -p torchrun a.py",
    "opentelemetry-instrument --service_name x --traces_exporter=none torchrun a.py",
    "newrelic-admin run-program torchrun a.py",
    "pdm run -s -p /src torchrun a.py",
    "hatch -e z run torchrun a.py",
    "hatch run z:torchrun a.py",
    # by the pages that wrapper_tables.py links
    "su-exec nobody:nogroup torchrun a.py",
    "mamba run -n train torchrun a.py",
    "mamba run --live-stream -p /env torchrun a.py",
    "micromamba run -a stdout,stderr -n train --clean-env torchrun a.py",
    "micromamba run -r /opt/mamba -e A=b -e C --label x --cwd=/src torchrun a.py",
    "micromamba -p /env run torchrun a.py",
    "conda run --debug -vv -n train --no-capture-output torchrun a.py",
    "pixi run --frozen -e cuda torchrun a.py",
    "pixi run --offline --templated --as-is -qq --manifest-path /src/pixi.toml torchrun a.py",
    "pixi run --offline=false -s tool.py --no-hard-links torchrun a.py",
    "rye run torchrun a.py",
]
# These exit, start something else, or have options that the table lacks.
UNKNOWN_STARTS = [
    "nsys profile --sample=none -- torchrun a.py",
    "nsys stats torchrun a.py",
    "numactl --cpu=0 torchrun a.py",
    "ncu --new-option 1 torchrun a.py",
    "taskset -p 1 torchrun",
    "env -i A=b torchrun a.py",
    "env - A=b torchrun a.py",
    "env -S 'torchrun a.py'",
    "uv pip install torchrun",
    "conda install torchrun",
    "conda run -n train --json torchrun a.py",
    "conda run -q -n train torchrun a.py",
    "conda run --verbose=1 -n train torchrun a.py",
    "conda --version run -n train torchrun a.py",
    "somewrapper torchrun a.py",
    "sudo -i torchrun a.py",
    "setpriv --reset-env torchrun a.py",
    "hatch run +py=3.10 torchrun a.py",
    "pdm run --venv torchrun a.py",
    "opentelemetry-instrument --version torchrun a.py",
    "pixi shell torchrun",
    "pixi run -n torchrun a.py",
    "pixi run --env cuda torchrun a.py",
    "micromamba run --live-stream torchrun a.py",
    "micromamba run --pref /env torchrun a.py",
]


def inner(line: str, env: Variables | None = None) -> list[str] | None:
    name, *rest = (Word(text=each) for each in line.split(" "))
    words = unwrap(name.text, rest, {} if env is None else env)
    return None if words is None else [word.text for word in words]


@pytest.mark.parametrize("line", STARTS)
def test_wrappers_start_the_rest_of_their_line(line: str) -> None:
    assert inner(line) == ["torchrun", "a.py"]


@pytest.mark.parametrize("line", UNKNOWN_STARTS)
def test_nothing_is_known_behind_other_options_and_commands(line: str) -> None:
    assert inner(line) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sudo torchrun a.py", {}),
        ("sudo -E torchrun a.py", {"A": "1"}),
        ("sudo A=b torchrun a.py", {"A": "b"}),
        ("gosu root torchrun a.py", {"A": "1"}),
    ],
)
def test_sudo_resets_the_environment(line: str, expected: dict[str, str]) -> None:
    """As sudo 1.9.13p3 does with Debian's /etc/sudoers, executed with `sh -c 'echo $A'` in place of torchrun."""
    env: Variables = {"A": Word(text="1")}
    assert inner(line, env) == ["torchrun", "a.py"]
    assert {name: value and value.text for name, value in env.items()} == expected


def test_env_sets_and_unsets_variables() -> None:
    env: Variables = {"A": Word(text="0"), "B": Word(text="0"), "D": Word(text="0")}
    assert inner("env -u A --unset=B C=1 D=a=b torchrun a.py", env) == ["torchrun", "a.py"]
    assert {name: value and value.text for name, value in env.items()} == {"A": None, "B": None, "C": "1", "D": "a=b"}


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("uv run -m torch.distributed.run a.py", ["python", "-m", "torch.distributed.run", "a.py"]),
        ("uv run --frozen train.py --a", ["python", "train.py", "--a"]),
    ],
)
def test_uv_starts_python(line: str, command: list[str]) -> None:
    assert inner(line) == command


def test_an_option_that_the_shell_makes_is_unknown() -> None:
    assert unwrap("nsys", [Word(text="profile"), Word(text=f"-{UNKNOWN}"), Word(text="a")], {}) is None
    assert unwrap("numactl", [Word(text=UNKNOWN, splits=True), Word(text="a")], {}) is None


def test_commands_start_through_wrappers_and_shells() -> None:
    line = [Word(text=word) for word in shlex.split("nice timeout 9 sh -c 'A=1 env B=2 srun torchrun a.py'")]
    starts = [(each.words[0].text, sorted(each.env), each.unwraps) for each in started(line)]
    wrappers = [("nice", [], True), ("timeout", [], True), ("sh", [], False), ("env", ["A"], True)]
    assert starts == [*wrappers, ("srun", ["A", "B"], False)]
    hidden = hidden_launcher(line)
    assert hidden is not None
    assert (hidden.name, hidden.call.launcher) == ("srun", "torchrun")
