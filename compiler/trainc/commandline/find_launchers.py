"""The launchers that a command line starts, through shells, interpreters and wrappers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from trainc.commandline import tables
from trainc.commandline.argparse import Given, Parsed, Problem, parse, table
from trainc.commandline.shell import Variables, commands
from trainc.commandline.word import Word
from trainc.commandline.wrappers import unwrapped
from trainc.record import Record

Launcher = Literal["torchrun", "torch.distributed.launch", "deepspeed", "accelerate", "mpirun"]
_TABLES = {
    "torchrun": tables.torchrun,
    "torch.distributed.launch": tables.launch,
    "deepspeed": tables.deepspeed,
    "accelerate": tables.accelerate,
    "mpirun": tables.mpirun,
}
COMMANDS: dict[str, Launcher] = {
    "torchrun": "torchrun",
    "deepspeed": "deepspeed",
    "deepspeed.pt": "deepspeed",
    "accelerate-launch": "accelerate",
    "mpirun": "mpirun",
    "mpiexec": "mpirun",
    "orterun": "mpirun",
}
MODULES: dict[str, Launcher] = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "deepspeed.launcher.runner": "deepspeed",
    "deepspeed": "deepspeed",
    "accelerate.commands.launch": "accelerate",
}
# One of these is in the words of every command line that starts a launcher.
MENTIONS = ("torchrun", "torch.distributed", "deepspeed", "accelerate", "mpirun", "mpiexec", "orterun")
SHELLS = frozenset(("sh", "bash", "dash", "ash", "zsh", "ksh"))
PYTHON = re.compile(r"python([23](\.\d+)?)?|pypy3?")
# https://docs.python.org/3/using/cmdline.html
_FLAGS, _VALUES = "-u -O -OO -B -E -I -s -S -q -v -b -d -i -x -P -R", "-W -X -m -c"
_PYTHON_OPTIONS = table(_FLAGS, _VALUES, abbreviates=False).replace(last=frozenset(("m", "c")))
_DEEPEST = 8  # shells in shells


class Call(Record):
    """A launcher as it is started. `name` is the word that names it; variables as the shell has set them."""

    launcher: Launcher
    name: Word
    parsed: Parsed
    env: Variables

    @property
    def problem(self) -> Problem | None:
        """Where the launcher would end with a usage error."""
        return self.parsed.problem

    def given(self, option: str) -> Given | None:
        """An option, by what it sets: the argument, else for torchrun the variable that the shell has set for it."""
        found = self.parsed.options.get(option)
        if found is not None or not self.launcher.startswith("torch"):
            return found
        reads = option in tables.SINCE and option not in tables.WITHOUT_VARIABLE
        value = self.env.get(f"PET_{option.upper()}") if reads else None
        return Given(flag=value, value=value) if value is not None else None


def calls(argv: Sequence[Word], env: Variables | None = None, depth: int = 0) -> list[Call]:
    """All launchers that this surely starts, in order. Empty where it can't be told."""
    env = dict(env or {})
    words = list(argv)
    while words and words[0].known:
        name = words[0].text.rpartition("/")[2]
        if name in SHELLS:
            return _shell(words, env, depth)
        if PYTHON.fullmatch(name):
            return _python(words, env)
        if name == "accelerate" and len(words) > 1 and words[1].text == "launch":
            return [_call("accelerate", words[0], words[2:], env)]
        if name in COMMANDS:
            return _launcher(COMMANDS[name], words[0], words[1:], env, depth)
        inner = unwrapped(name, words[1:], env)
        if inner is None:
            return []
        words = inner
    return []


def _launcher(launcher: Launcher, name: Word, words: list[Word], env: Variables, depth: int) -> list[Call]:
    call = _call(launcher, name, words, env)
    # What mpirun starts may be a launcher again.
    inside = calls(call.parsed.program, env, depth + 1) if launcher == "mpirun" and depth < _DEEPEST else []
    return [call, *inside]


def _call(launcher: Launcher, name: Word, words: Sequence[Word], env: Variables) -> Call:
    return Call(launcher=launcher, name=name, parsed=parse(_TABLES[launcher](), words), env=env)


def _shell(words: list[Word], env: Variables, depth: int) -> list[Call]:
    """`sh -c TEXT`; a script in a file is nobody's to read."""
    text = shell_text(words)
    if text is None or not text.known or depth >= _DEEPEST or not any(name in text.text for name in MENTIONS):
        return []
    found: list[Call] = []
    for command in commands(text.text, text.span, env):
        found += calls(command.words, {**env, **command.env}, depth + 1)
    return found


def shell_text(words: Sequence[Word]) -> Word | None:
    """The text behind -c, -lc or -euo pipefail -c."""
    at, wanted = 1, False
    while at < len(words):
        option = words[at].text
        if not option.startswith(("-", "+")) or not words[at].known:
            return words[at] if wanted else None
        if option in ("-", "--"):
            return words[at + 1] if wanted and at + 1 < len(words) else None
        if not option.startswith("--"):
            wanted = wanted or "c" in option[1:]
            at += option[-1:] in ("o", "O")
        elif option in ("--rcfile", "--init-file"):
            at += 1
        at += 1
    return None


def _python(words: list[Word], env: Variables) -> list[Call]:
    parsed = parse(_PYTHON_OPTIONS, words[1:])
    program = parsed.program
    module = parsed.options.get("m")
    if module is not None and module.value is not None and module.value.known:
        name = module.value
        if name.text == "accelerate.commands.accelerate_cli" and program and program[0].text == "launch":
            return [_call("accelerate", name, program[1:], env)]
        return [_call(MODULES[name.text], name, program, env)] if name.text in MODULES else []
    script = program[0] if program and "c" not in parsed.options else None
    name_of = script.text.rpartition("/")[2] if script is not None and script.known else ""
    if script is None or name_of not in ("torchrun", "deepspeed"):
        return []
    return [_call(COMMANDS[name_of], script, program[1:], env)]
