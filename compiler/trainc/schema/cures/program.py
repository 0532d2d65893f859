"""Commands of other tools as `run`: interpreters and launchers are left out, a shell's text is run by a shell."""

from __future__ import annotations

import re
import shlex
from itertools import dropwhile
from typing import Any

from trainc.commandline.shell import SHELLS
from trainc.commandline.word import words as command_words
from trainc.launchers.find_launchers import PYTHON, calls
from trainc.schema.cures.shape import Replacement, Shape
from trainc.schema.hints import folded
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Text

KINDS = ("python", "module", "exec", "entrypoint")
_COMMANDS = ("command", "cmd", "entrypoint", "script", "program", "shell", "bash", "sh")
_ARGUMENTS = ("args", "arguments", "scriptargs")
_SHELLS = ("shell", "bash", "sh")
# What only a shell interprets: operators, expansions, several lines, and assignments before the command.
_SHELL_TEXT = re.compile(r"[;&|<>$`*?~\n]|^\s*\w+=")


def program(node: Node) -> Replacement | None:
    """Return `run` for a command line, a list of words, or a mapping of a command and arguments."""
    if not isinstance(node, Mapping):
        return _run(node)
    parts = {folded(name): value for name, value in node.items()}
    kinds = [name for name in node.entries if name in KINDS and (name != "entrypoint" or "command" not in parts)]
    commands = [name for name in parts if name in _COMMANDS and name not in kinds]
    arguments = [word for name in _ARGUMENTS if name in parts for word in _words(parts[name]) or [None]]
    if len(kinds) + len(commands) != 1 or None in arguments or parts.keys() - {*kinds, *commands, *_ARGUMENTS}:
        return None
    if kinds:
        words = _words(parts[kinds[0]])
        return Replacement(value={kinds[0]: [*words, *arguments]}) if words else None
    if commands[0] in _SHELLS:
        return None if arguments else _shell(parts[commands[0]])
    return _run(parts[commands[0]], arguments)


def in_shell(*start: str) -> Shape:
    """Return the shape of a program's words that are one text for a shell, which would pass its signs as arguments."""

    def shape(node: Node, spec: Mapping) -> Replacement | None:
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or not _SHELL_TEXT.search(node.text):
            return None
        return Replacement(value=["bash", "-c", " ".join((*start, node.text.strip()))], field=".exec")

    return shape


def _words(node: Node) -> list[Any]:
    """Return the words of a list, or of a command line without a shell's signs; none for anything else."""
    if isinstance(node, Sequence):
        return list(node.items) if all(isinstance(item, Scalar) and item.text for item in node.items) else []
    if not isinstance(node, Scalar) or _SHELL_TEXT.search(node.text):
        return []
    try:
        return [Text(word, node.span) for word in shlex.split(node.text)]
    except ValueError:
        return []


def _shell(node: Node) -> Replacement | None:
    text = node.value.strip() if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    return Replacement(value={"exec": ["bash", "-c", Text(text, node.span)]}) if text else None


def _run(node: Node, arguments: list[Any] | None = None) -> Replacement | None:
    words = _words(node)
    if words and _text(words[0]) == "srun":  # Slurm's, with options that have `=` or a dash
        words = list(dropwhile(lambda word: _text(word).startswith("-"), words[1:])) or words
    if words:
        return _without_launcher([*words, *(arguments or [])])
    return None if arguments else _shell(node)


def _text(word: Any) -> str:
    return word.text if isinstance(word, Scalar) else str(word)


def _without_launcher(words: list[Any]) -> Replacement:
    texts = list(map(_text, words))
    name = texts[0].rpartition("/")[2]
    launchers = calls(command_words(texts)) if name not in SHELLS else []
    program = launchers[-1].parsed.program if launchers else ()
    if not program:
        return Replacement(value=_without_interpreter(words, texts))
    rest, call = words[-len(program) :], launchers[-1]
    is_module = call.option("module") is not None
    run = {"module": rest} if is_module else _without_interpreter(rest, texts[-len(rest) :])
    options = any(launcher.parsed.options.keys() - {"module"} for launcher in launchers)
    return Replacement(value=run, note=f"with the options of {call.launcher} in `spec.launch`" if options else "")


def _without_interpreter(words: list[Any], texts: list[str]) -> dict[str, Any]:
    name = texts[0].rpartition("/")[2]
    if PYTHON.fullmatch(name):
        start = next((index for index, text in enumerate(texts) if index and text != "-u"), len(texts))
        if texts[start : start + 1] == ["-m"] and len(texts) > start + 1:
            return {"module": words[start + 1 :]}
        return {"exec": words} if start == len(texts) or texts[start].startswith("-") else {"python": words[start:]}
    if name.endswith(".py"):
        return {"python": words}
    return {"exec": ["bash", *words] if texts[0].endswith(".sh") and "/" not in texts[0] else words}
