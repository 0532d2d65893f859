"""`trainc lsp` over its pipes, as an editor starts it; and every half-typed example."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed: pip install 'trainc[lsp]'")

from lsprotocol.types import Position

from tests.support.files import PROJECT, write, write_project
from tests.support.language_server import ROOT, TRAINC, Client
from tests.support.own_checks import add_check_that_writes
from tests.support.reindent import reindent
from trainc.lsp.analysis import analyse
from trainc.lsp.diagnostics import to_protocol
from trainc.lsp.positions import Positions
from trainc.lsp.schema_help import completions, hover
from trainc.lsp.symbols import symbols
from trainc.source.formatting import format_edits
from trainc.span import Source

EXAMPLE = ROOT / "examples/torchrun.yaml"
JOB = EXAMPLE.read_text()
BAD = JOB.replace("nprocPerNode: 8", "nprocPerNode: 9")  # of 8 GPUs
TYPO = JOB.replace("workers:", "wokers:")
EXAMPLES = sorted(ROOT.glob("examples/*.yaml"))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Yield an initialized session."""
    with Client(tmp_path) as running:
        running.start()
        yield running


def uri(folder: Path, name: str = "a.job.yaml") -> str:
    return (folder / name).as_uri()


def place(text: str, word: str) -> dict[str, int]:
    """Position of a word, counted in UTF-16 by hand."""
    before = text[: text.index(word)]
    line = before.rpartition("\n")[2]
    return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}


def test_a_session_ends_with_the_codes_of_the_protocol(tmp_path: Path) -> None:
    with Client(tmp_path) as client:
        client.start()
        assert client.stop() == 0
    with Client(tmp_path) as client:
        client.start()
        client.notify("exit")  # without shutdown
        assert client.process.wait(60) == 1


def test_diagnostics_are_those_of_check(client: Client, tmp_path: Path) -> None:
    (tmp_path / "a.job.yaml").write_text(BAD)
    command = [sys.executable, "-m", "trainc", "check", "--message-format", "json", str(tmp_path / "a.job.yaml")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    reported = json.loads(checked.stdout)
    found = client.open(uri(tmp_path), BAD)
    assert found
    assert [each["code"] for each in found] == [each["code"] for each in reported]
    assert [each["message"].partition("\nhelp: ")[0] for each in found] == [each["message"] for each in reported]


def test_a_healthy_job_and_other_files_have_none(client: Client, tmp_path: Path) -> None:
    assert client.open(uri(tmp_path), JOB) == []
    assert client.open(uri(tmp_path, "values.yaml"), "replicas: 3\nimage: {\n") == []
    assert client.open(uri(tmp_path, "build.sh"), "make all\n", "shellscript") == []


def test_a_fix_is_an_action_that_repairs_the_text(client: Client, tmp_path: Path) -> None:
    (found,) = client.open(uri(tmp_path), TYPO)
    context = {"diagnostics": [found]}
    document = {"uri": uri(tmp_path)}
    (action,) = client.request("textDocument/codeAction", textDocument=document, range=found["range"], context=context)
    (edit,) = action["edit"]["changes"][uri(tmp_path)]
    lines = TYPO.split("\n")
    start, end = edit["range"]["start"], edit["range"]["end"]
    assert start["line"] == end["line"]
    line = lines[start["line"]]
    lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
    assert "\n".join(lines) == JOB


@pytest.mark.sample(1)
@pytest.mark.parametrize("lead", ["", "\ufeff", "# 🚀\r\n", "# a\u2028# b \x85# c\n"])
def test_positions_are_utf16_and_break_lines_as_the_protocol(client: Client, tmp_path: Path, lead: str) -> None:
    text = lead + JOB.replace("metadata:", "metadata:\n  annotations: {🚀🚀: '\t', b: 1}", 1)
    found = client.open(uri(tmp_path), text)
    assert place(text, "1}") in [each["range"]["start"] for each in found]


def test_only_the_last_of_many_changes_is_checked(client: Client, tmp_path: Path) -> None:
    client.open(uri(tmp_path), JOB)
    for version in range(2, 30):
        client.change(uri(tmp_path), TYPO if version < 29 else BAD, version)
    found = client.diagnostics(uri(tmp_path), 29)
    assert "TC2002" not in [each["code"] for each in found]
    client.notify("textDocument/didClose", textDocument={"uri": uri(tmp_path)})
    assert client.diagnostics(uri(tmp_path)) == []


def test_completion_hover_and_symbols(client: Client, tmp_path: Path) -> None:
    text = JOB + "  \n"
    client.open(uri(tmp_path), text)
    document = {"uri": uri(tmp_path)}
    end = {"line": text.count("\n") - 1, "character": 2}
    items = client.request("textDocument/completion", textDocument=document, position=end)
    labels = {each["label"] for each in items}
    assert {"elastic", "volumes", "checkpoint"} <= labels
    assert labels.isdisjoint({"workers", "launch", "image"})  # the job has them
    shown = client.request("textDocument/hover", textDocument=document, position=place(text, "workers:"))
    assert "spec.workers" in shown["contents"]["value"]
    assert "ranks 8–15 of 32" in shown["contents"]["value"]  # 4 workers with 8 processes
    (job,) = client.request("textDocument/documentSymbol", textDocument=document)
    assert job["name"].startswith("TrainingJob ")
    assert {"metadata", "spec"} <= {each["name"] for each in job["children"]}


# The first hover takes until the file `go` exists.
SLOW_HOVER = """
import os, sys, time
from trainc.lsp import server
from trainc.__main__ import main
hover = server.hover
def slow(*arguments):
    while not os.path.exists("go"):
        time.sleep(0.05)
    return hover(*arguments)
server.hover = slow
sys.argv = ["trainc", "lsp"]
sys.exit(main())
"""


def test_a_slow_hover_delays_no_other_message_and_can_be_cancelled(tmp_path: Path) -> None:
    document, cancelled = {"uri": uri(tmp_path)}, -32800  # RequestCancelled of the protocol
    with Client(tmp_path, [sys.executable, "-c", SLOW_HOVER]) as client:
        client.start()
        client.open(uri(tmp_path), JOB)
        position = place(JOB, "workers:")
        slow = client.send_request("textDocument/hover", textDocument=document, position=position)
        waiting = client.send_request("textDocument/hover", textDocument=document, position=position)
        stale = client.send_request("textDocument/hover", textDocument=document, position=position)
        client.change(uri(tmp_path), BAD + "  \n", 2)
        end = {"line": BAD.count("\n"), "character": 2}
        completion = client.send_request("textDocument/completion", textDocument=document, position=end)
        client.notify("$/cancelRequest", id=waiting)
        others = {each["id"]: each for each in client.responses(2)}
        assert others.keys() == {completion, waiting}  # while the first hover runs
        assert "elastic" in {each["label"] for each in others[completion]["result"]}
        assert others[waiting]["error"]["code"] == cancelled
        (tmp_path / "go").touch()
        hovers = {each["id"]: each["result"] for each in client.responses(2)}
        assert "ranks 8–15 of 32" in hovers[slow]["contents"]["value"]
        assert hovers[stale] is None  # of a text that has changed
        assert "TC" in client.diagnostics(uri(tmp_path), 2)[0]["code"]


def apply(text: str, edits: list[dict[str, Any]]) -> str:
    """Apply edits of a text whose lines end with a line feed, in ASCII."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines) + 1)]
    offsets = [
        (
            *(starts[each["range"][end]["line"]] + each["range"][end]["character"] for end in ("start", "end")),
            each["newText"],
        )
        for each in edits
    ]
    for start, end, new in sorted(offsets, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def test_a_file_of_trainc_is_formatted(tmp_path: Path) -> None:
    text = reindent(JOB, random.Random(1))
    options = {"tabSize": 8, "insertSpaces": False}
    other = "apiVersion: v1\nkind: Pod\nmetadata:\n      labels: {trainc.dev/job: a}\n"
    with Client(tmp_path) as client:
        assert client.start()["documentFormattingProvider"]
        for name, content in {"a.yaml": text, "b.yaml": other, "c.yaml": JOB, "d.yaml": text + "a: [\n"}.items():
            client.open(uri(tmp_path, name), content)
        edits = {
            name: client.request("textDocument/formatting", textDocument={"uri": uri(tmp_path, name)}, options=options)
            for name in ("a.yaml", "b.yaml", "c.yaml", "d.yaml")
        }
    assert apply(text, edits.pop("a.yaml")) == JOB
    assert set(map(str, edits.values())) == {"[]"}


def test_a_project_file_and_its_clusters(client: Client, tmp_path: Path) -> None:
    project = PROJECT + "clusters:\n  prod: {spec: {kubernetes: '1.34'}}\n"
    text = JOB + "  cluster: \n"
    (tmp_path / "trainc.yaml").write_text(project)
    assert client.open(uri(tmp_path, "trainc.yaml"), project) == []
    client.change(uri(tmp_path, "trainc.yaml"), project + "jbos: []\n", 2)  # which is not saved
    assert [each["code"] for each in client.diagnostics(uri(tmp_path, "trainc.yaml"), 2)] == ["TC2002"]
    client.open(uri(tmp_path), text)
    position = {"line": text.count("\n") - 1, "character": len("  cluster: ")}
    (item,) = client.request("textDocument/completion", textDocument={"uri": uri(tmp_path)}, position=position)
    assert (item["label"], item["detail"]) == ("prod", "Kubernetes 1.34")
    position = place(text, "cluster:")
    shown = client.request("textDocument/hover", textDocument={"uri": uri(tmp_path)}, position=position)
    assert "- **prod**: Kubernetes 1.34" in shown["contents"]["value"]


def lines_of(client: Client, path: Path, word: str) -> list[tuple[str, str]]:
    """Go to the definition of a word in an open file; return the names and the lines of the results."""
    document, position = {"uri": path.as_uri()}, place(path.read_text(), word)
    results = client.request("textDocument/definition", textDocument=document, position=position)
    assert all(each["range"]["start"]["line"] == each["range"]["end"]["line"] for each in results)
    files = [Path(unquote(urlparse(each["uri"]).path)) for each in results]
    lines = [each["range"]["start"]["line"] for each in results]
    return [(file.name, file.read_text().split("\n")[line].strip()) for file, line in zip(files, lines, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--source-map", "manifests/mnist.map"]], ids=["without map", "with map"])
def test_go_from_a_field_to_its_manifest_and_back(client: Client, tmp_path: Path, options: list[str]) -> None:
    job, manifest = tmp_path / "jobs/a.yaml", tmp_path / "manifests/mnist.yaml"
    write(job, JOB)
    write_project("jobs: [jobs/]\nmanifests: manifests/\n", tmp_path)
    command = [sys.executable, "-m", "trainc", "compile", "jobs/a.yaml", "-o", "manifests/", *options]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    client.open(job.as_uri(), JOB)
    client.open(manifest.as_uri(), manifest.read_text())
    found = lines_of(client, job, "workers:")
    assert ("mnist.yaml", "completions: 4") in found
    assert ("mnist.yaml", "parallelism: 4") in found
    assert lines_of(client, job, "memory:") == [
        *2 * [("mnist.yaml", "memory: 256Gi")],  # request and limit
        ("mnist.yaml", "sizeLimit: 128Gi"),  # shared memory: half of it
    ]
    assert lines_of(client, manifest, "memory: 256Gi")[0][0] == "a.yaml"
    assert "memory: 256Gi" in lines_of(client, manifest, "memory: 256Gi")[0][1]
    assert ("a.yaml", "workers: 4") in lines_of(client, manifest, "completions: 4")


def test_there_is_no_manifest_to_go_to(client: Client, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(JOB)
    (tmp_path / "b.yaml").write_text("kind: Job\n")
    (tmp_path / "b.map").write_text("[" * 10_000)
    client.open((tmp_path / "a.yaml").as_uri(), JOB)
    client.open((tmp_path / "b.yaml").as_uri(), "kind: Job\n")
    assert lines_of(client, tmp_path / "a.yaml", "workers:") == []
    assert lines_of(client, tmp_path / "b.yaml", "kind:") == []


@pytest.mark.parametrize("options", [[], ["--checks"]], ids=["by default", "with --checks"])
def test_code_of_the_project_runs_only_if_it_is_asked_for(tmp_path: Path, options: list[str]) -> None:
    mark = add_check_that_writes(tmp_path)
    (tmp_path / ".git").mkdir()
    with Client(tmp_path, [*TRAINC, *options]) as client:
        client.start()
        assert client.open(uri(tmp_path), JOB) == []
    assert mark.exists() is bool(options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "\ud800",
        "kind: TrainingJob\n" + "[" * 100_000,
        JOB + "\0",
        "a" * 6_000_000,
        "kind: TrainingJob\r- \x85: [\r\n",
    ],
)
def test_hostile_texts_leave_the_server_alive(client: Client, tmp_path: Path, text: str) -> None:
    client.open(uri(tmp_path), text)
    client.request("textDocument/documentSymbol", textDocument={"uri": uri(tmp_path)})
    assert client.open(uri(tmp_path, "b.yaml"), JOB) == []
    assert client.stop() == 0


def everything(text: str) -> None:
    """Ask for all that an editor asks while someone types at the end of a text."""
    analysis = analyse("a.yaml", text, lambda _: None)
    positions = Positions(text)
    assert "TC9001" not in [each.code.id for each in analysis.diagnostics]
    for each in analysis.diagnostics:
        to_protocol(each, "file:///a.yaml", "a.yaml", positions)
    completions(text, len(text))
    hover(text, len(text), analysis.jobs)
    symbols("a.yaml", text, "utf-16")
    format_edits(Source("a.yaml", text))


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_prefix_of_an_example(example: Path) -> None:
    text = example.read_text()
    for end in range(len(text)):
        everything(text[:end])


@pytest.mark.parametrize("example", EXAMPLES[:3], ids=lambda path: path.stem)
def test_some_prefixes_of_an_example(example: Path) -> None:
    text = example.read_text()
    for end in range(0, len(text), max(len(text) // 25, 1)):
        everything(text[:end])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_offsets_and_positions_are_inverse(encoding: str) -> None:
    text = "a🚀\tb\r\nc\u2028d\re\n"
    positions = Positions(text, encoding)
    for offset in [*range(6), 6, 7, 8, 9, 10, 11, 12]:
        if text[offset - 1 : offset + 1] != "\r\n":
            assert positions.offset(positions.position(offset)) == offset
    assert positions.offset(Position(line=99, character=0)) == len(text)


def test_without_the_package_one_line_says_how_to_install(tmp_path: Path) -> None:
    write(tmp_path / "pygls/__init__.py", "raise ModuleNotFoundError(name='pygls')")
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT / 'compiler'}"}
    command = [sys.executable, "-m", "trainc", "lsp"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    line = "error: trainc lsp requires the package pygls: pip install 'trainc[lsp]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)
