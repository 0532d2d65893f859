"""A string that a field does not accept is reported at its position, and no manifest is emitted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.hostile import HOSTILE
from tests.support.string_slots import RESTRICTED_BY_RULES, Slot, SlotJobs, fill, find_slots, flow_yaml
from trainc import compile
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.systems.registry import NAMES

# Number of rejected strings per field.
ROUNDS = 6
# One of these in place of a value makes the file a template, with one error for all of it.
TEMPLATES = ("{{", "{%", "$HOME", "${HOME}")


def is_not_free_text(slot: Slot) -> bool:
    return not slot.accepts_most(HOSTILE)


def is_restricted_text(slot: Slot) -> bool:
    return slot.accepts_most(HOSTILE) and not all(map(slot.accepts, HOSTILE))


# Fields for names, enums and quantities, and text fields that reject some strings, such as blanks in an image.
NAME_JOBS = SlotJobs(foreign=True, wanted=is_not_free_text, without=RESTRICTED_BY_RULES).jobs()
TEXT_JOBS = SlotJobs(wanted=is_restricted_text, without=RESTRICTED_BY_RULES).jobs()


def columns(job: Any, texts: dict[Slot, str]) -> Iterator[tuple[Slot, int, int]]:
    """Yield the first column and the end column of each text in the job's single line, with its quotes, from 1."""
    by_mark = {slot.mark: slot for slot in find_slots(job)}
    offset = 1
    for match in re.finditer(r'"<(s\d+q)>"', flow_yaml(fill(job, lambda slot: f"<{slot.mark}>"))):
        slot = by_mark[match[1]]
        length = len(flow_yaml(texts[slot]))
        yield slot, match.start() + offset, match.start() + offset + length
        offset += length - len(match[0])


def assert_every_string_is_reported(job: Any, turn: int) -> None:
    texts = {}
    for position, slot in enumerate(find_slots(job)):
        rejected = [text for text in HOSTILE if not slot.accepts(text) and not text.startswith(TEMPLATES)]
        texts[slot] = slot.text(rejected[(position * ROUNDS + turn * 5) % len(rejected)])
    result = compile(flow_yaml(fill(job, texts.__getitem__)), backend=NAMES[turn % len(NAMES)])
    assert result.manifests == []
    spans = [diagnostic.span for diagnostic in result.diagnostics]
    reported = {(span.line, span.column, span.end_line, span.end_column) for span in spans}
    missing = [
        (slot.path, texts[slot]) for slot, first, end in columns(job, texts) if (1, first, 1, end) not in reported
    ]
    assert missing == []
    assert len(spans) == len(texts)


@pytest.mark.sample(26)
@pytest.mark.parametrize("turn", range(ROUNDS))
@pytest.mark.parametrize("number", range(len(NAME_JOBS)))
def test_an_invalid_name_enum_or_quantity_is_reported_at_its_position(number: int, turn: int) -> None:
    assert_every_string_is_reported(NAME_JOBS[number], turn)


@pytest.mark.parametrize("turn", range(ROUNDS))
@pytest.mark.parametrize("number", range(len(TEXT_JOBS)))
def test_an_invalid_text_is_reported_at_its_position(number: int, turn: int) -> None:
    assert_every_string_is_reported(TEXT_JOBS[number], turn)


def only_diagnostic(job: Any, text: str, backend: str = "job") -> Diagnostic:
    """Return the diagnostic of a job whose fields have a text, for which no manifest is emitted."""
    result = compile(flow_yaml(fill(job, lambda slot: text)), backend=backend)
    assert result.manifests == []
    (diagnostic,) = result.diagnostics
    return diagnostic


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.startswith("-")])
def test_an_unknown_option_of_deepspeed_is_reported_at_its_position(text: str) -> None:
    (job,) = SlotJobs(wanted=lambda slot: slot.path == "spec.launch.deepspeed.otherArgs[]").jobs()
    ((_, first, end),) = columns(job, dict.fromkeys(find_slots(job), text))
    diagnostic = only_diagnostic(job, text)
    assert (diagnostic.code.id, diagnostic.span.column, diagnostic.span.end_column) == ("TC3013", first, end)


@pytest.mark.parametrize("field", ["bindTo", "mapBy"])
@pytest.mark.parametrize("text", [text for text in HOSTILE if re.match("[A-Za-z0-9]", text) and text != "None"][::20])
def test_an_unknown_policy_of_mpirun_is_reported_at_its_position(text: str, field: str) -> None:
    (job,) = SlotJobs(wanted=lambda slot: slot.path == f"spec.launch.mpirun.{field}").jobs()
    slots = list(find_slots(job))
    if not slots[0].accepts(text):
        return
    ((_, first, end),) = columns(job, dict.fromkeys(slots, text))
    diagnostic = only_diagnostic(job, text, "mpijob")
    assert (diagnostic.code.id, diagnostic.span.column, diagnostic.span.end_column) == ("TC3166", first, end)


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    "path", sorted(path for path in RESTRICTED_BY_RULES if re.fullmatch(r"spec\.podTemplate\.spec\.\w+", path))
)
@pytest.mark.parametrize("text", HOSTILE[:: len(HOSTILE) // 5])
def test_a_restricted_field_of_the_pod_template_is_reported_with_every_value(path: str, text: str) -> None:
    (job,) = SlotJobs(foreign=True, wanted=lambda slot: slot.path == path).jobs()
    diagnostic = only_diagnostic(job, text)
    key = flow_yaml(path.rpartition(".")[2])
    assert diagnostic.code.id == "TC3014"
    span = diagnostic.span
    assert span.source.line(1)[span.column - 1 : span.end_column - 1] == key
