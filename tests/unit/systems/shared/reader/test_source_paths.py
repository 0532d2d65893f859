"""Fields by position: the innermost around any span, as a search among all of them finds it."""

from __future__ import annotations

from tests.support.calls import calls
from trainc.source.load import load
from trainc.span import Source, Span
from trainc.systems.shared.reader.tree import SourcePaths

TEXT = """\
base: &base {a: [1, 2], b: {c: d}}
list:
- - x
  - {y: z, <<: *base}
- word
text: |
  two
  lines
again: *base
---
base: {e: f}
"""


def test_the_innermost_field_contains_the_span() -> None:
    source = Source("job.yaml", TEXT)
    paths = SourcePaths(load(source)[0])
    expected = {
        (1, 17): "base.a",  # `[`, and the first path of an aliased node
        (1, 18): "base.a[0]",
        (1, 32): "base.b.c",
        (3, 5): "list[0][0]",
        (4, 5): "list[0][1]",
        (4, 9): "list[0][1].y",
        (5, 4): "list[1]",
        (7, 3): "text",
        (11, 11): "base.e",
        (2, 1): None,  # a key, which is in no field
    }
    assert {at: paths.path(Span(source, *at, at[0], at[1] + 1)) for at in expected} == expected


def test_the_search_is_linear_in_the_diagnostics() -> None:
    def search(source: Source, paths: SourcePaths) -> None:
        for line in range(2, source.text.count("\n") + 1):
            assert paths.path(Span(source, line, 8, line, 9)) == f"items[{line - 2}].a"

    def cost(count: int) -> int:
        source = Source("job.yaml", "items:\n" + "- {a: word}\n" * count)
        return calls(search, source, SourcePaths(load(source)[0]))

    assert cost(1_600) < 5 * cost(400)  # 16 times, if each looked at all fields
