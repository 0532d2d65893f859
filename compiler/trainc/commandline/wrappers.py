"""Wrapper commands, which start the rest of their line: env, exec, numactl, nsys, timeout and others.

With an option that is not in wrapper_tables.py, it is not known what the wrapper starts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from trainc.commandline.argparse import Parsed, Table, parse, table
from trainc.commandline.shell import SHELLS, Variables, commands, shell_script
from trainc.commandline.word import UNKNOWN, Word
from trainc.commandline.wrapper_tables import RUNNERS, SUDO, WRAPPERS, Wrapper
from trainc.record import Record

_NSYS_STARTS = ("profile", "launch")
_MAX_DEPTH = 8  # nested shells


class Started(Record):
    """Command line that certainly starts, with the variables as the shell has set them.

    One that `unwraps` is a wrapper that starts the next one.
    """

    words: tuple[Word, ...]
    env: Variables
    unwraps: bool


def started(
    argv: Sequence[Word], env: Variables | None = None, mentions: Collection[str] = ("",), depth: int = 0
) -> Iterator[Started]:
    """Yield a command line and those that it certainly starts, through wrappers and scripts of shells.

    Only scripts with one of the `mentions` are parsed.
    """
    line, env = list(argv), env or {}
    while line and line[0].known:
        inner_env = dict(env)
        is_shell = line[0].base_name in SHELLS
        inner = None if is_shell else unwrap(line[0].base_name, line[1:], inner_env)
        yield Started(words=tuple(line), env=env, unwraps=inner is not None)
        if inner is None:
            break
        line, env = inner, inner_env
    script = shell_script(line)
    if script is None or not script.known or depth == _MAX_DEPTH or not any(map(script.text.__contains__, mentions)):
        return
    for command in commands(script.text, script.span, env):
        yield from started(command.words, {**env, **command.env}, mentions, depth + 1)


def unwrap(name: str, words: list[Word], env: Variables) -> list[Word] | None:
    """Return the words after a wrapper and its options, None if it is unknown. Its variables are added to `env`."""
    if name in _SPECIAL:
        return _SPECIAL[name](words, env)
    if name in RUNNERS:
        return _unwrap_runner(name, words)
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return None
    parsed = _parse(name, wrapper, words)
    if name == SUDO and parsed.complete:
        return _unwrap_sudo(parsed, env)
    return list(parsed.program[wrapper.positionals :]) if parsed.complete else None


def is_wrapper(name: str) -> bool:
    """Return whether a command is in the tables; its options may be unknown all the same."""
    return name in _SPECIAL or name in WRAPPERS or name in RUNNERS


def _parse(name: str, wrapper: Wrapper, words: list[Word]) -> Parsed:
    """Parse the options as the wrapper does where it is no argparse."""
    if name == "nice" and words and words[0].text[1:].isdecimal() and words[0].text[0] in "-+":  # nice -10
        words = words[1:]
    if name == "ncu":  # an option of another version that has its value attached is one word in any case
        words = list(_without_attached(words, wrapper.table))
    if name == "xvfb-run":
        words = _attach_values(words, wrapper.table)
    return parse(wrapper.table, words)


def _attach_values(words: list[Word], known: Table) -> list[Word]:
    """Return the words with every value attached to its option, so that it may start with a dash."""
    attached, rest = [], list(words)
    while len(rest) > 1 and (option := known.options.get(rest[0].text)) is not None:
        flag = rest.pop(0)
        if option[1] == 1:
            separator = "=" if flag.text.startswith("--") else ""
            flag = flag.replace(text=f"{flag.text}{separator}{rest.pop(0).text}")
        attached.append(flag)
    return attached + rest


def _without_attached(words: list[Word], known: Table) -> list[Word]:
    """Return the words without `--option=value` before the command, if the option is not in the table."""
    words_before: list[Word] = []
    for at, word in enumerate(words):
        takes_value = bool(words_before) and known.options.get(words_before[-1].text, ("", 0))[1] == 1
        if not word.text.startswith("-") and not takes_value:
            return words_before + words[at:]
        name, equals, _ = word.text.partition("=")
        if takes_value or not (equals and name.startswith("--")) or name in known.options:
            words_before.append(word)
    return words_before


def _unwrap_runner(name: str, words: list[Word]) -> list[Word] | None:
    """Return the command after `run` and its options; `uv run -m MODULE` and `uv run FILE.py` start Python."""
    wrapper = RUNNERS[name]
    before = parse(wrapper.table, words)
    if not before.complete or not before.program or before.program[0].text != wrapper.subcommand:
        return None
    parsed = parse(wrapper.table, before.program[1:])
    command = list(parsed.program)
    if not parsed.complete or not command:
        return command if parsed.complete else None
    python = command[0].replace(text="python")
    if name == "hatch":
        return _without_environment(list(before.program[1:]))
    if name == "uv" and "module" in parsed.options:
        return [python, parsed.options["module"].flag.replace(text="-m"), *command]
    if name == "uv" and ("script" in parsed.options or command[0].text.endswith(".py")):
        return [python, *command]
    return command


def _without_environment(command: list[Word]) -> list[Word] | None:
    """Return the command of `hatch run ENV:COMMAND`; None with choices of a matrix, in which several may start."""
    if command[0].text.startswith(("+", "-")):
        return None
    return [command[0].replace(text=command[0].text.partition(":")[2] or command[0].text), *command[1:]]


def _unwrap_env(words: list[Word], env: Variables) -> list[Word] | None:
    """`env -u C A=b command`, as executed with GNU coreutils 9.1; with -i, `-` and -S what starts is unknown."""
    known = table("-0|--null -v|--debug", "-u|--unset -C|--chdir", optional="--block-signal --default-signal")
    rest = words
    while rest and rest[0].text.startswith("-"):  # one option at a time: -u may be repeated
        count = 2 if rest[0].text in ("-u", "--unset", "-C", "--chdir") else 1
        if rest[0].text == "--":
            rest = rest[1:]
            break
        parsed = parse(known, rest[:count])
        if not parsed.complete or rest[0].text == "-":
            return None
        unset = parsed.options.get("unset")
        if unset is not None and unset.value is not None:
            env[unset.value.text] = None
        rest = rest[count:]
    return _assign(list(rest), env)


def _assign(command: list[Word], env: Variables) -> list[Word]:
    """Return a command without the assignments before it, which are added to `env`."""
    while command and "=" in command[0].text:
        assignment = command.pop(0)
        variable, _, value = assignment.text.partition("=")
        env[variable] = assignment.replace(text=value)
    return command


def resets_environment(parsed: Parsed) -> bool:
    """Return whether sudo starts its command without the variables of its own environment.

    The flag env_reset is on by default, also in Debian's /etc/sudoers: sudoers(5), "Command environment".
    """
    return parsed.options.keys().isdisjoint(("E", "preserve_env"))


def _unwrap_sudo(parsed: Parsed, env: Variables) -> list[Word]:
    if resets_environment(parsed):
        env.clear()
    return _assign(list(parsed.program), env)


def _unwrap_instrument(words: list[Word]) -> list[Word] | None:
    """Return the program that `opentelemetry-instrument` 0.66b2 starts: its options have a value each."""
    rest = words
    while rest and rest[0].text.startswith("-"):
        if not rest[0].text.startswith("--") or rest[0].text in ("--", "--help", "--version"):
            return None
        rest = rest[1 if "=" in rest[0].text else 2 :]
    return rest


def _unwrap_nsys(words: list[Word]) -> list[Word] | None:
    """Return the program that `nsys profile` or `nsys launch` starts.

    Every option has a value, after a space or attached, as executed with Nsight Systems 2022.4.2; with `--` it exits.
    https://docs.nvidia.com/nsight-systems/UserGuide/index.html#command-line-options
    """
    if not words or words[0].text not in _NSYS_STARTS:
        return None
    rest = words[1:]
    while rest and rest[0].text.startswith("-"):
        text = rest[0].text
        if text == "--" or UNKNOWN in text.partition("=")[0]:
            return None
        is_attached = "=" in text if text.startswith("--") else len(text) > 2
        rest = rest[1 if is_attached else 2 :]
    return rest


# Wrappers with a grammar of their own.
_SPECIAL: dict[str, Callable[[list[Word], Variables], list[Word] | None]] = {
    "env": _unwrap_env,
    "nsys": lambda words, _: _unwrap_nsys(words),
    "opentelemetry-instrument": lambda words, _: _unwrap_instrument(words),
}
