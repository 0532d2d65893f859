"""Formats of a plan fit the width, group equal workers and escape all text of the manifests."""

from __future__ import annotations

import copy
import json
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.support.examples import ROOT
from tests.support.trees import field_paths
from tests.unit.plan.manifests import container, objects, only, planned, variable
from tests.unit.plan.outputs import markdown, text
from trainc.diagnostics.cells import cells
from trainc.plan.formats.graph import graph
from trainc.plan.formats.html_page import html_page
from trainc.plan.formats.json_document import to_json
from trainc.plan.formats.mermaid import mermaid
from trainc.plan.formats.svg import svg
from trainc.plan.formats.svg_shapes import fitted
from trainc.plan.plan import Plan, plan
from trainc.plan.redact import redact_plan

GOLDENS = sorted(str(file.relative_to(ROOT / "golden"))[:-5] for file in (ROOT / "golden").rglob("*.yaml"))
HOSTILE = '"\'><script>alert(1)</script></title></style>]]>&lt;`|\n\x1b[31m\u202e<img src=x>${x}--> "]; end'
FORMATS: dict[str, Callable[[Plan], str]] = {
    "text": lambda job_plan: text(job_plan, 80),
    "markdown": markdown,
    "json": lambda job_plan: to_json([job_plan]),
    "mermaid": lambda job_plan: mermaid([job_plan]),
    "svg": lambda job_plan: svg([job_plan]),
    "html": lambda job_plan: html_page([job_plan]),
}


@pytest.mark.sample(25)
@pytest.mark.parametrize("name", GOLDENS)
@pytest.mark.parametrize("width", [80, 120])
def test_text_fits_the_width(name: str, width: int) -> None:
    for line in text(planned(name), width).splitlines():
        assert sum(cell for _, cell in cells(line)) <= width, line


@pytest.mark.sample(25)
@pytest.mark.parametrize("name", GOLDENS)
def test_pictures_are_xml_and_load_nothing(name: str) -> None:
    root = ET.fromstring(svg([planned(name)]))
    for element in root.iter():
        assert element.tag.rpartition("}")[2] in {
            "svg",
            "g",
            "rect",
            "text",
            "title",
            "path",
            "marker",
            "defs",
            "style",
        }
        assert not [key for key in element.attrib if key.rpartition("}")[2] in ("href", "src") or key.startswith("on")]


def plan_with_workers(workers: int) -> Plan:
    manifests = objects("network/job")
    only(manifests, "Job")["spec"].update(completions=workers, parallelism=workers)
    variable(manifests, "PET_NNODES")["value"] = str(workers)
    return plan(manifests)


def test_128_workers_are_two_rows() -> None:
    output = text(plan_with_workers(128), 80)
    assert [line.split()[0] for line in output.splitlines() if line.startswith("network-")] == [
        "network-0",
        "network-1",
    ]
    assert "pods)" in output
    assert "8–1023" in output
    assert len(output.splitlines()) < 60


def test_json_lists_each_of_128_workers() -> None:
    document = json.loads(to_json([plan_with_workers(128)]))[0]
    assert [pod["ranks"] for pod in document["pods"]] == [[8 * node, 8 * node + 7] for node in range(128)]
    assert document["totals"]["gpus"] == 1024


def test_an_amount_without_a_request_is_null_in_json() -> None:
    manifests = objects("torchrun/job")
    container(manifests)["resources"] = {"limits": {"nvidia.com/gpu": "1"}}
    totals = json.loads(to_json([plan(manifests)]))[0]["totals"]
    assert (totals["gpus"], totals["cpus"], totals["memory"]) == (4, None, None)


def keys(value: object) -> Iterator[str]:
    """Yield the keys of all objects, except objects whose keys are names."""
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
    variable(manifests, "PET_RDZV_ENDPOINT")["value"] = "mnist-0.mnist:29400"
    output = text(plan(manifests), 100)
    assert [line.split()[0] for line in output.splitlines() if line.startswith("mnist-")][:2] == ["mnist-0", "mnist-1"]
    assert "c10d at mnist-0.mnist:29400; Service/mnist resolves to mnist-0" in output
    assert ">rendezvous<" in svg([plan(manifests)])


def hostile_plan() -> Plan:
    manifests = objects("torchrun/job")
    main = container(manifests)
    main["args"] += [HOSTILE, "--name=" + HOSTILE]
    main["image"] = HOSTILE
    main["env"].append({"name": "A", "value": HOSTILE})
    main["volumeMounts"].append({"name": "data", "mountPath": "/" + HOSTILE})
    volume = {"name": "data", "hostPath": {"path": HOSTILE}}
    only(manifests, "Job")["spec"]["template"]["spec"]["volumes"].append(volume)
    return plan(manifests)


class Tags(HTMLParser):
    """Collect the names of all tags, and of attributes that load or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.active_attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.active_attributes += [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]


@pytest.mark.parametrize("format_name", ["svg", "html"])
def test_hostile_text_is_escaped_in_pictures(format_name: str) -> None:
    tags = Tags()
    tags.feed(FORMATS[format_name](hostile_plan()))
    assert not tags.tags & {"script", "img", "iframe", "link", "a"}
    assert tags.active_attributes == []


def test_a_picture_with_hostile_text_is_well_formed() -> None:
    ET.fromstring(svg([hostile_plan()]))


@pytest.mark.parametrize("format_name", ["text", "markdown", "mermaid", "svg", "html"])
def test_control_characters_are_escaped(format_name: str) -> None:
    result = FORMATS[format_name](hostile_plan())
    assert "\x1b" not in result
    assert "\u202e" not in result


def test_hostile_text_is_escaped_in_markdown() -> None:
    page = markdown(hostile_plan())
    assert "<script" not in page
    assert "<img" not in page
    bars = {line.count("|") for line in page.splitlines() if line.startswith("| container variables")}
    assert bars == {3}


def test_hostile_text_is_escaped_in_mermaid() -> None:
    lines = mermaid([hostile_plan()]).splitlines()
    assert all(line.count('"') in (0, 2) for line in lines)
    assert not any("<script" in line or "<img" in line for line in lines)


@pytest.mark.parametrize("format_name", sorted(FORMATS))
def test_secrets_are_redacted(format_name: str) -> None:
    manifests = objects("torchrun/job")
    token = "hf_" + "a" * 34
    container(manifests)["args"] += ["--api-key", "open-sesame", "--password=open-sesame", token]
    container(manifests)["env"].append({"name": "WANDB_API_KEY", "value": "open-sesame"})
    output = FORMATS[format_name](redact_plan(plan(manifests)))
    assert "sesame" not in output
    assert token not in output


@pytest.mark.parametrize("format_name", sorted(FORMATS))
def test_an_empty_list_of_objects_has_a_plan(format_name: str) -> None:
    assert FORMATS[format_name](plan([]))


@pytest.mark.parametrize("format_name", sorted(FORMATS))
def test_invalid_types_raise_nothing(format_name: str) -> None:
    for broken in (None, 3, "x", [], {}, [None], {"containers": [None]}):
        for kind in ("Job", "StatefulSet", "Pod", "Service", "Deployment", "HorizontalPodAutoscaler"):
            named: dict[str, Any] = {"kind": kind, "metadata": {"name": "a"}, "spec": broken}
            manifests = [named, {"kind": kind, "metadata": broken}]
            assert FORMATS[format_name](redact_plan(plan(manifests))) is not None


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


@pytest.mark.sample(40)
@pytest.mark.parametrize("seed", range(200))
def test_fuzzed_goldens_raise_nothing(seed: int) -> None:
    generator = random.Random(seed)
    manifests: Any = objects(generator.choice(GOLDENS))
    for _ in range(3):
        *path, last = generator.choice([item_path for item_path in field_paths(manifests) if len(item_path) > 1])
        parent = manifests
        for step in path:
            parent = parent[step]
        if generator.random() < 0.4:
            del parent[last]
        else:
            parent[last] = copy.deepcopy(generator.choice(JUNK))
    FORMATS[sorted(FORMATS)[seed % len(FORMATS)]](plan(manifests))


def test_the_page_loads_nothing() -> None:
    page = html_page([planned("spot/statefulset")])
    assert "default-src 'none'" in page
    assert [text for text in page.split('"') if text.startswith("http")] == ["http://www.w3.org/2000/svg"]


def test_a_launcher_pod_starts_the_processes_of_the_workers() -> None:
    job_plan = planned("mpirun/mpijob")
    drawn = graph(job_plan)
    (launcher,) = (box for box in drawn.boxes if box.label == "launcher pod")
    assert launcher.title == "mpirun-launcher"
    edges = [(each.start, each.end, each.kind) for each in drawn.edges if launcher.id in (each.start, each.end)]
    assert edges == [
        ("owner", launcher.id, "creates"),
        (launcher.id, "pod0", "starts"),
        (launcher.id, "pod1", "starts"),
    ]
    assert next(box for box in drawn.boxes if box.id == "owner").lines == ("3 pods",)
    picture = re.sub("<[^>]*>", "\n", svg([job_plan])).split("\n")
    # 2 workers with 32 CPUs and 256Gi each, and a launcher with 2 CPUs and 4Gi
    assert [picture[picture.index(name) + 2] for name in ("pods", "CPUs", "memory")] == ["3", "66", "516Gi"]


def test_long_names_are_cut_in_the_middle() -> None:
    assert fitted("a-very-long-name-worker-0", 16 * 10 * 0.602, 10, mono=True) == "a-very-l…orker-0"
    assert fitted("none of the nodes has room", 16 * 10 * 0.54, 10) == "none of the nod…"
