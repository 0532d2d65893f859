"""Every hostile string, in every place that takes it, is read from the manifests as the string it was in the job.

What is expected is worked out without the compiler's spelling: the manifests of the same job with harmless marks,
and every mark replaced by the string. So a string can neither change nor change anything beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import yaml

from tests.support.build import PLAIN
from tests.support.hostile import HOSTILE
from tests.support.places import RULED, Slot, Walk, filled, slots, substituted, written
from tests.support.readers import READERS, kubectl, needs_kubectl
from trainc import compile
from trainc.diagnostics.text import render
from trainc.systems.registry import NAMES

# Where the compiler means something by some strings, and what is written is not what was given.
MEANS: dict[str, Callable[[str], bool]] = {
    # A flag, and DeepSpeed knows few.
    "spec.launch.deepspeed.otherArgs[]": lambda text: text.startswith("-"),
    # What the launcher could take for a flag of its own comes behind `--`; no program is named like one.
    **dict.fromkeys(
        (f"spec.{run}.{kind}[]" for run in ("run", "mode.resumed.run") for kind in ("python", "exec")),
        lambda text: text.startswith("-"),
    ),
    # Nor has a module's name a slash in it.
    **dict.fromkeys(
        ("spec.run.module[]", "spec.mode.resumed.run.module[]"), lambda text: text.startswith("-") or "/" in text
    ),
    # A name is joined to the folder by one slash.
    "spec.shareFile.directory": lambda text: text.endswith("/"),
    # torchrun splits at commas, and reads two of them as one.
    "spec.launch.torchrun.duplicateStdoutFilters[]": lambda text: "," in text,
    "spec.launch.torchrun.duplicateStderrFilters[]": lambda text: "," in text,
}
OWN = Walk(without=RULED).jobs()
FOREIGN = Walk(foreign=True, without=RULED).jobs()
# How many strings each field of Kubernetes' own types gets; fields of the language get all of them.
ROUNDS = 4
# Characters of the manifests of one job.
LONG = 100_000


def _text(job: Any, backend: str) -> str:
    result = compile(written(job), backend=backend)
    assert result.ok, render(result.diagnostics)
    return result.to_yaml()


def _read(text: str) -> list[Any]:
    return list(yaml.load_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


@cache
def _marked(foreign: bool, number: int, backend: str) -> str:
    """The objects of a job whose every string is a harmless mark, as JSON."""
    return json.dumps(_read(_text(filled((FOREIGN if foreign else OWN)[number], lambda slot: slot.plain), backend)))


def _takes(slot: Slot, text: str) -> bool:
    return slot.allows(text) and not (slot.path in MEANS and MEANS[slot.path](text))


def _compiled(foreign: bool, number: int, backend: str, texts: dict[Slot, str]) -> tuple[str, Any]:
    job = filled(
        (FOREIGN if foreign else OWN)[number], lambda slot: slot.text(texts[slot]) if slot in texts else slot.plain
    )
    return _text(job, backend), substituted(_marked(foreign, number, backend), texts)


@cache
def _own(number: int) -> list[tuple[str, Any]]:
    """A job for each string, with the string in all places of free text; the back ends take turns."""
    free = [slot for slot in slots(OWN[number]) if slot.takes_most(HOSTILE)]
    made = []
    # A DeepSpeedJob is for that launcher alone.
    able = NAMES if "deepspeed" in OWN[number]["spec"]["launch"] else [name for name in NAMES if name != "deepspeedjob"]
    for at, text in enumerate(HOSTILE):
        texts = {slot: text for slot in free if _takes(slot, text)}
        made.append(_compiled(False, number, able[at % len(able)], texts))
    return made


@cache
def _foreign(number: int) -> list[tuple[str, Any]]:
    """All strings at once, each place another one, and again for each round."""
    free = [slot for slot in slots(FOREIGN[number]) if slot.takes_most(HOSTILE)]
    made = []
    for turn in range(ROUNDS):
        texts = {slot: HOSTILE[(at * ROUNDS + turn) % len(HOSTILE)] for at, slot in enumerate(free)}
        texts = {slot: text for slot, text in texts.items() if _takes(slot, text)}
        # An operator's definition of pods lacks the newest of Kubernetes' fields, which checks/crd_fields.py refuses.
        made.append(_compiled(True, number, PLAIN[turn % len(PLAIN)], texts))
    return made


CASES = [*((_own, number) for number in range(len(OWN))), *((_foreign, number) for number in range(len(FOREIGN)))]
IDS = [f"{make.__name__[1:]}-{number}" for make, number in CASES]


@pytest.mark.parametrize(("make", "number"), CASES, ids=IDS)
def test_every_string_in_every_place_is_read_as_it_was(make: Any, number: int) -> None:
    for text, expected in make(number):
        assert _read(text) == expected


@needs_kubectl
@pytest.mark.parametrize(("make", "number"), CASES, ids=IDS)
def test_kubectl_reads_every_string_in_every_place_as_it_was(make: Any, number: int) -> None:
    # The long ones are the same to kubectl in every place, and most of the text.
    made = [(text, expected) for text, expected in make(number) if len(text) < LONG]
    found = kubectl("---\n".join(text for text, _ in made))
    for thing in found:
        assert thing["metadata"]["labels"].pop("read") == "back"
    assert found == [thing for _, expected in made for thing in expected]


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_reads_all_strings_in_one_job_as_they_were(reader: str) -> None:
    words, values = list(HOSTILE), {f"K{at}": text for at, text in enumerate(HOSTILE)}
    job: dict[str, Any] = {
        "apiVersion": "trainc.dev/v1alpha1",
        "kind": "TrainingJob",
        "metadata": {"name": "all", "annotations": values},
        "spec": {"image": "a", "launch": {"basic": {}}, "run": {"exec": words[::-1]}, "env": values},
    }
    found = READERS[reader](_text(job, "job"))
    (container,) = found["spec"]["template"]["spec"]["containers"]
    assert found["metadata"]["annotations"] == values
    assert [*container["command"], *container["args"]][: len(words)] == words[::-1]
    assert {entry["name"]: entry.get("value") for entry in container["env"]}.items() >= values.items()


@pytest.mark.parametrize("style", ["'", '"', "|", ">"])
def test_a_string_is_the_same_however_the_job_spells_it(style: str) -> None:
    job = yaml.safe_load(written(filled(OWN[0], lambda slot: slot.plain)))
    # Typed as itself, NEL is one of the line breaks that libyaml, and kubectl with it, reads as a line feed.
    job["spec"]["env"] = {f"K{at}": text for at, text in enumerate(HOSTILE) if "\x85" not in text}
    result = compile(yaml.dump(job, default_style=style, allow_unicode=True, default_flow_style=False))
    assert result.ok, render(result.diagnostics)
    (container,) = result.objects()[-1]["spec"]["template"]["spec"]["containers"]
    assert {entry["name"]: entry.get("value") for entry in container["env"]}.items() >= job["spec"]["env"].items()
