"""YAML parser: libyaml or, where it is missing or rejects valid YAML, ruamel.yaml's parser in Python."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType, SimpleNamespace

from trainc.typenames import Any

_COLON = re.compile(r"[ \t]*:")
# Set by `trainc` as a program: nothing else in the process imports ruamel.yaml, also no thread.
is_program = False

_LIBYAML = "_ruamel_yaml"
_PACKAGE = "ruamel.yaml"
# Modules that libyaml's binding imports for one exception each, and whether that has the position of the error.
_ERRORS = {
    "reader": ("ReaderError", False),
    "scanner": ("ScannerError", True),
    "parser": ("ParserError", True),
    "composer": ("ComposerError", True),
    "constructor": ("ConstructorError", True),
    "emitter": ("EmitterError", False),
    "serializer": ("SerializerError", False),
    "representer": ("RepresenterError", False),
}


def events(text: str, pure: bool = False) -> Iterator[Any]:
    """Iterate over the events of a text. The iterator raises YAMLError; it is libyaml's unless `pure`."""
    parser_class = None if pure else _libyaml()
    if parser_class is not None:
        return iter(parser_class(text).get_event, None)
    return _python_events(text)


def _python_events(text: str) -> Iterator[Any]:
    """Yield the events of ruamel.yaml's parser, empty values like libyaml after the colon, not at the next key."""
    from ruamel.yaml import YAML

    end: Any = None
    for event in YAML(typ="safe", pure=True).parse(text):
        start = event.start_mark
        if type(event).__name__ == "ScalarEvent" and start.index == event.end_mark.index and end is not None:
            match = _COLON.match(text, end.index, start.index)
            if match:
                column = end.column + match.end() - match.start()
                event.start_mark = event.end_mark = SimpleNamespace(index=match.end(), line=end.line, column=column)
        end = event.end_mark
        yield event


def _libyaml() -> Any:
    """Return the class of libyaml's parser, None if it is missing."""
    if _LIBYAML not in sys.modules:
        if is_program:
            _import_libyaml()
        import_module(_PACKAGE)  # imports it, if it can
    return getattr(sys.modules.get(_LIBYAML), "CParser", None)


class _LazyPackage(ModuleType):
    """`ruamel.yaml` without the names that its `__init__` imports; their first use runs that."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or self.__spec__ is None or self.__spec__.loader is None:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]  # loaded: no further lazy lookups
        self.__spec__.loader.exec_module(self)
        for module, (error, _) in _ERRORS.items():
            setattr(sys.modules[_LIBYAML], error, getattr(import_module(f"{_PACKAGE}.{module}"), error))
        return getattr(self, name)


def _import_libyaml() -> None:
    """Import libyaml's parser without the rest of ruamel.yaml, at a third of the cost: docs/adr/0013-cold-start.md."""
    ruamel = import_module("ruamel")
    spec = PathFinder.find_spec(_PACKAGE, ruamel.__path__)
    if spec is None or _PACKAGE in sys.modules or PathFinder.find_spec(_LIBYAML) is None:
        return
    package = _LazyPackage(_PACKAGE)
    package.__spec__, package.__path__, package.__file__ = spec, spec.submodule_search_locations or [], spec.origin
    sys.modules[_PACKAGE] = ruamel.__dict__["yaml"] = package
    errors = import_module(f"{_PACKAGE}.error")
    stubs = {f"{_PACKAGE}.{name}": ModuleType(name) for name in _ERRORS}
    for stub, (error, is_marked) in zip(stubs.values(), _ERRORS.values(), strict=True):
        base = errors.MarkedYAMLError if is_marked else errors.YAMLError
        setattr(stub, error, type(error, (base,), {}))
    sys.modules.update(stubs)
    import_module(_LIBYAML)
    for name in stubs:
        del sys.modules[name]
