"""Runtime of compiled templates: the part of Jinja's that they use, without importing Jinja.

Names and meanings are Jinja's own (https://jinja.palletsprojects.com/en/stable/api/); emit/compiler.py refuses
a template that needs more. A template yields pieces of its own text and, apart from it, the values that it prints.
"""

from __future__ import annotations

from collections.abc import Callable

from trainc.typenames import Any, ClassVar, NoReturn

# Between a line of a template's text, the template's name, the line's number, and the comment above the line.
MARK = "\0"
missing: Any = object()
Printed = tuple[Any]
_METHODS = frozenset(dir(dict))


class TemplateRuntimeError(Exception):
    """Error of a template that shows when it runs."""


def _undefined(hint: str | None = None, obj: object = missing, name: str | None = None) -> NoReturn:
    """Raise the error of a variable that the back end did not set."""
    raise TemplateRuntimeError(f"{type(obj).__name__} has no {name}" if obj is not missing else f"{name} is undefined")


def internalcode(function: Any) -> Any:
    """Return the function: Jinja marks code that tracebacks omit."""
    return function


def finalize(value: Any) -> Printed:
    """Return a value that a template prints, which is no text of the template."""
    return (value,)


Undefined = _undefined  # compiled templates import it under the name of Jinja's class


class Context:
    """Variables of one rendering."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def resolve_or_missing(self, name: str) -> Any:
        return self._values.get(name, missing)


class _Environment:
    """Tests and attributes of values, for compiled templates."""

    undefined = staticmethod(_undefined)
    concat = None  # of parts that are rendered apart, which no template has
    filters: ClassVar[dict[str, Callable[..., Any]]] = {}
    tests: ClassVar[dict[str, Callable[..., Any]]] = {"none": lambda value: value is None}

    def getitem(self, value: Any, key: Any) -> Any:
        try:
            return value[key]
        except (TypeError, LookupError):
            _undefined(obj=value, name=key)

    def getattr(self, value: Any, name: str) -> Any:
        if type(value) is dict and name not in _METHODS:
            return value[name] if name in value else _undefined(obj=value, name=name)
        try:
            return getattr(value, name)
        except AttributeError:
            pass
        try:
            return value[name]
        except (TypeError, LookupError):
            _undefined(obj=value, name=name)


environment = _Environment()
