"""Every hostile string, in every field that accepts it, survives the way from the job to the parsed manifests.

The expected objects don't depend on how the compiler quotes: they are the manifests of the same job with harmless
placeholders, each replaced by the string. So a string can't change anything else either.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import yaml

from tests.support.build import NATIVE_BACKENDS
from tests.support.hostile import HOSTILE
from tests.support.string_slots import RESTRICTED_BY_RULES, Slot, SlotJobs, fill, find_slots, flow_yaml, substitute
from tests.support.yaml_readers import READERS, kubectl, needs_kubectl
from trainc import compile
from trainc.diagnostics.text import render
from trainc.systems.registry import NAMES

# Strings with a meaning of their own in a field, for which the output differs from the input.
MEANS: dict[str, Callable[[str], bool]] = {
    # An option, of which DeepSpeed knows few.
    "spec.launch.deepspeed.otherArgs[]": lambda text: text.startswith("-"),
    # The compiler separates options of the program from the launcher's by `--`; no program has such a name.
    **dict.fromkeys(
        (f"spec.{run}.{kind}[]" for run in ("run", "mode.resumed.run") for kind in ("python", "exec")),
        lambda text: text.startswith("-"),
    ),
    # A module's name contains no slash either.
    **dict.fromkeys(
        ("spec.run.module[]", "spec.mode.resumed.run.module[]"), lambda text: text.startswith("-") or "/" in text
    ),
    # A single slash joins the folder and the file name.
    "spec.shareFile.directory": lambda text: text.endswith("/"),
    # torchrun splits at commas and drops empty parts.
    "spec.launch.torchrun.duplicateStdoutFilters[]": lambda text: "," in text,
    "spec.launch.torchrun.duplicateStderrFilters[]": lambda text: "," in text,
}
OWN = SlotJobs(without=RESTRICTED_BY_RULES).jobs()
FOREIGN = SlotJobs(foreign=True, without=RESTRICTED_BY_RULES).jobs()
# Number of strings for each field of Kubernetes types; fields of the job language get all of them.
ROUNDS = 4
# Number of characters of the manifests of a job.
LONG = 100_000


def _text(job: Any, backend: str) -> str:
    result = compile(flow_yaml(job), backend=backend)
    assert result.ok, render(result.diagnostics)
    return result.to_yaml()


def _read(text: str) -> list[Any]:
    return list(yaml.load_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


@cache
def _marked(foreign: bool, number: int, backend: str) -> str:
    """Return the objects of a job with a placeholder in every string, as JSON."""
    return json.dumps(_read(_text(fill((FOREIGN if foreign else OWN)[number], lambda slot: slot.plain), backend)))


def _takes(slot: Slot, text: str) -> bool:
    return slot.accepts(text) and not (slot.path in MEANS and MEANS[slot.path](text))


def _compiled(foreign: bool, number: int, backend: str, texts: dict[Slot, str]) -> tuple[str, Any]:
    job = fill(
        (FOREIGN if foreign else OWN)[number], lambda slot: slot.text(texts[slot]) if slot in texts else slot.plain
    )
    return _text(job, backend), substitute(_marked(foreign, number, backend), texts)


@cache
def _own(number: int) -> list[tuple[str, Any]]:
    """Compile a job for each string, with the string in all free-text fields; the back ends alternate."""
    free = [slot for slot in find_slots(OWN[number]) if slot.accepts_most(HOSTILE)]
    manifests = []
    # A DeepSpeedJob supports only that launcher.
    able = NAMES if "deepspeed" in OWN[number]["spec"]["launch"] else [name for name in NAMES if name != "deepspeedjob"]
    for at, text in enumerate(HOSTILE):
        texts = {slot: text for slot in free if _takes(slot, text)}
        manifests.append(_compiled(False, number, able[at % len(able)], texts))
    return manifests


@cache
def _foreign(number: int) -> list[tuple[str, Any]]:
    """Compile a job per round, with another string in each field."""
    free = [slot for slot in find_slots(FOREIGN[number]) if slot.accepts_most(HOSTILE)]
    manifests = []
    for turn in range(ROUNDS):
        texts = {slot: HOSTILE[(at * ROUNDS + turn) % len(HOSTILE)] for at, slot in enumerate(free)}
        texts = {slot: text for slot, text in texts.items() if _takes(slot, text)}
        # CRDs of operators lack the newest pod fields, which the crd_fields rule rejects.
        manifests.append(_compiled(True, number, NATIVE_BACKENDS[turn % len(NATIVE_BACKENDS)], texts))
    return manifests


CASES = [*((_own, number) for number in range(len(OWN))), *((_foreign, number) for number in range(len(FOREIGN)))]
IDS = [f"{make.__name__[1:]}-{number}" for make, number in CASES]


@pytest.mark.parametrize(("make", "number"), CASES, ids=IDS)
def test_every_string_survives_in_every_field(make: Any, number: int) -> None:
    for text, expected in make(number):
        assert _read(text) == expected


@pytest.mark.slow
@needs_kubectl
@pytest.mark.parametrize(("make", "number"), CASES, ids=IDS)
def test_every_string_survives_in_every_field_with_kubectl(make: Any, number: int) -> None:
    # kubectl parses long strings alike in every field, and they are most of the text.
    manifests = [(text, expected) for text, expected in make(number) if len(text) < LONG]
    objects = kubectl("---\n".join(text for text, _ in manifests))
    for resource in objects:
        assert resource["metadata"]["labels"].pop("read") == "back"
    assert objects == [resource for _, expected in manifests for resource in expected]


@pytest.mark.parametrize("reader", READERS)
def test_all_strings_of_a_job_survive_with_every_parser(reader: str) -> None:
    words, values = list(HOSTILE), {f"K{at}": text for at, text in enumerate(HOSTILE)}
    job: dict[str, Any] = {
        "apiVersion": "trainc.dev/v1alpha1",
        "kind": "TrainingJob",
        "metadata": {"name": "all", "annotations": values},
        "spec": {"image": "a", "launch": {"basic": {}}, "run": {"exec": words[::-1]}, "env": values},
    }
    manifest = READERS[reader](_text(job, "job"))
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    assert manifest["metadata"]["annotations"] == values
    assert [*container["command"], *container["args"]][: len(words)] == words[::-1]
    assert {entry["name"]: entry.get("value") for entry in container["env"]}.items() >= values.items()


@pytest.mark.parametrize("style", ["'", '"', "|", ">"])
def test_string_is_independent_of_its_quoting_in_the_job(style: str) -> None:
    job = yaml.safe_load(flow_yaml(fill(OWN[0], lambda slot: slot.plain)))
    # libyaml, and so kubectl, reads an unescaped NEL as a line feed.
    job["spec"]["env"] = {f"K{at}": text for at, text in enumerate(HOSTILE) if "\x85" not in text}
    result = compile(yaml.dump(job, default_style=style, allow_unicode=True, default_flow_style=False))
    assert result.ok, render(result.diagnostics)
    (container,) = result.objects()[-1]["spec"]["template"]["spec"]["containers"]
    assert {entry["name"]: entry.get("value") for entry in container["env"]}.items() >= job["spec"]["env"].items()
