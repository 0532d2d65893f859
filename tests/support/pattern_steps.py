"""Steps of a backtracking matcher for a regular expression, counted on its parse tree: the same on any machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

# Private modules, for which mypy has no types.
sre: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

Rest = Callable[[int], bool]
Matcher = Callable[[int, Rest], bool]
Characters = Callable[[str], bool]

# Bounded repetitions cost a constant factor. A low bound shows the growth on short strings.
BOUND = 3
BUDGET = 100_000
_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
_ANCHORS = {
    sre.AT_BEGINNING: "^",
    sre.AT_BEGINNING_STRING: r"\A",
    sre.AT_BOUNDARY: r"\b",
    sre.AT_NON_BOUNDARY: r"\B",
    sre.AT_END: "$",
    sre.AT_END_STRING: r"\Z",
}
SINGLE = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)
REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)


class TooManySteps(Exception):
    """More steps than any linear expression takes."""


def bounds(low: int, high: Any) -> tuple[int, int | None]:
    """Return the bounds of a repetition, capped at BOUND; None is unbounded."""
    return min(low, BOUND), None if high is sre.MAXREPEAT else min(high, BOUND)


def characters(item: tuple[Any, Any], flags: int) -> Characters:
    """Return the predicate of a node that matches one character."""
    operation, argument = item
    if operation is sre.ANY:
        return lambda character: bool(flags & re.DOTALL) or character != "\n"
    if operation is sre.IN:
        members = [_member(member, flags) for member in argument if member[0] is not sre.NEGATE]
        negated = argument[0][0] is sre.NEGATE
        return lambda character: any(member(character) for member in members) is not negated
    if operation is sre.NOT_LITERAL:
        return lambda character: character != chr(argument)
    return _member(item, flags)


def _member(member: tuple[Any, Any], flags: int) -> Characters:
    operation, argument = member
    if operation is sre.CATEGORY:
        category = re.compile(_CATEGORIES[argument], flags & re.ASCII)
        return lambda character: category.fullmatch(character) is not None
    low, high = argument if operation is sre.RANGE else (argument, argument)
    if flags & re.IGNORECASE:
        return lambda character: any(low <= ord(case) <= high for case in {*character.lower(), *character.upper()})
    return lambda character: low <= ord(character) <= high


class Steps:
    """Matcher of one expression that counts its steps. A node's matcher takes a position and the match of the rest."""

    def __init__(self, pattern: str, flags: int) -> None:
        tree = parser.parse(pattern, flags)
        self.flags = tree.state.flags
        self.text = ""
        self.count = 0
        self.groups: dict[int, tuple[int, int]] = {}
        self.end = 0
        self._match = self._sequence(list(tree))

    def of(self, method: str, text: str) -> int:
        """Return the steps of `match`, `fullmatch` or a scan for all matches, which includes a search."""
        self.text, self.count, self.groups = text, 0, {}
        if method == "match":
            self._match(0, self._accept)
        elif method == "fullmatch":
            self._match(0, len(text).__eq__)
        else:
            position = 0
            while position <= len(text):
                position = max(self.end, position + 1) if self._match(position, self._accept) else position + 1
        return self.count

    def _step(self) -> None:
        self.count += 1
        if self.count > BUDGET:
            raise TooManySteps

    def _accept(self, position: int) -> bool:
        self.end = position
        return True

    def _sequence(self, items: list[Any]) -> Matcher:
        matchers = [self._item(item) for item in items]

        def sequence(position: int, rest: Rest, index: int = 0) -> bool:
            if index == len(matchers):
                return rest(position)
            return matchers[index](position, lambda after: sequence(after, rest, index + 1))

        return matchers[0] if len(matchers) == 1 else sequence

    def _item(self, item: tuple[Any, Any]) -> Matcher:
        operation, argument = item
        if operation in SINGLE:
            accepts = self._character(item)
            return lambda position, rest: accepts(position) and rest(position + 1)
        if operation is sre.AT:
            return self._anchor(argument)
        if operation is sre.SUBPATTERN:
            return self._group(argument[0], self._sequence(list(argument[3])))
        if operation is sre.BRANCH:
            return self._branch([self._sequence(list(branch)) for branch in argument[1]])
        if operation in REPEATS:
            return self._repeat(operation, *bounds(*argument[:2]), list(argument[2]))
        if operation in (sre.ASSERT, sre.ASSERT_NOT):
            return self._look(operation is sre.ASSERT, *argument)
        if operation is sre.ATOMIC_GROUP:
            return self._atomic(self._sequence(list(argument)))
        if operation is sre.GROUPREF:
            return lambda position, rest: self._reference(position, self.groups.get(argument, (0, 0)), rest)
        if operation is sre.GROUPREF_EXISTS:
            group, present, absent = argument[0], self._sequence(argument[1]), self._sequence(argument[2] or [])
            return lambda position, rest: present(position, rest) if group in self.groups else absent(position, rest)
        raise NotImplementedError(operation)

    @staticmethod
    def _branch(branches: list[Matcher]) -> Matcher:
        def branch(position: int, rest: Rest) -> bool:
            for matcher in branches:  # noqa: SIM110  # Python 3.12 limits the depth of any()
                if matcher(position, rest):
                    return True
            return False

        return branch

    def _character(self, item: tuple[Any, Any]) -> Callable[[int], bool]:
        accepts = characters(item, self.flags)

        def character(position: int) -> bool:
            self._step()
            return position < len(self.text) and accepts(self.text[position])

        return character

    def _anchor(self, anchor: Any) -> Matcher:
        expression = re.compile(_ANCHORS[anchor], self.flags & (re.MULTILINE | re.ASCII))

        def at(position: int, rest: Rest) -> bool:
            self._step()
            return expression.match(self.text, position) is not None and rest(position)

        return at

    def _group(self, number: int | None, inner: Matcher) -> Matcher:
        if number is None:
            return inner

        def group(start: int, rest: Rest) -> bool:
            def close(position: int) -> bool:
                before = self.groups.get(number)
                self.groups[number] = (start, position)
                if rest(position):
                    return True
                self.groups.pop(number) if before is None else self.groups.update({number: before})
                return False

            return inner(start, close)

        return group

    def _reference(self, position: int, group: tuple[int, int], rest: Rest) -> bool:
        self._step()
        text = self.text[slice(*group)]
        return self.text.startswith(text, position) and rest(position + len(text))

    def _look(self, wanted: bool, direction: int, items: Any) -> Matcher:
        inner = self._sequence(list(items))
        back = items.getwidth()[0] if direction < 0 else 0

        def look(position: int, rest: Rest) -> bool:
            self._step()
            matches = position >= back and inner(position - back, lambda _: True)
            return matches is wanted and rest(position)

        return look

    def _atomic(self, inner: Matcher) -> Matcher:
        return lambda position, rest: inner(position, self._accept) and rest(self.end)

    def _repeat(self, operation: Any, low: int, high: int | None, items: list[Any]) -> Matcher:
        if operation is sre.POSSESSIVE_REPEAT:
            return self._atomic(self._repeat(sre.MAX_REPEAT, low, high, items))
        body = self._sequence(items)
        if operation is sre.MAX_REPEAT and len(items) == 1 and items[0][0] in SINGLE:
            return self._run(self._character(items[0]), low, high)

        def repeat(position: int, rest: Rest, count: int = 0) -> bool:
            def again(after: int) -> bool:
                if after == position and count >= low:  # an empty repetition ends the loop
                    return False
                return repeat(after, rest, count + 1)

            self._step()
            if count < low:
                return body(position, again)
            more = high is None or count < high
            if operation is sre.MIN_REPEAT:
                return rest(position) or (more and body(position, again))
            return (more and body(position, again)) or rest(position)

        return repeat

    def _run(self, accepts: Callable[[int], bool], low: int, high: int | None) -> Matcher:
        def run(start: int, rest: Rest) -> bool:
            end = start
            while (high is None or end - start < high) and accepts(end):
                end += 1
            return any(rest(position) for position in range(end, start + low - 1, -1))

        return run
