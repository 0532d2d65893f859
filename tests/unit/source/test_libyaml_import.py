"""The program imports libyaml's binding without the rest of ruamel.yaml, which stays usable."""

from __future__ import annotations

from tests.support.imports import imported_modules

LOAD = """
from trainc.source import parser
from trainc.source.load import load
from trainc.span import Source
parser.is_program = True
assert load(Source("", "a: 1"))[0][0].entries["a"].value.value == 1
"""
INVALID = (
    LOAD
    + """
for text in ("a: [", "a: b: c", "a: \\x07", "a: *b", "- a: 'x"):
    assert load(Source("", text))[1], text
assert load(Source("", 'a: "\\\\ud83d\\\\ude00"'))[0][0].entries["a"].value.value == "\\U0001f600"  # not by libyaml
"""
)
WHOLE = (
    LOAD
    + """
import _ruamel_yaml
import ruamel.yaml
YAML = ruamel.yaml.YAML
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.scanner import ScannerError
for text, error in (("a: b: c", ScannerError), ("a: \\x07", ReaderError)):
    try:
        list(YAML(typ="safe").parse(text))
        raise AssertionError(text)
    except error:
        pass
assert YAML(typ="safe").load("a: [1]") == {"a": [1]}
assert ruamel.yaml.error is __import__("sys").modules["ruamel.yaml.error"]
"""
)
REST = {f"ruamel.yaml.{name}" for name in ("main", "constructor", "representer", "resolver", "scanner", "comments")}


def test_the_rest_of_the_package_is_imported_on_its_first_use() -> None:
    valid, invalid, whole = imported_modules((LOAD, ""), (INVALID, ""), (WHOLE, ""))
    assert not valid & (REST | {"typing_extensions", "datetime", "glob"})
    assert invalid >= REST
    assert whole >= REST
