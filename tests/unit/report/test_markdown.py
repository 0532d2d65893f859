"""Documents in Markdown: headings, tables and lists that no text can change."""

from __future__ import annotations

import re

import pytest

from trainc.report.document import Change, Document, Fact, Facts, Head, Items, Row, Table
from trainc.report.markdown import markdown

HOSTILE = (
    "`|\n# x\n---",
    "<script>alert(1)</script><!--",
    "**a** _b_ [c](http://d) ~~e~~",
    "a\\|b",
    "```\n$ rm",
    "\x1b\u202e",
)


def test_all_blocks_of_a_document() -> None:
    inner = Document(head=Head(name="mnist", state="failed", style="bad"), blocks=())
    blocks = (
        Items(items=(Fact(name="Job/a", text="has no `command`", style="bad"), Fact(text="b"))),
        Table(heads=("pod", "ranks"), numbers=("ranks",), rows=(Row(cells=("a_1", "0–7"), details=("exit code 1",)),)),
        Items(
            items=(
                Fact(text="One."),
                Fact(text="Two."),
            )
        ),
        inner,
    )
    assert markdown([Document(head=Head(name="elastic", text="2 pods", about="Job/a"), blocks=blocks)]) == (
        "## elastic: 2 pods\n\n"
        "Job/a\n\n"
        "- **Job/a**: has no <code>command</code>\n- b\n\n"
        "| pod | ranks |\n| --- | --- |\n| a\\_1<br>exit code 1 | 0–7 |\n\n"
        "One. Two.\n\n"
        "### 🔴 mnist: failed\n"
    )


def test_facts_are_a_list() -> None:
    facts = (Fact(name="training", text="continues"), Fact(name="world", text="2 → 4"))
    assert markdown([Document(blocks=(Facts(facts=facts),))]) == "- **training**: continues\n- **world**: 2 → 4\n"


def test_code_is_a_table_its_changes_are_folded_and_commands_can_be_copied() -> None:
    facts = (
        Fact(
            name="re-create",
            style="bad",
            text="Job/mnist",
            details=("immutable", "all pods are replaced"),
            changes=(Change(field="spec.args", old="a|b", new=""),),
        ),
        Fact(name="in place", style="good", text="Service/mnist"),
        Fact(name="apply now", command="kubectl delete job/mnist"),
    )
    heads = ("outcome", "object", "reason")
    assert markdown([Document(blocks=(Facts(facts=facts, heads=heads, is_code=True),))]) == (
        "| outcome | object | reason |\n"
        "| --- | --- | --- |\n"
        "| 🔴 re-create | <code>Job/mnist</code> | immutable; all pods are replaced |\n"
        "| 🟢 in place | <code>Service/mnist</code> |  |\n\n"
        "<details><summary>Fields</summary>\n\n"
        "| object | field | old | new |\n"
        "| --- | --- | --- | --- |\n"
        "| <code>Job/mnist</code> | <code>spec.args</code> | <code>a&#124;b</code> |  |\n\n"
        "</details>\n\n"
        "```sh\nkubectl delete job/mnist  # apply now\n```\n"
    )


def markup(page: str) -> str:
    """Return the characters of a page that are markup, without those that are escaped, and without code elements."""
    prose = re.sub(r"</?code>|\\.|&\w+;|&#\d+;", "", page)
    return "".join(re.findall(r"[<>`*_\[\]|~#\\\n\x1b\u202e]", prose))


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("is_code", [False, True])
def test_no_text_is_markup(value: str, is_code: bool) -> None:
    def page(text: str) -> str:
        change = Change(field=text, old=text, new=text)
        blocks = (
            Items(items=(Fact(name=text, text=text),)),
            Table(heads=("a", "b"), rows=(Row(cells=(text, text), details=(text,)),)),
            Items(items=(Fact(text=text),)),
            Facts(facts=(Fact(name=text, text=text, details=(text,), changes=(change,)),), is_code=is_code),
        )
        return markdown([Document(head=Head(name=text, about=text), blocks=blocks)])

    assert markup(page(value)) == markup(page("a"))


@pytest.mark.parametrize("value", HOSTILE)
def test_a_block_of_commands_has_a_line_for_each(value: str) -> None:
    page = markdown([Document(blocks=(Facts(facts=(Fact(name=value, command=f"kubectl {value}"),)),))])
    first, command, *rest = page.split("\n")
    assert (first, command[:8], rest) == ("```sh", "kubectl ", ["```", ""])
