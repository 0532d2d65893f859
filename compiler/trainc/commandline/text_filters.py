"""Filters of a pipeline that take a part of a line: cut, awk, sed, grep, tr, rev, head and tail.

https://pubs.opengroup.org/onlinepubs/9799919799/idx/utilities.html
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from trainc.commandline.argparse import parse, table
from trainc.commandline.patterns import regular_expression
from trainc.commandline.word import Word

Filter = Callable[[str], str]
Options = Mapping[str, str]  # an option without a value is empty

_SAME = {"gawk": "awk", "mawk": "awk", "egrep": "grep"}
_PRINT = re.compile(r"\s*\{\s*print\s+\$(?:(\d+)|(NF)|\(\s*NF\s*-\s*(\d+)\s*\))\s*(?:;\s*)?\}\s*")
_RANGE = re.compile(r"(\d{1,3})?(-)?(\d{1,3})?")
_PART = r"((?:\\.|(?!\1)[^\\\n])*)"
_SUBSTITUTION = re.compile(rf"\s*s([^\w\s\\]){_PART}\1{_PART}\1([gp]*)\s*(?:;|$)")
_REFERENCE = re.compile(r"\\(.)|&")
_CHARACTERS = re.compile(r"\[:([a-z]+):\]|\\?(.)(?:-(?=.)(.))?", re.DOTALL)
_NAMED = {"digit": string.digits, "alpha": string.ascii_letters, "punct": string.punctuation}
_NAMED |= {"alnum": string.digits + string.ascii_letters, "lower": string.ascii_lowercase}


def text_filter(words: Sequence[str]) -> Filter | None:
    """Return what a command makes of a line; None if that is unknown."""
    name = _SAME.get(words[0], words[0]) if words else ""
    if name not in _FILTERS:
        return None
    switches, values, build = _FILTERS[name]
    # `head -1` is `head -n 1`
    rest = [
        f"-n{word[1:]}" if "-n" in values and word[:1] == "-" and word[1:].isdecimal() else word for word in words[1:]
    ]
    parsed = parse(table(switches, values, abbreviates=False), [Word(text=word) for word in rest])
    if parsed.problem is not None:
        return None
    options = {name: option.text or "" for name, option in parsed.options.items()}
    if words[0] == "egrep":
        options["E"] = ""
    return build(options, [word.text for word in parsed.program])


def _cut(options: Options, arguments: list[str]) -> Filter | None:
    """-d takes one character. A line without it stays whole."""
    delimiter, fields, characters = options.get("d", "\t"), options.get("f"), options.get("c")
    ranges = _ranges(fields or characters or "")
    if arguments or ranges is None or len(delimiter) != 1:
        return None

    def apply(line: str) -> str:
        if characters:
            return "".join(_chosen(line, ranges))
        return delimiter.join(_chosen(line.split(delimiter), ranges)) if delimiter in line else line

    return apply


def _ranges(text: str) -> list[tuple[int, int]] | None:
    """Return the ranges of `2`, `4-`, `-3` and `1,3-5`, which count from 1."""
    matches = [_RANGE.fullmatch(part) for part in text.split(",")]
    if not all(match and (match[1] or match[3]) for match in matches):
        return None
    return [(int(m[1] or 1), int(m[3] or (1000 if m[2] else m[1]))) for m in matches if m]


def _chosen(parts: Sequence[str], ranges: list[tuple[int, int]]) -> list[str]:
    return [part for number, part in enumerate(parts, 1) if any(low <= number <= high for low, high in ranges)]


def _awk(options: Options, arguments: list[str]) -> Filter | None:
    program = _PRINT.fullmatch(arguments[0]) if len(arguments) == 1 else None
    separator = options.get("F", " ")
    pattern = re.compile(re.escape(separator)) if len(separator) == 1 else regular_expression(separator)
    if program is None or pattern is None:
        return None

    def apply(line: str) -> str:
        fields = [line, *(line.split() if separator == " " else pattern.split(line))]
        number = int(program[1]) if program[1] else len(fields) - 1 - int(program[3] or 0)
        return fields[number] if 0 <= number < len(fields) else ""

    return apply


def _sed(options: Options, arguments: list[str]) -> Filter | None:
    script = options.get("e", arguments[0] if arguments else "")
    if len(arguments) != ("e" not in options):
        return None
    steps, at = [], 0
    while at < len(script):
        match = _SUBSTITUTION.match(script, at)
        pattern = (
            regular_expression(match[2].replace(f"\\{match[1]}", match[1]), basic="E" not in options) if match else None
        )
        if match is None or pattern is None or ("p" in match[4]) is not ("n" in options):
            return None
        steps.append((pattern, match[3], "g" not in match[4]))
        at = match.end()

    def apply(line: str) -> str:
        changed = False
        for pattern, new, once in steps:
            line, count = pattern.subn(partial(_replaced, new), line, int(once))
            changed = changed or bool(count)
        return line if changed or "n" not in options else ""

    return apply if steps else None


def _replaced(new: str, match: re.Match[str]) -> str:
    """Return a replacement, in which `&` is the match, `\\1` a group, and other characters may be escaped."""

    def part(reference: re.Match[str]) -> str:
        name = reference[1]
        return match[0] if name is None else (match[int(name)] or "") if name.isdecimal() else name

    return _REFERENCE.sub(part, new)


def _grep(options: Options, arguments: list[str]) -> Filter | None:
    patterns = [options["e"]] if "e" in options else arguments
    pattern = regular_expression(patterns[0], basic="E" not in options) if len(patterns) == 1 else None
    if pattern is None:
        return None
    if "o" in options and "q" not in options:
        return lambda line: "\n".join(match[0] for match in pattern.finditer(line) if match[0])
    return lambda line: line if pattern.search(line) else ""


def _tr(options: Options, arguments: list[str]) -> Filter | None:
    sets = [_characters(argument) for argument in arguments]
    complement = "c" in options
    if "d" in options and len(sets) == 1 and sets[0]:
        return lambda line: "".join(each for each in line if (each in sets[0]) is complement)
    if complement or options or len(sets) != 2 or not sets[0] or not sets[1]:
        return None
    to = sets[1].ljust(len(sets[0]), sets[1][-1])
    return lambda line: line.translate(str.maketrans(sets[0], to[: len(sets[0])]))


def _characters(text: str) -> str:
    """Return the characters of `a-z`, `[:digit:]` and `\\n`; empty for an unknown class."""
    text = text.replace("\\n", "\n")
    if any(match[1] and match[1] not in _NAMED for match in _CHARACTERS.finditer(text)):
        return ""
    return "".join(
        _NAMED[match[1]]
        if match[1]
        else "".join(map(chr, range(ord(match[2]), min(ord(match[3] or match[2]), 127) + 1)))
        for match in _CHARACTERS.finditer(text)
    )


def _end(first: bool) -> Callable[[Options, list[str]], Filter | None]:
    """Return the builder of head or of tail."""

    def build(options: Options, arguments: list[str]) -> Filter | None:
        text = options.get("n") or options.get("c") or "10"
        if arguments or not text.isdecimal() or len(text) > 4:
            return None
        count = int(text)

        def apply(line: str) -> str:
            parts: Sequence[str] = f"{line}\n" if "c" in options else line.split("\n")
            part = parts[:count] if first else parts[max(len(parts) - count, 0) :]
            return part if isinstance(part, str) else "\n".join(part)

        return apply

    return build


def _rev(options: Options, arguments: list[str]) -> Filter | None:
    return None if arguments else lambda line: line[::-1]


_FILTERS: dict[str, tuple[str, str, Callable[[Options, list[str]], Filter | None]]] = {
    "cut": ("-s", "-d -f -c", _cut),
    "awk": ("", "-F", _awk),
    "sed": ("-E|-r -n", "-e", _sed),
    "grep": ("-o -q -E|-P", "-e", _grep),
    "tr": ("-d -c|-C", "", _tr),
    "rev": ("", "", _rev),
    "head": ("", "-n -c", _end(first=True)),
    "tail": ("", "-n -c", _end(first=False)),
}
NAMES = (*_FILTERS, *_SAME)
