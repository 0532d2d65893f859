"""`trainc import` accounts for every value of a job, and for everything that trainc decides itself.

The values are counted by PyYAML, and the differences are those of tests/support/round_trip.py: neither shares code with
what is tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import trainc
from tests.support.facts import corpus_folder
from tests.support.round_trip import INTENDED, compile_jobs, differences, intended_difference, is_rejected, load_jobs
from tools import imports
from trainc.cli.exit_codes import OK
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.systems.registry import READABLE
from trainc.systems.shared.reader.documents import translate_documents

FOLDER = corpus_folder()
KINDS = {system.kind for system in READABLE}
PUBLIC = [file for files in imports.listed_files(FOLDER).values() for file in files] if FOLDER else []
IMPORTED = Path(__file__).with_name("imported")
OWN = sorted(file for file in IMPORTED.glob("*.yaml") if not file.name.endswith(".job.yaml"))
each_file = pytest.mark.parametrize("file", [*PUBLIC, *OWN], ids=lambda file: file.name[-60:])
ACCOUNT = re.compile(r"(\d+) values?: (\d+) carried over, (\d+) changed, (\d+) not carried over")
SERVER_FIELDS = ("status", "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")


def values(node: yaml.Node) -> Iterator[tuple[int, int]]:
    """Yield the start of each scalar in a document, as often as aliases name it, without those of the API server.

    `status` is a field of the server's only beside others: `dependsOn` has one, too.
    """
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value not in SERVER_FIELDS or (isinstance(value, yaml.ScalarNode) and key.value == "status"):
                yield from values(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from values(item)
    else:
        yield node.start_mark.line, node.start_mark.column


def is_job(node: yaml.Node) -> bool:
    fields = {key.value: value.value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}
    return fields.get("kind") in (*KINDS, "AppWrapper")


@pytest.mark.sample(12)
@each_file
def test_every_value_is_carried_over_changed_or_not_carried_over(file: Path) -> None:
    text = imports.fill(file.read_text("utf-8"))
    done = trainc("import", "-", stdin=text)
    if done.code != OK:
        return
    jobs = [node for node in yaml.compose_all(text) if is_job(node)]
    match = ACCOUNT.match(done.err)
    assert match
    total, *parts = map(int, match.groups())
    assert total == sum(parts) == len({place for job in jobs for place in values(job)})
    is_dropped = re.search(r"^  \S+ (?!.*is not a job)", done.err.partition("\nnot carried over:")[2], re.MULTILINE)
    assert not parts[2] or is_dropped


# Lines about the intended differences, by their names.
LINES = {
    "trainc's labels": r"the pods get the labels .*trainc\.dev/job",
    "pod labels": r"the pods get the (labels|annotations) ",
    "shutdown timeout": r"shutdown_timeout: ",
    "run policy": r"a worker (fails|exits)|pods are deleted; before: ",
    "port": r"`29[45]00` instead of `|:29[45]00` instead of `|port `rdzv`",
    "rendezvous": r"rdzv_(id|conf): |PET_RDZV_(ID|CONF)`|TORCH_DISABLE_SHARE_RDZV_TCP_STORE",
    "processes": r"nproc_per_node: |PET_NPROC_PER_NODE`|`WORLD_SIZE`|nprocPerNode",
    "elastic policy": r"any worker has succeeded: no such case|`maxReplicas` has no effect",
    "autoscaler": r"metrics` is not carried over",
    "service account token": r"automountServiceAccountToken",
    "affinity": r"affinity",
}


@pytest.mark.sample(12)
@each_file
def test_every_difference_of_a_pytorchjob_has_a_line(file: Path) -> None:
    text = imports.fill(file.read_text("utf-8"))
    done = trainc("import", "-", stdin=text)
    if done.code != OK or "PyTorchJob" not in text or "error[" in done.err:
        return
    originals = [job for job in load_jobs(text) if not is_rejected(job)]
    if not originals:
        return
    compiled = {job["metadata"]["name"]: job for job in compile_jobs(text)}
    pairs = [(original, compiled[original["metadata"]["name"]]) for original in originals]
    found = {
        intended_difference(difference)
        for pair in pairs
        for difference in differences(*pair)
        # A launcher's own option overrides what the operator passes.
        if not (re.match(r"nprocPerNode|.*PET_NPROC_PER_NODE", difference) and "--nproc" in text)
        and not difference.startswith("nprocPerNode")  # its effects are other differences
    }
    lines = done.err.partition("differences: ")[2].partition("to be decided: ")[0].splitlines()
    assert {name for name in found if name and not any(re.search(LINES[name], line) for line in lines)} == set()


def test_every_intended_difference_has_a_pattern() -> None:
    assert LINES.keys() == {row.name for row in INTENDED}


# Fields on whose value no job depends: names that trainc chooses itself, and the header of a pod template.
IMPLIED = re.compile(r".*\[\d+\]\.(name|type)|(.*\.template\.)?(apiVersion|kind)")


def leaves(value: Any, node: yaml.Node, path: str = "") -> Iterator[tuple[str, Any, Any, set[tuple[int, int]]]]:
    """Yield the path of each scalar, its holder, its key there, and the positions of the fields around it."""
    if isinstance(node, yaml.MappingNode):
        pairs = [(key.value, key.start_mark, inner) for key, inner in node.value]
    else:
        assert isinstance(node, yaml.SequenceNode)
        pairs = [(index, inner.start_mark, inner) for index, inner in enumerate(node.value)]
    for key, mark, inner in pairs:
        where = f"{path}[{key}]" if isinstance(value, list) else f"{path}.{key}" if path else str(key)
        around = {(each.line + 1, each.column + 1) for each in (mark, inner.start_mark)}
        if isinstance(inner, yaml.ScalarNode):
            if value[key] is not None:
                yield where, value, key, around
        else:
            for at, holder, name, more in leaves(value[key], inner, where):
                yield at, holder, name, around | more


def translated(text: str) -> tuple[list[Any], list[str], set[tuple[int, int]]]:
    """Return the jobs, and the messages and positions of all diagnostics."""
    [(jobs, diagnostics, _)] = translate_documents([load(Source("job.yaml", text))[0]])
    places = {(each.span.line, each.span.column) for each in diagnostics}
    return [plain(job) for job in jobs if isinstance(job, Mapping)], [each.message for each in diagnostics], places


def another(value: Any, step: int) -> Any:
    """Return another value. A parallelism above the completions has no effect: it takes a step down."""
    return not value if isinstance(value, bool) else value + step if isinstance(value, int) else f"{value}x"


@pytest.mark.sample(12)
@each_file
def test_another_value_of_any_field_gives_another_job_or_has_a_line(file: Path) -> None:
    try:
        documents = list(yaml.safe_load_all(imports.fill(file.read_text("utf-8"))))
    except yaml.YAMLError:
        return
    for document in documents:
        if not isinstance(document, dict) or document.get("kind") not in KINDS:
            continue
        text = yaml.safe_dump(document, sort_keys=False)
        jobs, messages, lines = translated(text)
        node = yaml.compose(text)
        assert node is not None
        for path, holder, key, around in leaves(document, node) if jobs else ():
            if lines & around or IMPLIED.fullmatch(path):
                continue
            value = holder[key]
            holder[key] = another(value, -1 if key == "parallelism" else 1)
            after = translated(yaml.safe_dump(document, sort_keys=False))
            holder[key] = value
            assert after[:2] != (jobs, messages), path
