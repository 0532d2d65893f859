"""Launchers that a command line starts, through shells, interpreters and wrappers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainc.commandline.argparse import Parsed, ParsedOption, Table, parse, table
from trainc.commandline.shell import Variables
from trainc.commandline.word import Word
from trainc.commandline.wrappers import started
from trainc.launchers.registry import (
    COMMANDS,
    FRAMEWORK_COMMANDS,
    FRAMEWORK_MENTIONS,
    MENTIONS,
    MODULES,
    SCRIPTS,
    STARTS_COMMANDS,
    plugin_commands,
)
from trainc.record import Record

PYTHON = re.compile(r"python([23](\.\d+)?)?|pypy3?")
# https://docs.python.org/3/using/cmdline.html
_FLAGS, _VALUES = "-u -O -OO -B -E -I -s -S -q -v -b -d -i -x -P -R", "-W -X -m -c"
_PYTHON_OPTIONS = table(_FLAGS, _VALUES, abbreviates=False).replace(last=frozenset(("m", "c")))
_MAX_DEPTH = 8  # launchers that start launchers


class Call(Record):
    """Start of a launcher. `name` is the word that names it; `env` are the variables as the shell has set them.

    `framework` is the command that starts the launcher with a command line of its own, empty for none.
    """

    launcher: str
    name: Word
    grammar: Table
    parsed: Parsed
    env: Variables
    framework: str = ""

    @property
    def title(self) -> str:
        """Command that the user wrote, for messages."""
        return self.framework or self.launcher

    def option(self, name: str) -> ParsedOption | None:
        """Return an option: the argument, else the variable that the launcher reads in its place."""
        variable = self.env.get(self.grammar.variables.get(name, ""))
        from_variable = ParsedOption(flag=variable, value=variable) if variable is not None else None
        return self.parsed.options.get(name, from_variable)

    def value(self, name: str) -> Word | None:
        """Return the value of an option; None for a missing option and for a switch."""
        option = self.option(name)
        return option.value if option else None


def calls(argv: Sequence[Word], env: Variables | None = None, depth: int = 0, plugins: bool = False) -> list[Call]:
    """Return the launchers that a command line certainly starts, in order; none where that can't be known.

    With `plugins`, launchers of other distributions are searched, too. `depth` is that of launchers in launchers.
    """
    mentions = (*MENTIONS, *FRAMEWORK_MENTIONS, *(plugin_commands() if plugins else ()))
    return [call for line in started(argv, env, mentions) for call in _launchers(line.words, line.env, depth, plugins)]


def _launchers(words: Sequence[Word], env: Variables, depth: int, plugins: bool) -> list[Call]:
    """Return the launcher that a command is, or that a Python or a framework starts, and those that it starts."""
    name = words[0].base_name
    if PYTHON.fullmatch(name):
        return _python(words, env)
    if launchers := _calls(COMMANDS, name, words, env, depth, plugins):
        return launchers
    if name in FRAMEWORK_COMMANDS:
        return _framework(name, words, env, depth)
    return _calls(plugin_commands(), name, words, env) if plugins else []


def _calls(
    launchers: dict[str, str], name: str, words: Sequence[Word], env: Variables, depth: int = 0, plugins: bool = False
) -> list[Call]:
    """Return the launcher of a command or module, and those that it starts; none if the name is no launcher's."""
    for key, start in ((" ".join([name, *(word.text for word in words[1:2])]), 2), (name, 1)):
        if key in launchers:
            launcher = launchers[key]
            from trainc.launchers.grammars import grammar

            options = grammar(launcher)
            parsed = parse(options, words[start:])
            call = Call(launcher=launcher, name=words[0], grammar=options, parsed=parsed, env=env)
            nests = launcher in STARTS_COMMANDS and depth < _MAX_DEPTH
            return [call, *(calls(parsed.program, env, depth + 1, plugins) if nests else [])]
    return []


def _framework(name: str, words: Sequence[Word], env: Variables, depth: int) -> list[Call]:
    """Return the launcher that a framework's command starts, at the position of that command."""
    from trainc.launchers.frameworks import FRAMEWORKS, find_framework

    start = find_framework(name, words[1:])
    if start is None:
        return []
    framework, arguments = start
    line = FRAMEWORKS[framework].launcher_line(arguments, env)
    if not line:
        return []
    first, *rest = line
    launchers = calls([words[0].replace(text=first.text), *rest], env, depth + 1)
    return [call.replace(framework=framework) for call in launchers[:1]]


def _python(words: Sequence[Word], env: Variables) -> list[Call]:
    parsed = parse(_PYTHON_OPTIONS, words[1:])
    program = parsed.program
    module = parsed.options.get("m")
    if module is not None and module.value is not None:
        return _calls(MODULES, module.text or "", [module.value, *program], env)
    script = program[0].base_name if program and program[0].known and "c" not in parsed.options else ""
    return _calls(COMMANDS, script, program, env) if script in SCRIPTS else []
