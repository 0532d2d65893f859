"""ruamel.yaml's parser in Python, where libyaml is missing: the same positions, and help for syntax errors."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.command import trainc
from trainc.source.parser import events

HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}\nspec:\n"


def values(text: str, pure: bool) -> list[Any]:
    """Return the scalars with their positions."""
    return [
        (event.value, event.start_mark.line, event.start_mark.column, event.end_mark.line, event.end_mark.column)
        for event in events(text, pure)
        if type(event).__name__ == "ScalarEvent"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a:\n  b:\n  c: 1\n",
        "a:\n",
        "a:",
        "a: \n\n# c: d\nb: 1\n",
        "a:   # c\nb: 1\n",
        "a: !!str\nb: &x\nc: \n",
        "- a:\n- b:\n- \n",
        'a: ""\nb: \'\'\n"c" :\nd: |\n  x\ne:\n',
        "é:\n  😀:\nb:\n",
    ],
)
def test_empty_values_are_after_the_colon_in_both_parsers(text: str) -> None:
    assert values(text, pure=True) == values(text, pure=False)


@pytest.mark.parametrize(
    ("spec", "help_"),
    [
        ("  run: a: b\n", "quote the value if it contains `: `"),
        ("  run: [a\n  image: b\n", "close the list that starts with `[`"),
        ("  run: {a: b\n  image: b\n", "close the mapping that starts with `{`"),
        ("  run: }\n", "close the list or mapping"),
        ("  run:\n    a: b\n   c: d\n", "fix the indentation of this line or the line above"),
        ("  run: @a\n", "quote the value"),
        ("  run:\n\ta: b\n", "indent with spaces"),
    ],
)
def test_syntax_errors_have_help(spec: str, help_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = trainc("check", "-", stdin=HEAD + spec)
    assert f"= help: {help_}\n" in expected.err
    monkeypatch.setattr("trainc.source.parser._libyaml", lambda: None)
    assert f"= help: {help_}\n" in trainc("check", "-", stdin=HEAD + spec).err
