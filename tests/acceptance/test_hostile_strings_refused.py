"""A string that a place does not take is refused where it stands, and nothing is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.hostile import HOSTILE
from tests.support.string_slots import RESTRICTED_BY_RULES, Slot, SlotJobs, fill, find_slots, flow_yaml
from trainc import compile
from trainc.systems.registry import NAMES

# Each place gets this many of the strings that it refuses.
ROUNDS = 6


def _narrow(slot: Slot) -> bool:
    return not slot.accepts_most(HOSTILE)


def _picky(slot: Slot) -> bool:
    return slot.accepts_most(HOSTILE) and not all(map(slot.accepts, HOSTILE))


# Places for names, enums and quantities, and places for text that refuse some: blanks in an image, say.
NARROW = SlotJobs(foreign=True, wanted=_narrow, without=RESTRICTED_BY_RULES).jobs()
PICKY = SlotJobs(wanted=_picky, without=RESTRICTED_BY_RULES).jobs()


def _columns(job: Any, texts: dict[Slot, str]) -> Iterator[tuple[Slot, int, int]]:
    """Where each text begins and ends in the job's one line, quotes included, columns from 1."""
    by_mark = {slot.mark: slot for slot in find_slots(job)}
    moved = 1
    for found in re.finditer(r'"<(s\d+q)>"', flow_yaml(fill(job, lambda slot: f"<{slot.mark}>"))):
        slot = by_mark[found[1]]
        length = len(flow_yaml(texts[slot]))
        yield slot, found.start() + moved, found.start() + moved + length
        moved += length - len(found[0])


def _refused(job: Any, turn: int) -> None:
    texts = {}
    for at, slot in enumerate(find_slots(job)):
        bad = [text for text in HOSTILE if not slot.accepts(text)]
        texts[slot] = slot.text(bad[(at * ROUNDS + turn * 5) % len(bad)])
    result = compile(flow_yaml(fill(job, texts.__getitem__)), backend=NAMES[turn % len(NAMES)])
    assert result.manifests == []
    said = {
        (found.span.line, found.span.column, found.span.end_line, found.span.end_column) for found in result.diagnostics
    }
    silent = [(slot.path, texts[slot]) for slot, begin, end in _columns(job, texts) if (1, begin, 1, end) not in said]
    assert silent == []
    # And nothing is said of anything else: one mistake, one diagnostic.
    assert len(result.diagnostics) == len(texts)


@pytest.mark.parametrize("turn", range(ROUNDS))
@pytest.mark.parametrize("number", range(len(NARROW)))
def test_a_string_that_is_no_name_there_is_refused_where_it_stands(number: int, turn: int) -> None:
    _refused(NARROW[number], turn)


@pytest.mark.parametrize("turn", range(ROUNDS))
@pytest.mark.parametrize("number", range(len(PICKY)))
def test_a_string_that_the_text_may_not_be_is_refused_where_it_stands(number: int, turn: int) -> None:
    _refused(PICKY[number], turn)


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.startswith("-")])
def test_a_flag_that_deepspeed_lacks_is_refused_where_it_stands(text: str) -> None:
    (job,) = SlotJobs(wanted=lambda slot: slot.path == "spec.launch.deepspeed.otherArgs[]").jobs()
    ((_, begin, end),) = _columns(job, dict.fromkeys(find_slots(job), text))
    result = compile(flow_yaml(fill(job, lambda slot: text)))
    assert result.manifests == []
    assert [(found.code.id, found.span.column, found.span.end_column) for found in result.diagnostics] == [
        ("TC3013", begin, end)
    ]


@pytest.mark.parametrize(
    "path", sorted(path for path in RESTRICTED_BY_RULES if re.fullmatch(r"spec\.podTemplate\.spec\.\w+", path))
)
@pytest.mark.parametrize("text", HOSTILE[:: len(HOSTILE) // 5])
def test_what_the_pod_template_may_not_set_is_refused_whatever_it_says(path: str, text: str) -> None:
    (job,) = SlotJobs(foreign=True, wanted=lambda slot: slot.path == path).jobs()
    result = compile(flow_yaml(fill(job, lambda slot: text)))
    assert result.manifests == []
    (found,) = result.diagnostics
    key = flow_yaml(path.rpartition(".")[2])
    assert found.code.id == "TC3014"
    assert found.span.source.line(1)[found.span.column - 1 : found.span.end_column - 1] == key
