"""Formats of a plan: they fit, fold alike workers and escape all text of the manifests."""

from __future__ import annotations

import json
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.support.examples import ROOT
from tests.unit.plan.manifests import container, objects, only, planned
from trainc.diagnostics.cells import cells
from trainc.plan.formats.html_page import html_page
from trainc.plan.formats.json_document import to_json
from trainc.plan.formats.markdown import markdown
from trainc.plan.formats.mermaid import mermaid
from trainc.plan.formats.svg import svg
from trainc.plan.formats.text import text
from trainc.plan.plan import Plan, plan

GOLDENS = sorted(str(file.relative_to(ROOT / "golden"))[:-5] for file in (ROOT / "golden").rglob("*.yaml"))
HOSTILE = '"\'><script>alert(1)</script></title></style>]]>&lt;`|\n\x1b[31m\u202e<img src=x>${x}--> "]; end'
FORMS: dict[str, Callable[[Plan], str]] = {
    "text": lambda each: text(each, 80),
    "markdown": markdown,
    "json": lambda each: to_json([each]),
    "mermaid": lambda each: mermaid([each]),
    "svg": lambda each: svg([each]),
    "html": lambda each: html_page([each]),
}


@pytest.mark.parametrize("name", GOLDENS)
@pytest.mark.parametrize("width", [80, 120])
def test_text_fits_the_width(name: str, width: int) -> None:
    for line in text(planned(name), width).splitlines():
        assert sum(cell for _, cell in cells(line)) <= width, line


@pytest.mark.parametrize("name", GOLDENS)
def test_every_picture_is_xml_that_loads_nothing(name: str) -> None:
    root = ET.fromstring(svg([planned(name)]))
    for each in root.iter():
        assert each.tag.rpartition("}")[2] in {"svg", "g", "rect", "text", "title", "path", "marker", "defs", "style"}
        assert not [key for key in each.attrib if key.rpartition("}")[2] in ("href", "src") or key.startswith("on")]


def big(workers: int) -> Plan:
    manifests = objects("network/job")
    only(manifests, "Job")["spec"].update(completions=workers, parallelism=workers)
    for each in container(manifests)["env"]:
        if each["name"] == "PET_NNODES":
            each["value"] = str(workers)
    return plan(manifests)


def test_128_workers_are_two_rows() -> None:
    shown = text(big(128), 80)
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("network-")] == ["network-0", "network-1"]
    assert "pods)" in shown
    assert "8–1023" in shown
    assert len(shown.splitlines()) < 60


def test_json_lists_each_of_128_workers() -> None:
    document = json.loads(to_json([big(128)]))[0]
    assert [each["ranks"] for each in document["pods"]] == [[8 * node, 8 * node + 7] for node in range(128)]
    assert document["totals"]["gpus"] == 1024


def keys(value: object) -> Iterator[str]:
    """Yield the keys of objects, except of those whose keys are names of the job."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in ("processEnvironment", "requests", "limits", "ports"):
                yield from keys(inner)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


@pytest.mark.parametrize("name", ["torchrun-etcd-managed/job", "autoscaled/pytorchjob", "deepspeed-ssh/pods"])
def test_every_json_key_is_documented(name: str) -> None:
    documented = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "plan.md").read_text("utf-8")))
    assert set(keys(json.loads(to_json([planned(name)])))) - documented - {"kind", "name"} == set()


def test_a_different_worker_has_its_own_row() -> None:
    manifests = objects("torchrun/pods")
    container(manifests, 2)["resources"]["limits"]["memory"] = "512Gi"
    rows = [line for line in text(plan(manifests), 100).splitlines() if line.startswith("mnist-")]
    assert [line.split()[0] for line in rows[:4]] == ["mnist-0", "mnist-1", "mnist-2", "mnist-3"]


def test_the_rendezvous_host_has_its_own_row_by_any_name() -> None:
    manifests = objects("torchrun/job")
    manifests.remove(only(manifests, "Service", "mnist-0"))
    for each in container(manifests)["env"]:
        if each["name"] == "PET_RDZV_ENDPOINT":
            each["value"] = "mnist-0.mnist:29400"
    shown = text(plan(manifests), 100)
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("mnist-")][:2] == ["mnist-0", "mnist-1"]
    assert "c10d at mnist-0.mnist:29400; Service/mnist resolves to mnist-0" in shown
    assert ">rendezvous<" in svg([plan(manifests)])


def hostile() -> Plan:
    manifests = objects("torchrun/job")
    each = container(manifests)
    each["args"] += [HOSTILE, "--name=" + HOSTILE]
    each["image"] = HOSTILE
    each["env"].append({"name": "A", "value": HOSTILE})
    each["volumeMounts"].append({"name": "data", "mountPath": "/" + HOSTILE})
    volume = {"name": "data", "hostPath": {"path": HOSTILE}}
    only(manifests, "Job")["spec"]["template"]["spec"]["volumes"].append(volume)
    return plan(manifests)


class Tags(HTMLParser):
    """The names of all tags, and of what they load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.dangers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.dangers += [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]


@pytest.mark.parametrize("form", ["svg", "html"])
def test_hostile_text_is_escaped_in_pictures(form: str) -> None:
    tags = Tags()
    tags.feed(FORMS[form](hostile()))
    assert not tags.tags & {"script", "img", "iframe", "link", "a"}
    assert tags.dangers == []


def test_a_picture_with_hostile_text_is_well_formed() -> None:
    ET.fromstring(svg([hostile()]))


@pytest.mark.parametrize("form", ["text", "markdown", "mermaid", "svg", "html"])
def test_control_characters_are_escaped(form: str) -> None:
    result = FORMS[form](hostile())
    assert "\x1b" not in result
    assert "\u202e" not in result


def test_hostile_text_is_escaped_in_markdown() -> None:
    page = markdown(hostile())
    assert "<script" not in page
    assert "<img" not in page
    bars = {line.count("|") for line in page.splitlines() if line.startswith("| container variables")}
    assert bars == {3}


def test_hostile_text_is_escaped_in_mermaid() -> None:
    lines = mermaid([hostile()]).splitlines()
    assert all(line.count('"') in (0, 2) for line in lines)
    assert not any("<script" in line or "<img" in line for line in lines)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_secrets_are_redacted(form: str) -> None:
    manifests = objects("torchrun/job")
    token = "hf_" + "a" * 34
    container(manifests)["args"] += ["--api-key", "open-sesame", "--password=open-sesame", token]
    container(manifests)["env"].append({"name": "WANDB_API_KEY", "value": "open-sesame"})
    shown = FORMS[form](plan(manifests))
    assert "sesame" not in shown
    assert token not in shown


@pytest.mark.parametrize("form", sorted(FORMS))
def test_an_empty_list_of_objects_has_a_plan(form: str) -> None:
    assert FORMS[form](plan([]))


@pytest.mark.parametrize("form", sorted(FORMS))
def test_wrong_types_raise_nothing(form: str) -> None:
    for broken in (None, 3, "x", [], {}, [None], {"containers": [None]}):
        for kind in ("Job", "StatefulSet", "Pod", "Service", "Deployment", "HorizontalPodAutoscaler"):
            manifests = [{"kind": kind, "metadata": {"name": "a"}, "spec": broken}, {"kind": kind, "metadata": broken}]
            assert FORMS[form](plan(manifests)) is not None  # type: ignore[arg-type]


JUNK: tuple[Any, ...] = (
    None,
    "",
    0,
    -1,
    True,
    [],
    {},
    "x",
    "$(A",
    "9" * 30,
    "٣",
    "1:2:3",
    1.5,
    [None],
    {"a": None},
    "‹x›",
    "[::1]:80",
)


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all that is in a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from places(inner, (*path, key))


@pytest.mark.parametrize("seed", range(200))
def test_fuzzed_goldens_raise_nothing(seed: int) -> None:
    chance = random.Random(seed)
    manifests: Any = objects(chance.choice(GOLDENS))
    for _ in range(3):
        *path, last = chance.choice([each for each in places(manifests) if len(each) > 1])
        inside = manifests
        for step in path:
            inside = inside[step]
        if chance.random() < 0.4:
            del inside[last]
        else:
            inside[last] = chance.choice(JUNK)
    FORMS[sorted(FORMS)[seed % len(FORMS)]](plan(manifests))


def test_the_page_loads_nothing() -> None:
    page = html_page([planned("spot/statefulset")])
    assert "default-src 'none'" in page
    assert [word for word in page.split('"') if word.startswith("http")] == ["http://www.w3.org/2000/svg"]
