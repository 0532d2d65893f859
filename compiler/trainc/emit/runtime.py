"""Runtime of compiled templates: the part of Jinja's that they use, without importing Jinja.

Names and meanings are Jinja's own (https://jinja.palletsprojects.com/en/stable/api/); emit/compiler.py refuses
a template that needs more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module

from trainc.emit.block import block
from trainc.emit.scalar import scalar
from trainc.systems.registry import NAMES, find
from trainc.typenames import Any, NoReturn

MARK = "\0"  # between the parts of a mark; values contain none, since `scalar` writes it as an escape
MARKED = "marked_"  # prefix of the modules of marked templates
finalize = scalar
missing: Any = object()
_METHODS = frozenset(dir(dict))


class TemplateRuntimeError(Exception):
    """Error of a template that shows when it runs."""


class Undefined:
    """Variable that the back end did not set: any use is an error."""

    def __init__(self, hint: str | None = None, obj: object = missing, name: str | None = None) -> None:
        self._what = f"{type(obj).__name__} has no {name}" if obj is not missing else f"{name} is undefined"

    def _fail(self, *args: object) -> NoReturn:
        raise TemplateRuntimeError(self._what)

    __bool__ = __eq__ = __hash__ = __iter__ = __len__ = __str__ = _fail


def internalcode(function: Any) -> Any:
    """Return the function: Jinja marks code that tracebacks omit."""
    return function


class _Context:
    """Variables of one rendering."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def resolve_or_missing(self, name: str) -> Any:
        return self._values.get(name, missing)

    def get_all(self) -> dict[str, Any]:
        return self._values


class Template:
    """Compiled template."""

    def __init__(self, root: Callable[[_Context], Iterator[str]]) -> None:
        self.root_render_func = root

    def new_context(
        self, values: dict[str, Any], shared: bool = False, local: dict[str, Any] | None = None
    ) -> _Context:
        return _Context({**values, **local} if local else values)

    def render(self, values: dict[str, Any]) -> str:
        """Return the text for these variables."""
        return "".join(self.root_render_func(_Context(values)))


class _Environment:
    """Filters, tests and other templates that a compiled template uses.

    Marked templates end each line of the text with MARK, template, MARK, line, MARK and the comment above that line.
    """

    undefined = Undefined
    concat = staticmethod("".join)

    def __init__(self, is_marked: bool = False) -> None:
        self._is_marked = is_marked
        self.filters: dict[str, Callable[..., Any]] = {"block": block, "indent": _indent}
        self.tests: dict[str, Callable[..., Any]] = {"none": lambda value: value is None}
        self._templates: dict[str, Template] = {}

    def get_template(self, name: str, parent: str | None = None) -> Template:
        if name not in self._templates:
            folder, _, _ = name.partition("/")
            if folder == "shared" or folder in NAMES:
                module = (MARKED if self._is_marked else "") + name.removesuffix(".yaml.j2").replace("/", "_")
                root = import_module(f"trainc.compiled_templates.{module}").root
            else:
                from trainc.emit.compiler import compile_plugin_template

                root = compile_plugin_template(find(folder).package, name, self._is_marked)
            self._templates[name] = Template(root)
        return self._templates[name]

    def getattr(self, value: Any, name: str) -> Any:
        if type(value) is dict and name not in _METHODS:
            return value[name] if name in value else Undefined(obj=value, name=name)
        if isinstance(value, Undefined):
            str(value)  # fails, and says what is undefined
        try:
            return getattr(value, name)
        except AttributeError:
            pass
        try:
            return value[name]
        except (TypeError, LookupError):
            return Undefined(obj=value, name=name)


def _indent(text: str, width: int, first: bool = False) -> str:
    """Indent every line that isn't blank but the first, like Jinja's filter."""
    pad = " " * width
    start = pad if first and text and text[0] != "\n" else ""
    indented = text.replace("\n", "\n" + pad)
    if "\n\n" in text:
        indented = re.sub(f"\n{pad}(?=\n)", "\n", indented)
    return start + (indented.removesuffix(pad) if text.endswith("\n") else indented)


environment = _Environment()
marked_environment = _Environment(is_marked=True)
