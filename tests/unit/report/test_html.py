"""Documents as HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from trainc.report.document import Change, Document, Fact, Facts, Head, Items, Row, Table
from trainc.report.html import page, section

HOSTILE = ("<script>alert(1)</script>", '" onload="x', "</table></section>", "&lt;b&gt;", "-->", "\x1b\u202e")


def test_all_blocks_of_a_document() -> None:
    facts = (Fact(name="next", text="read the log", command="kubectl logs a"),)
    blocks = (
        Items(items=(Fact(name="Job/a", text="is lost", style="bad"),)),
        Table(
            title="Workers",
            heads=("worker", "ranks"),
            numbers=("ranks",),
            rows=(Row(cells=("a", "0"), details=("exit code 1",), style="bad"),),
        ),
        Items(
            items=(
                Fact(text="One."),
                Fact(text="Two."),
            )
        ),
        Facts(title="Facts", facts=facts),
        Facts(facts=(Fact(name="command", text="sh -c"),), is_code=True),
    )
    head = Head(name="mnist", state="failed", style="bad", text="no worker runs", about="Job/mnist")
    assert section(Document(head=head, blocks=blocks), "<svg/>") == (
        '<h1>mnist <span class="state bad">failed</span></h1><p>no worker runs. Job/mnist.</p>'
        "<figure><svg/></figure>"
        '<ul class="bad"><li><b>Job/a</b>: is lost</li></ul>'
        '<h2>Workers</h2><table><tr><th>worker</th><th class="n">ranks</th></tr>'
        '<tr><td><span class="bad">●</span> a<small>exit code 1</small></td><td class="n">0</td></tr></table>'
        "<p>One. Two.</p>"
        '<h2>Facts</h2><table><tr><td class="k">next</td>'
        "<td>read the log<br><code>kubectl logs a</code></td></tr></table>"
        '<table><tr><td class="k">command</td><td><code>sh -c</code></td></tr></table>'
    )


def test_a_picture_takes_the_place_of_a_head_without_a_state() -> None:
    document = Document(head=Head(name="mnist", text="2 pods"), blocks=())
    assert section(document, "<svg/>") == "<figure><svg/></figure>"
    assert section(document) == "<h1>mnist</h1><p>2 pods.</p>"


def test_a_page_loads_nothing() -> None:
    text = page("<a>", ["<p>b</p>"])
    assert text.startswith("<!doctype html>\n")
    assert "<title>&lt;a&gt;</title>" in text
    assert "default-src 'none'" in text
    assert "<main><section><p>b</p></section></main>" in text


class Shape(HTMLParser):
    """Tags of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[object] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(tag)


@pytest.mark.parametrize("value", HOSTILE)
def test_no_text_is_markup(value: str) -> None:
    shapes = []
    for text in ("ab", value):
        fact = Fact(
            name=text, text=text, command=text, details=(text,), changes=(Change(field=text, old=text, new=text),)
        )
        blocks = (
            Items(items=(Fact(name=text, text=text),)),
            Table(title=text, heads=(text, "b"), rows=(Row(cells=(text, text), details=(text,)),)),
            Items(items=(Fact(text=text),)),
            Facts(title=text, facts=(fact,)),
            Facts(facts=(fact,), is_code=True),
        )
        head = Head(name=text, state=text, text=text, about=text)
        shown = page("a", [section(Document(head=head, blocks=blocks), "<svg></svg>")])
        assert not {*shown} & {"\x1b", "\u202e"}
        shapes.append(Shape(shown).tags)
    assert shapes[0] == shapes[1]
