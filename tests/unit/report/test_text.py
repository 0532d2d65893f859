"""Documents for a terminal: widths in cells, wrapped lines, colors."""

from __future__ import annotations

import pytest

from trainc.diagnostics.cells import cells
from trainc.report.document import Change, Document, Fact, Facts, Head, Items, Row, Table
from trainc.report.terminal import fit, wrap
from trainc.report.text import text

HOSTILE = ("\x1b[31mred\n# x", "中文" * 60, "😀 " * 60, "x" * 300, "| a ` b | <b> & \\", "", "\u202eabc\u0301")


def test_a_head_is_one_paragraph_with_its_state_and_what_is_about_it() -> None:
    head = Head(
        name="mnist", state="degraded", style="bad", text="1 of 2 workers run", about="Job/mnist, phase Running"
    )
    assert text([Document(head=head, blocks=())], 80) == (
        "mnist: degraded, 1 of 2 workers run\n"  #
        "Job/mnist, phase Running\n"
    )


def test_empty_lines_separate_blocks_and_documents() -> None:
    one = Document(
        head=Head(name="a"),
        blocks=(
            Items(
                items=(
                    Fact(text="b."),
                    Fact(text="c."),
                )
            ),
            Items(items=()),
        ),
    )
    assert text([one, one], 80) == "a\n\nb.\nc.\n\na\n\nb.\nc.\n"


def test_a_part_has_no_empty_lines_and_may_be_indented() -> None:
    inner = Document(
        head=Head(name="a", about="b"), blocks=(Items(items=(Fact(text="c"),)), Items(items=(Fact(text="d"),)))
    )
    document = Document(blocks=(inner, inner.replace(is_indented=True)))
    assert text([document], 80) == "a\nb\nc\nd\n\na\n  b\n  c\n  d\n"


def test_a_bad_item_begins_with_a_mark() -> None:
    items = Items(items=(Fact(name="Job/a", text="is lost " * 11, style="bad"), Fact(text="fine", style="good")))
    assert text([Document(blocks=(items,))], 80) == (
        "! Job/a: is lost is lost is lost is lost is lost is lost is lost is lost is lost\n  is lost is lost\nfine\n"
    )


def test_a_table_is_as_wide_as_it_needs_with_numbers_on_the_right_and_details_below() -> None:
    rows = (Row(cells=("中", "7", "x"), details=("exit code 1",)), Row(cells=("worker-1", "128", "")))
    table = Table(heads=("pod", "ranks", "node"), numbers=("ranks",), rows=rows)
    assert text([Document(blocks=(table,))], 80) == (
        "pod       ranks  node\n"  #
        "─────────────────────\n"
        "中            7  x\n"
        "  exit code 1\n"
        "worker-1    128\n"
    )


def test_a_table_that_is_too_wide_is_wrapped_between_words() -> None:
    row = Row(cells=("a worker fails", "its container is restarted without limit, with a backoff of up to 5 minutes"))
    assert text([Document(blocks=(Table(heads=("trigger", "effect"), rows=(row,)),))], 80) == (
        "trigger         effect\n"
        "────────────────────────────────────────────────────────────────────────────────\n"
        "a worker fails  its container is restarted without limit, with a backoff of up\n"
        "                to 5 minutes\n"
    )


def test_facts_share_a_column_of_names() -> None:
    facts = (
        Fact(name="retries", text="5 of 6 left"),
        Fact(name="next", text="read the log", command="kubectl logs mnist-0"),
        Fact(name="", command="kubectl get pods"),
    )
    assert text([Document(blocks=(Facts(facts=facts),))], 80) == (
        "retries    5 of 6 left\n"
        "next       read the log\n"
        "           $ kubectl logs mnist-0\n"
        "           $ kubectl get pods\n"
    )
    assert text([Document(blocks=(Facts(facts=(Fact(name="process environment", text="A=1"),)),))], 80) == (
        "process environment  A=1\n"
    )


def test_a_fact_has_details_and_changes_below() -> None:
    changes = (Change(field="spec.args", old='"a"', new='"b"'), Change(field="spec.env", old="", new="1"))
    fact = Fact(name="re-create", text="Job/mnist", details=("spec.template is immutable",), changes=changes)
    assert text([Document(blocks=(Facts(facts=(fact,)),))], 80) == (
        "re-create  Job/mnist\n"
        "           spec.template is immutable\n"
        "           spec.args\n"
        '           - "a"\n'
        '           + "b"\n'
        "           spec.env\n"
        "           + 1\n"
    )


def test_the_twelfth_change_is_the_last_one_and_the_others_are_counted() -> None:
    changes = tuple(Change(field=f"f{number}", old="", new="1") for number in range(14))
    lines = text([Document(blocks=(Facts(facts=(Fact(name="a", text="b", changes=changes),)),))], 80).splitlines()
    assert lines[-3:] == ["           f11", "           + 1", "           and 2 more"]


def test_a_long_field_is_cut_at_its_beginning_and_long_values_before_their_difference() -> None:
    old, new = ("x" * 100 + each for each in "ab")
    fact = Fact(name="a", text="b", changes=(Change(field="f." * 50 + "end", old=old, new=new),))
    lines = text([Document(blocks=(Facts(facts=(fact,)),))], 80).splitlines()
    assert lines[1] == f"           …{'.f' * 32}.end"
    assert [line[11:] for line in lines[2:]] == [f"- …{'x' * 64}a", f"+ …{'x' * 64}b"]


def test_colors_are_codes_around_the_same_text() -> None:
    fact = Fact(
        name="ok", text="formed", style="good", details=("rank 0",), changes=(Change(field="f", old="1", new=""),)
    )
    document = Document(
        head=Head(name="mnist", state="failed", style="bad", text="14 s"), blocks=(Facts(facts=(fact,)),)
    )
    assert text([document], 80, color=True) == (
        "\x1b[1mmnist\x1b[0m: \x1b[31mfailed\x1b[0m, 14 s\n\n"
        "\x1b[32mok\x1b[0m         formed\n"
        "           \x1b[2mrank 0\x1b[0m\n"
        "           f\n"
        "           \x1b[31m- 1\x1b[0m\n"
    )


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("value", HOSTILE)
def test_no_text_exceeds_the_width_or_adds_a_line_of_its_own(value: str, width: int) -> None:
    blocks = (
        Items(items=(Fact(text=value),)),
        Items(items=(Fact(name="a", text=value),)),
        Table(heads=("a", "b"), rows=(Row(cells=(value, value), details=(value,)),)),
        Facts(
            facts=(Fact(name="a", text=value, details=(value,), changes=(Change(field=value, old=value, new="1"),)),)
        ),
    )
    inner = Document(head=Head(name=value, about=value), blocks=blocks, is_indented=True)
    lines = text([Document(head=Head(name="a", text=value), blocks=(*blocks, inner))], width).splitlines()
    assert max(sum(size for _, size in cells(line)) for line in lines) <= width
    assert not {character for line in lines for character in line} & {"\x1b", "\u202e", "\0"}
    assert not [line for line in lines if line.startswith("# x")]


def test_wide_characters_take_two_cells() -> None:
    assert wrap("中文中文中文", 7) == ["中文中", "文中文"]
    assert wrap("ab cd", 4, "  ") == ["ab", "  cd"]
    assert (fit("中文", 4), fit("中文", 3), fit("abcdef", 4)) == ("中文", "…", "abc…")
