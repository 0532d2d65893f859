"""Any input ends in diagnostics or parseable manifests, within a number of calls proportional to its length."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.corpus import BAD, GOOD
from tests.support.full_job import FULL
from trainc.cluster.load import read_entry
from trainc.diagnostics.diagnostic import Diagnostic, Rejected
from trainc.diagnostics.text import render
from trainc.driver import run
from trainc.emit.manifest import to_json
from trainc.project.load import read_project
from trainc.schema.values import ValuesFile
from trainc.source.load import decode, load
from trainc.span import Source
from trainc.systems.registry import NAMES
from trainc.target import Target

CALLS_PER_CHARACTER = 1000
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PLAIN_JOB = next(file for file in GOOD if file.stem == "plain").read_text("utf-8")
SEEDS = [PLAIN_JOB, FULL, FULL.replace("torchrun:", "deepspeed:", 1), PLAIN_JOB.replace("torchrun: {}", "basic: {}")]
PIECES = [
    *("- ", ": ", "? ", "# ", "| ", "> ", "& ", "&a ", "*a ", "! ", "!!str ", "!x ", "% ", "@", "`", "[", "]", "{"),
    *("}", ",", "'", '"', "\\", "\n", "\n\n", "---\n", "...\n", "<<: ", "<<: *a\n", "\t", " ", "  ", "\r", "\r\n"),
    *("\x00", "\x85", "\u2028", "\ufeff", "\x1b", "é", "😀", "null", "true", "~", "=", "0x1f", "1e999", ".nan"),
    *("99999999999999999999", "-1", "$(A)", "{{ x }}", "%YAML 1.2\n", "|\n", ">-\n", "[[[[", "a: &a [*a]\n"),
]
PROJECT = """\
apiVersion: trainc.dev/v1alpha1
kind: Project
jobs: [jobs/]
manifests: manifests/
backend: jobset
backends: [{launcher: mpirun, paths: ["legacy/**"], backend: mpijob}]
versions: {kubernetes: "1.33"}
defaults: {metadata: {labels: {team: vision}}, spec: {workers: 3, env: {A: "1"}}}
ignores:
- {codes: [TC3002], paths: ["legacy/**"], until: "2027-01-31", owner: team}
environments:
  dev: {spec: {workers: 1, env: {A: null}}}
  "${{ x": {spec: {workers: "${{ matrix.n }}"}}
clusters:
  a: clusters/a.yaml
  b: {file: clusters/b.yaml, jobs: ["b/**"]}
"""
VALUES = "spec:\n  workers: 3\n  env: {A: null, B: '1'}\n  podTemplate: {spec: {nodeSelector: {a: b}}}\n"
CLUSTER = """\
apiVersion: trainc.dev/v1alpha1
kind: Cluster
metadata: {name: a}
spec:
  kubernetes: "1.33"
  backend: jobset
  nodes:
  - {name: cpu, count: 2, allocatable: {cpu: "8", memory: 64Gi}}
"""
SWEEP = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: "sweep-${{ matrix.workers }}"}
matrix:
  workers: [1, 2]
spec:
  image: train:1
  launch: {torchrun: {}}
  run: {python: [train.py]}
  workers: "${{ matrix.workers }}"
"""
CHANGE = st.one_of(
    st.tuples(st.just("insert"), st.integers(0, 10_000), st.sampled_from(PIECES)),
    st.tuples(st.just("delete line"), st.integers(0, 200), st.just("")),
    st.tuples(st.just("duplicate line"), st.integers(0, 200), st.just("")),
    st.tuples(st.just("indent line"), st.integers(0, 200), st.sampled_from([" ", "  ", "- ", "\t"])),
    st.tuples(st.just("cut"), st.integers(0, 10_000), st.just("")),
    st.tuples(st.just("value"), st.integers(0, 200), st.sampled_from(PIECES)),
)


def _apply_changes(text: str, changes: Iterable[tuple[str, int, str]]) -> str:
    for kind, position, piece in changes:
        lines = text.split("\n")
        line, offset = position % len(lines), position % (len(text) + 1)
        if kind == "insert":
            text = text[:offset] + piece + text[offset:]
        elif kind == "cut":
            text = text[:offset]
        else:
            if kind == "delete line":
                del lines[line]
            elif kind == "duplicate line":
                lines.insert(line, lines[line])
            elif kind == "indent line":
                lines[line] = piece + lines[line]
            elif ":" in lines[line]:
                lines[line] = lines[line].partition(":")[0] + ": " + piece
            text = "\n".join(lines)
    return text


def _compile(data: bytes, backend: str) -> None:
    """Compile, and check diagnostics and manifests."""
    try:
        outcome = run([decode("job.yaml", data)], Target(backend=backend))
    except Rejected:  # the bytes are not text
        return
    manifests = [manifest for job in outcome.jobs for manifest in job.manifests()]
    assert outcome.ok == bool(outcome.jobs)
    render(outcome.diagnostics)
    to_json(manifests)
    for manifest in manifests:
        (document,) = yaml.load_all(manifest.text, LOADER)
        assert isinstance(document["apiVersion"], str)
        assert document["kind"] == manifest.kind
        assert document["metadata"]["name"] == manifest.name


def _read_sweep(source: Source) -> None:
    outcome = run([source], Target(backend="job"))
    if outcome.diagnostics and not outcome.ok:
        raise Rejected(*outcome.diagnostics)
    to_json([manifest for job in outcome.jobs for manifest in job.manifests()])


OTHER_FILES: dict[str, tuple[Callable[[Source], object], str]] = {
    "project": (read_project, PROJECT),
    "values": (lambda source: ValuesFile(source).apply(load(Source("job.yaml", PLAIN_JOB))[0][0]), VALUES),
    "cluster": (read_entry, CLUSTER),
    "sweep": (_read_sweep, SWEEP),
}


@settings(database=None, deadline=None, max_examples=150)
@given(st.sampled_from(SEEDS), st.lists(CHANGE, min_size=1, max_size=4), st.sampled_from(NAMES))
def test_mutated_texts_never_crash_the_compiler(seed: str, changes: list[tuple[str, int, str]], backend: str) -> None:
    _compile(_apply_changes(seed, changes).encode(), backend)


@settings(database=None, deadline=None, max_examples=100)
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=4),
    st.sampled_from(NAMES),
)
def test_mutated_bytes_never_crash_the_compiler(seed: str, replacements: list[tuple[int, int]], backend: str) -> None:
    data = bytearray(seed.encode())
    for position, byte in replacements:
        data[position % len(data)] = byte
    _compile(bytes(data), backend)


@settings(database=None, deadline=None, max_examples=120, derandomize=True)
@given(st.sampled_from(sorted(OTHER_FILES)), st.lists(CHANGE, min_size=1, max_size=4))
def test_mutated_files_of_a_run_never_crash(kind: str, changes: list[tuple[str, int, str]]) -> None:
    """Of project files, values files, entries of clusters and sweeps, each ends in a value or in diagnostics."""
    read, seed = OTHER_FILES[kind]
    problems: tuple[Diagnostic, ...] = ()
    try:
        read(Source("file.yaml", _apply_changes(seed, changes)))
    except Rejected as rejected:
        problems = tuple(rejected.diagnostics)
    assert "TC9001" not in render(problems)


@pytest.mark.parametrize("kind", ["project", "values", "cluster", "sweep"])
def test_the_seeds_of_other_files_are_valid(kind: str) -> None:
    read, seed = OTHER_FILES[kind]
    read(Source("file.yaml", seed))


@settings(database=None, deadline=None, max_examples=100)
@given(st.binary(max_size=60), st.sampled_from(NAMES))
@example(b"\xef\xbb\xbf\xff", "job")
@example(b"\xff\xfe", "job")
@example(b"\xef\xbb", "job")
def test_any_bytes_never_crash_the_compiler(data: bytes, backend: str) -> None:
    _compile(data, backend)
    _compile(b"\xef\xbb\xbf" + data, backend)


@settings(database=None, deadline=None, max_examples=100)
@given(st.text("-:?#|>&*!%@`[]{},'\"\\ \n\tab0~=<.", max_size=30), st.sampled_from(NAMES))
def test_texts_of_indicators_never_crash_the_compiler(text: str, backend: str) -> None:
    _compile(text.encode(), backend)


@pytest.mark.sample(15)
@pytest.mark.parametrize("file", [*BAD, *GOOD], ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_fixtures_never_crash_any_back_end(file: Path) -> None:
    for backend in NAMES:
        _compile(file.read_bytes(), backend)


def _alias_chain(depth: int) -> str:
    """Return a job with a deep value in flat text: each line nests the line above."""
    lines = ["a0: &a0 [x]", *(f"a{level}: &a{level} [*a{level - 1}]" for level in range(1, depth))]
    return PLAIN_JOB + "\n".join(lines) + "\n"


def _deep_merge(depth: int) -> str:
    lines = [
        "a0: &a0 {k: v}",
        *(f"a{level}: &a{level} {{<<: *a{level - 1}, k{level}: v}}" for level in range(1, depth)),
    ]
    return PLAIN_JOB + "\n".join(lines) + "\n"


HEAVY = {
    "a chain of aliases": _alias_chain(400),
    "a chain of aliases over the limit": _alias_chain(3000),
    "a chain of merges": _deep_merge(400),
    "merges of merges": _deep_merge(2000),
    "a hundred thousand brackets": "[" * 100_000,
    "a hundred thousand braces": "{a: " * 100_000,
    "many documents": "---\n{}\n" * 5000,
    "many empty documents": "---\n" * 50_000,
    "a very long line": PLAIN_JOB.replace("train.py", "x" * 1_000_000),
    "a very long key": PLAIN_JOB + f"? {'k' * 100_000}\n: v\n",
    "many unknown fields": PLAIN_JOB + "".join(f"  k{number}: v\n" for number in range(1000)),
    "many arguments": PLAIN_JOB.replace("train.py", "train.py" + ", a" * 20_000),
    "many variables": PLAIN_JOB + "".join(f"    K{number}: v\n" for number in range(3000)),
    "a large world for deepspeed": PLAIN_JOB.replace("torchrun: {}", "deepspeed: {}").replace(
        "workers: 2", "workers: 100000"
    ),
    "many anchors": PLAIN_JOB + "".join(f"  # x\n  k{number}: &k{number} v\n" for number in range(300)),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", HEAVY)
def test_calls_are_proportional_to_the_length(name: str) -> None:
    """Count calls, which are the same on every machine."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    original = sys.getprofile()
    sys.setprofile(count)
    try:
        _compile(HEAVY[name].encode(), "job")
    finally:
        sys.setprofile(original)
    assert calls < CALLS_PER_CHARACTER * len(HEAVY[name])
