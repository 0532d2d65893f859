"""Expressions of shell and Python that take a part of the host name, or of a variable whose value is a name.

They are found in the text of a script, whatever the script does otherwise.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator

from trainc.commandline.patterns import glob, regular_expression
from trainc.commandline.python_parts import take_part
from trainc.commandline.text_filters import NAMES, text_filter
from trainc.record import Record

HOST_NAME = "HOSTNAME"
Take = Callable[[str], str]
_MOST = 20  # expressions of a text
_LONGEST = 300  # characters of a pipeline
_CUTTER = re.compile(rf"(?:{'|'.join((*NAMES, 'perl'))})\s")
_TEST = re.compile(r"e?grep\s+(?!(?:-\w+\s+)?-\w*o)")
_REDIRECTION = re.compile(r"\s[12&]?>{1,2}\s?[^\s'\"]+$")
_QUOTE = "[\"']?"
_HOST_COMMAND = r"hostname(?:\s+-s)?|uname\s+-n|cat\s+/etc/hostname"
_PYTHON_HOST = r"(?:socket\.)?gethostname\(\)|platform\.node\(\)|os\.uname\(\)(?:\.nodename|\[1\])"
_CHAIN = r"(?P<chain>(?:\.\w{1,20}\([^()]{0,40}\)|\[[^\[\]]{0,20}\]){1,5})"
_OFFSET = re.compile(r"\s*(?:\(\s*)?(-?\d{1,3})\s*(?:\)\s*)?(?::\s*(-?\d{1,3})\s*)?")


class NamePart(Record):
    """Expression at an index of a text, or a test whether a name matches.

    `source` is the variable with the name. `take` returns the part, empty if a test fails; it raises LookupError where
    Python does, and is None if the part is unknown.
    """

    text: str
    start: int
    source: str
    take: Take | None
    is_test: bool = False


def name_parts(text: str, variables: tuple[str, ...] = ()) -> list[NamePart]:
    """Return the expressions that take a part of the host name or of one of the variables, in order."""
    sources = {name: name for name in (HOST_NAME, *variables)}
    assigned = rf"(?:\$\((?:{_HOST_COMMAND})\)|`(?:{_HOST_COMMAND})`|{_PYTHON_HOST}|\$\{{?HOSTNAME\b\}}?)"
    for match in re.finditer(rf"\b(\w{{1,40}})\s?=\s?{_QUOTE}{assigned}{_QUOTE}(?=[\s;&)]|$)", text):
        sources.setdefault(match[1], HOST_NAME)
    finders = (_expansions, _pipelines, _tests, _fields, _python)
    parts = [part for find in finders for part in find(text, sources) if not _is_comment(text, part.start)]
    return sorted(parts, key=lambda part: part.start)[:_MOST]


def _is_comment(text: str, at: int) -> bool:
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip().startswith("#")


def _name(sources: dict[str, str]) -> str:
    return "|".join(map(re.escape, sources))


def _reference(sources: dict[str, str]) -> str:
    """Return the pattern of a reference to a variable, or of the host name's command, in quotes or not."""
    name = _name(sources)
    return rf"{_QUOTE}(?:\$(?:\{{({name})\}}|({name})\b)|\$\((?:{_HOST_COMMAND})\)|`(?:{_HOST_COMMAND})`){_QUOTE}"


def _source(match: re.Match[str], sources: dict[str, str], first: int = 1) -> str:
    return sources[match[first] or match[first + 1] or HOST_NAME]


def _expansions(text: str, sources: dict[str, str]) -> Iterator[NamePart]:
    """Yield `${NAME##*-}` and the like: section 3.5.3 of https://www.gnu.org/software/bash/manual/."""
    for match in re.finditer(rf"\$\{{({_name(sources)})(##?|%%?|//?|:)([^{{}}]{{1,60}})\}}", text):
        operator, argument = match[2], match[3]
        if operator == ":" and argument[0] in "-=?+":
            continue  # a default
        take = _substring(argument) if operator == ":" else _replacement(operator, argument)
        yield NamePart(text=match[0], start=match.start(), source=sources[match[1]], take=take)


def _substring(argument: str) -> Take | None:
    match = _OFFSET.fullmatch(argument)
    if match is None:
        return None
    start, length = int(match[1]), match[2]

    def take(name: str) -> str:
        rest = name[start:] if start >= -len(name) else ""
        return rest if length is None else rest[: int(length)]

    return take


def _replacement(operator: str, argument: str) -> Take | None:
    old, _, new = argument.partition("/") if operator[0] == "/" else (argument, "", "")
    pattern = glob(old)
    if pattern is None or set(new) & set("$`&\\\"'"):
        return None
    if operator[0] == "/":
        return lambda name: pattern.sub(new, name, 0 if operator == "//" else 1)

    def take(name: str) -> str:
        """Remove the shortest or longest prefix or suffix that matches."""
        ends = range(len(name) + 1)
        cuts = [cut for cut in ends if pattern.fullmatch(name[:cut] if operator[0] == "#" else name[cut:])]
        if not cuts:
            return name
        farthest = max(cuts) if operator in ("##", "%") else min(cuts)
        return name[farthest:] if operator[0] == "#" else name[:farthest]

    return take


def _pipelines(text: str, sources: dict[str, str]) -> Iterator[NamePart]:
    """Yield `hostname | cut -d- -f4`, `echo $NAME | …`, and filters that read `<<< $NAME` or /etc/hostname."""
    reference = _reference(sources)
    printed = rf"(?:echo|printf)\s+(?:-[neE]+\s+|[\"']%s(?:\\n)?[\"']\s+)?{reference}"
    for match in re.finditer(rf"(?<![\w$-])(?:{printed}|{_HOST_COMMAND})\s*\|(?!\|)", text):
        yield from _pipeline(text, match.start(), match.end(), [], _source(match, sources))
    commands = "|".join(NAMES)
    for match in re.finditer(rf"\b((?:{commands})\s[^|;&\n`]{{1,100}}?)\s(?:<<<\s*{reference}|/etc/hostname)", text):
        yield from _pipeline(text, match.start(), match.end(), [match[1]], _source(match, sources, 2))


def _pipeline(text: str, start: int, at: int, stages: list[str], source: str) -> Iterator[NamePart]:
    """Read the stages from an index to the end of the command; yield nothing if none of them takes a part."""
    begin, quote = at, ""
    while at < min(len(text), start + _LONGEST):
        character = text[at]
        if quote:
            quote = "" if character == quote else quote
            at += character == "\\" and quote == '"'
        elif character in "\"'":
            quote = character
        elif character in ");`&\n" or text.startswith("||", at):
            break
        elif character == "|":
            stages.append(text[begin:at])
            begin = at + 1
        at += 1
    stages.append(text[begin:at])
    stages = [stage.strip() for stage in stages if stage.strip()]
    if not any(map(_CUTTER.match, stages)):
        return
    filters = [_filter(stage) for stage in stages]

    def take(name: str) -> str:
        for apply in filters:
            assert apply is not None
            name = apply(name)
        return name.strip("\n")

    whole = text[start:at].strip()
    is_test = bool(_TEST.match(stages[-1]))
    yield NamePart(text=whole, start=start, source=source, take=take if all(filters) else None, is_test=is_test)


def _filter(stage: str) -> Take | None:
    try:
        return text_filter(shlex.split(_REDIRECTION.sub("", stage).replace("\\$", "$")))
    except ValueError:
        return None


def _tests(text: str, sources: dict[str, str]) -> Iterator[NamePart]:
    """Yield `[[ $NAME == *-0 ]]`, patterns of `case`, and `[[ $NAME =~ -([0-9]+)$ ]]` with the use of its group."""
    opening, closing = rf"(?:\[\[?|\btest)\s+{_reference(sources)}\s*", r"(?:\s*\]\]?)?"
    for match in re.finditer(rf"{opening}(?:==?|!=)\s*([^\s\]]{{1,60}}){closing}", text):
        yield _glob_test(match[0], match.start(), match[3], _source(match, sources))
    for case in re.finditer(rf"\bcase\s+{_reference(sources)}\s+in\b(.{{0,{_LONGEST}}}?)\besac\b", text, re.DOTALL):
        for match in re.finditer(r"(?:^|[\s(|;])([^\s()|;&]{1,60})(?=\)|\|)", case[3]):
            yield _glob_test(match[1], case.start(3) + match.start(1), match[1], _source(case, sources))
    for match in re.finditer(rf"{opening}=~\s*(\S{{1,60}}){closing}", text):
        expression, uses_group = regular_expression(match[3]), "BASH_REMATCH[1]" in text
        groups = expression is not None and uses_group and expression.groups
        take = None if expression is None else _matched(expression.search, 1 if groups else None)
        source = _source(match, sources)
        yield NamePart(text=match[0], start=match.start(), source=source, take=take, is_test=not groups)


def _glob_test(text: str, start: int, pattern: str, source: str) -> NamePart:
    name_pattern = glob(re.sub("[\"';]", "", pattern))
    take = None if name_pattern is None else _matched(name_pattern.fullmatch, None)
    return NamePart(text=text, start=start, source=source, take=take, is_test=True)


def _matched(find: Callable[[str], re.Match[str] | None], group: int | None) -> Take:
    def take(name: str) -> str:
        match = find(name)
        return "" if match is None else "1" if group is None else match[group] or ""

    return take


def _fields(text: str, sources: dict[str, str]) -> Iterator[NamePart]:
    """Yield the elements of an array of the name's parts: `IFS=- read -ra PARTS <<< $NAME`, `PARTS=(${NAME//-/ })`."""
    split = rf"IFS=[\"']?-[\"']?\s+read\s+(?:-r\s+)?-r?a\s+(\w{{1,40}})\s+<<<\s*{_reference(sources)}"
    replaced = rf"(\w{{1,40}})=\(\s*\$\{{({_name(sources)})(//)-/ \}}\s*\)"
    for array in (*re.finditer(split, text), *re.finditer(replaced, text)):
        element = rf"\$\{{{array[1]}\[\s*(?:(-?\d{{1,2}})|\$\{{#{array[1]}\[@\]\}}\s*-\s*(\d))\s*\]\}}"
        source = sources[array[2] or HOST_NAME] if array[3] == "//" else _source(array, sources, 2)
        for match in re.finditer(element, text):
            index = int(match[1]) if match[1] else -int(match[2])

            def take(name: str, index: int = index) -> str:
                parts = name.split("-")
                return parts[index] if -len(parts) <= index < len(parts) else ""

            yield NamePart(text=match[0], start=match.start(), source=source, take=take)


def _python(text: str, sources: dict[str, str]) -> Iterator[NamePart]:
    """Yield chains of methods and indexes, and searches."""
    name = _name(sources)
    variable = rf"environ\[[\"']({name})[\"']\]|(?:environ\.get|getenv)\([\"']({name})[\"'][^()]{{0,40}}\)|\b({name})\b"
    string = rf"(?:{_PYTHON_HOST}|(?:os\.)?(?:{variable}))"
    for match in re.finditer(rf"(?<!\$)(?<!\{{){string}{_CHAIN}", text):
        source = sources[next(filter(None, match.groups()[:3]), HOST_NAME)]
        take = take_part(match["chain"])
        yield NamePart(text=match[0], start=match.start(), source=source, take=take)
    search = rf"re\.(search|match|findall)\(\s*r?([\"'])(.{{1,60}}?)\2\s*,\s*{string}\s*\)(?:{_CHAIN})?"
    for match in re.finditer(search, text):
        source = sources[next(filter(None, match.groups()[3:6]), HOST_NAME)]
        pattern = regular_expression(match[3])
        take = None if pattern is None else take_part(match["chain"] or "", getattr(pattern, match[1]))
        yield NamePart(text=match[0], start=match.start(), source=source, take=take)
