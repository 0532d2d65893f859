"""Formatting moves whitespace only: other programs read the same values, tokens and comments as before."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from tests.support.examples import EXAMPLES, ROOT, example_path
from tests.support.reindent import reindent
from trainc.schema.edits import apply_edits
from trainc.source.formatting import format_edits
from trainc.source.load import load
from trainc.span import Source

FOLDERS = ("bad", "good", "silent", "own_system", "imported", "bad_projects", "policy", "clusters")
OTHERS = sorted(path for folder in FOLDERS for path in (ROOT / "tests/acceptance" / folder).rglob("*.y*ml"))
# Parts of YAML that a change of a text inserts; anchors, tags, headers of block scalars, brackets, comments.
PARTS = (
    *(" ", "  ", "\n", "   \n", "\t", "# c\n", "#", "- ", "-   ", "-\n", "k: ", "k:\n", "'", '"', "[", "]", "{", "}"),
    *(",", "&x ", "*x", "!t ", "!!str\n", "? ", ": ", "---\n", "--- ", "...\n", "\\\n", "|\n", "|2\n", ">+\n", "|-\n"),
)
# Each kind of value that has several lines.
VALUES = """\
# top
a: &x   # c
    - 1
    -   b: |2
           foo

           bar
        c: "multi
           line \\
           x"
    - - x
      - y: >+
          fold

          more

    # end of list
d:
   plain
   multi
e: {a: 1,
    b: [1,
   2], # c
  }
f: !!str
   |
   text
g:
  # only
h: 'x

  y'
? k
: v
i:
- !!map
  z: *x
- "q"
"""


def formatted(text: str) -> str:
    source = Source("a.yaml", text)
    return apply_edits(source, format_edits(source))


def events(text: str, loader: Any) -> list[Any] | None:
    """Return what PyYAML reads, None if it rejects the text."""
    try:
        return [
            (type(each).__name__, *(getattr(each, name, None) or None for name in ("anchor", "tag", "style", "value")))
            for each in yaml.parse(text, loader)
        ]
    except yaml.YAMLError:
        return None


def ruamel_values(text: str) -> list[str] | None:
    try:
        return [repr(each) for each in YAML(typ="safe", pure=True).load_all(text)]
    except (YAMLError, ValueError, TypeError, AttributeError):  # of a tag, or a key that is a list
        return None


def comments(text: str) -> list[str] | None:
    """Return the comments between PyYAML's tokens."""
    try:
        tokens = list(yaml.scan(text))
    except yaml.YAMLError:
        return None
    gaps = [text[one.end_mark.index : other.start_mark.index] for one, other in pairwise(tokens)]
    return [each.rstrip() for gap in gaps for each in re.findall(r"#[^\r\n]*", gap)]


def check(text: str) -> str:
    """Format a text, and compare what other programs read before and after."""
    after = formatted(text)
    for loader in (yaml.Loader, yaml.CLoader):
        before = events(text, loader)
        assert before is None or events(after, loader) == before
    values = ruamel_values(text)
    assert values is None or ruamel_values(after) == values
    remarks = comments(text)
    assert remarks is None or comments(after) == remarks
    assert re.sub(r"\s", "", after) == re.sub(r"\s", "", text)
    assert formatted(after) == after
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        (" \n\n", ""),
        ("a: 1", "a: 1\n"),
        ("a: 1\n\n\n", "a: 1\n"),
        ("a: 1\r\n\r\n\r\nb:\r\n    c: 1", "a: 1\r\n\r\nb:\r\n  c: 1\r\n"),
        ("\ufeffa: 1 \nb:\n    c: 1\n", "\ufeffa: 1\nb:\n  c: 1\n"),
        ("a: 1  # c \n\n\n\nb: 2\t\n", "a: 1  # c\n\nb: 2\n"),
        ("a:\n    b:   1\n    c:\n        d: 2\n", "a:\n  b:   1\n  c:\n    d: 2\n"),  # no space within a line changes
        ("a:\n  - b\n  -   c: 1\n      d: 2\n", "a:\n- b\n- c: 1\n  d: 2\n"),
        ("- - a\n  - b\n-\n     - c\n", "- - a\n  - b\n-\n  - c\n"),
        ("-  # c\n   a: 1\n", "-  # c\n  a: 1\n"),
        ("? - a\n  - b\n:   - c\n    - d\n", "? - a\n  - b\n:   - c\n    - d\n"),
        # A value on a line of its own.
        ("a:\n      b\nc:\n     &x\n     d: 1\n", "a:\n  b\nc:\n  &x\n  d: 1\n"),
        # Lines of a value move with its first line, and stay to the right of its key.
        ("a:\n    b: c\n       d\n    e: 'f\n\n         g'\n", "a:\n  b: c\n     d\n  e: 'f\n\n       g'\n"),
        ("a:\n      b\n   c\n", "a:\n  b\n c\n"),
        ('a:\n    b: "c  \n       d"  \n', 'a:\n  b: "c  \n     d"\n'),  # spaces in quotes stay
        ("a:\n    b: [\n        1, \n\n\n      2 # c\n    ]\n", "a:\n  b: [\n      1,\n\n    2 # c\n  ]\n"),
        ('a:\n    b: "\\ud83d\\ude00"\n', 'a:\n  b: "\\ud83d\\ude00"\n'),  # libyaml rejects this escape
        # Block scalars.
        ("a:\n    b: |\n            c  \n              d\n    e: 1\n", "a:\n  b: |\n    c  \n      d\n  e: 1\n"),
        ("a:\n    b: |2-\n        c\n      d\n\n\n\n    e: 1\n", "a:\n  b: |2-\n      c\n    d\n\n  e: 1\n"),
        ("a:\n   - |1\n      b\n", "a:\n- |1\n   b\n"),
        ("a: |\n    b\n\n\n    c\n\n\n\nd: |+\n  e\n\n\n\nf: 1\n", "a: |\n  b\n\n\n  c\n\nd: |+\n  e\n\n\n\nf: 1\n"),
        ("a: |\n     \n   \n   b\n", "a: |\n     \n   \n   b\n"),  # YAML allows no line that is longer than the first
        ("a: |\n \n   \n   b\n", "a: |\n\n\n  b\n"),
        ("a: |\n  b", "a: |\n  b"),  # a break at the end would be text
        ("a: |-\n  b", "a: |-\n  b\n"),
        ("a: |+\n  b\n\n", "a: |+\n  b\n\n"),
        ('--- "a\\ \n  b"\n', '--- "a\\ \n  b"\n'),
        ('a:\n    "b\\ \n    c"\n', 'a:\n  "b\\ \n  c"\n'),
        ("--- |\n   b\n \n", "--- |\n   b\n \n"),
        # Comments belong to the next content, or to the block that they end.
        ("  # c\na:\n        # d\n    b: 1\n#e\n    f: 1\n", "# c\na:\n  # d\n  b: 1\n  #e\n  f: 1\n"),
        (
            "a:\n    b:\n      - c\n      # d\n    # e\n    # f\n# g\nh: 1\n",
            "a:\n  b:\n  - c\n  # d\n  # e\n  # f\n# g\nh: 1\n",
        ),
        ("a:\n    b:\n        # c\n    d: 1\n", "a:\n  b:\n    # c\n  d: 1\n"),  # the only content of `b`
        (
            "a:\n    b: 1  # c\n          # d\n          # e\n    f: 1\n",
            "a:\n  b: 1  # c\n        # d\n        # e\n  f: 1\n",
        ),
        ("a:\n    b: |\n      c\n     # d\n    e: 1\n", "a:\n  b: |\n    c\n  # d\n  e: 1\n"),
        ("a:\n    b: 1\n    # c\n---\n    # d\ne:\n    f: 1\n", "a:\n  b: 1\n  # c\n---\n# d\ne:\n  f: 1\n"),
        # No edit.
        ("a: [\n", "a: [\n"),
        ("a:\n    b: 1\n    b: 2  \n", "a:\n    b: 1\n    b: 2  \n"),
        ("a:\n    b: 1 # \u2028c\n", "a:\n    b: 1 # \u2028c\n"),
        ("{a: 1,\n      b: 2}\n", "{a: 1,\n      b: 2}\n"),
    ],
)
def test_text_and_its_format(before: str, after: str) -> None:
    assert formatted(before) == after
    if not load(Source("", before))[1]:
        check(before)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_formatted(example: str) -> None:
    assert format_edits(Source("a.yaml", example_path(example).read_text())) == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_another_layout_of_an_example_becomes_the_example(example: str) -> None:
    text = example_path(example).read_text()
    for seed in range(5):
        other = reindent(text, random.Random(f"{example} {seed}"))
        assert other != text
        assert list(yaml.safe_load_all(other)) == list(yaml.safe_load_all(text))
        assert formatted(other) == text


def test_files_keep_their_values_and_comments() -> None:
    texts = [path.read_bytes().decode(errors="replace") for path in OTHERS]
    valid = [text for text in texts if not load(Source("", text))[1]]
    assert len(valid) > 1000
    changed = [text for text in valid if formatted(text) != text]
    assert len(changed) > 5  # most are formatted
    for text in changed:
        check(text)


def mutant(text: str, chance: random.Random) -> str:
    """Return a text with parts of YAML inserted, and lines moved or with other headers."""
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(text) + 1)
        if chance.random() < 0.4:
            text = text[:place] + chance.choice(PARTS) + text[place + chance.randint(0, 2) :]
        else:
            lines = text.split("\n")
            first = chance.randrange(len(lines))
            move = chance.randint(-3, 5)
            for number in range(first, min(first + chance.randint(1, 4), len(lines))):
                lines[number] = " " * move + lines[number] if move > 0 else re.sub(f"^ {{,{-move}}}", "", lines[number])
            text = "\n".join(lines)
    return text


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ruamel.yaml.error.ReusedAnchorWarning")
@pytest.mark.parametrize("seed", range(10))
def test_changed_texts_keep_their_values_and_comments(seed: int) -> None:
    chance, valid = random.Random(seed), 0
    texts = [VALUES, *(example_path(example).read_text() for example in EXAMPLES)]
    for _ in range(400):
        lines = chance.choice(texts).split("\n")
        first = chance.randrange(len(lines))
        text = mutant("\n".join(lines[first : first + 15]) if chance.random() < 0.5 else VALUES, chance)
        if not load(Source("", text))[1]:
            valid += 1
            check(text)
    assert valid > 40
