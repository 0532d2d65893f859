"""Errors of jsonschema for the keywords that `tools/crd_schemas.py` takes over from CRDs, at the value to change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jsonschema import ValidationError

from trainc.schema.paths import Path
from trainc.schema.rules.evaluation import EvaluationError, fields_of, holds
from trainc.schema.rules.values import Keys, Rule, duplicates, of_creation, with_name

FIRST = "the first one"
_PREFIX: dict[Path, Path] = {("metadata", "name"): ("metadata", "generateName")}


class BrokenRule(ValidationError):
    """Error about a value, at a path from it; `message` lacks the path of the value, with which it starts.

    `related` are the paths of other parts of the value that the error is about, with a note.
    """

    def __init__(self, message: str, path: Path = (), related: Iterable[Path] = (), note: str = "") -> None:
        super().__init__(message, path=path)
        self.depth = len(path)
        self.related = tuple(related)
        self.note = note


def unique(validator: Any, argument: bool, instance: object, schema: Any) -> Iterator[BrokenRule]:
    """Yield an error for each value that a set has twice, at the second."""
    for index, first, value in duplicates(instance) if isinstance(instance, list) else ():
        yield BrokenRule(f" has `{value}` twice", (index,), [(first,)], FIRST)


def distinct(validator: Any, defaults: Keys, instance: Any, schema: Any) -> Iterator[BrokenRule]:
    """Yield an error for each two items with the same keys, at the second."""
    for index, first, keys in duplicates(instance, defaults) if isinstance(instance, list) else ():
        values = " and ".join(f"`{value}`" for value in keys.values())
        message = f" has two items with the same {' and '.join(keys)}, {values}"
        second, former = ((each, *[key for key in keys if key in instance[each]][:1]) for each in (index, first))
        yield BrokenRule(message, second, [former], FIRST)


def rules(validator: Any, argument: list[Rule], instance: Any, schema: Any) -> Iterator[BrokenRule]:
    """Yield an error for each rule that a value breaks, at the first field that the rule names."""
    value = with_name(instance)
    for rule in of_creation(argument) if value is not None else ():
        message = rule["message"]
        try:
            is_broken = not holds(rule["rule"], value)
        except EvaluationError as error:
            # A value of the wrong type has an error of its own.
            others = {keyword: each for keyword, each in schema.items() if each is not argument}
            is_broken = bool(validator.evolve(schema=others).is_valid(instance))
            message = f"{error} evaluating rule: {message}"
        if is_broken:
            fields = (path if _has(instance, path) else _PREFIX.get(path, path) for path in fields_of(rule["rule"]))
            paths = [path for path in fields if _has(instance, path)]
            yield BrokenRule(f": {message}", paths[0] if paths else (), paths[1:], "with this field")


def _has(value: Any, path: Path) -> bool:
    for step in path:
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return True


ERRORS: dict[str, Callable[..., Iterator[BrokenRule]]] = {
    "uniqueItems": unique,
    "x-list-keys": distinct,
    "x-kubernetes-validations": rules,
}
