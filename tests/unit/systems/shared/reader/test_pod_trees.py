"""Edits of pod templates: values that are not the expected kind stay as they are."""

from __future__ import annotations

from typing import Any

from trainc.source.load import load_mapping
from trainc.source.node import Mapping, plain
from trainc.systems.shared.reader.pod_trees import (
    command_words,
    containers_of,
    reference,
    with_containers,
    with_volumes,
    with_words,
    without_items,
)

TEXT = """\
spec:
  containers:
  - {name: a, command: [run, --rank, 0], args: ["x 0"], ports: [{name: ssh}]}
  - text
  - {name: b, ports: [{name: ssh}, {name: web}]}
"""


def template(text: str = TEXT) -> Mapping:
    node = load_mapping("job.yaml", text)
    assert node is not None
    return node


def without_ssh(container: Mapping) -> Mapping:
    return without_items(container, "ports", ("ssh",))


def ports(node: Mapping) -> list[Any]:
    return [plain(each).get("ports") for each in containers_of(node)]


def test_a_list_that_is_empty_after_a_change_is_removed() -> None:
    assert ports(with_containers(template(), without_ssh)) == [None, [{"name": "web"}]]


def test_other_containers_stay_if_only_the_first_changes() -> None:
    changed = with_containers(template(), without_ssh, only_first=True)
    assert ports(changed) == [None, [{"name": "ssh"}, {"name": "web"}]]
    assert plain(changed)["spec"]["containers"][1] == "text"


def test_a_change_of_words_gets_the_word_before_each() -> None:
    (container, _) = containers_of(template())
    changed = with_words(container, lambda text, last: reference("RANK", text) if last in ("--rank", "") else text)
    assert [plain(each) for each in command_words(changed)] == ["$(RANK)", "--rank", "$(RANK)", "$RANK"]


def test_a_template_without_a_spec_stays() -> None:
    node = template("metadata: {}")
    assert with_containers(node, without_ssh) is node
    assert with_volumes(node, []) is node
