"""The playground in Chromium: the output of the command line, fixes, keyboard, links, offline use."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bench.playground import visits
from tests.support.chromium import TIMEOUT, Browser, Page, serve
from tests.support.command import trainc
from tests.support.examples import ROOT
from tests.support.requirements import npm
from tools.playground import build
from tools.site.fragment import fragment

WRONG = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata:
  name: mnist
spec:
  image: train:1
  launch: {torchrun: {nprocPerNode: 8}}
  run: {python: [train.py]}
  resources: {gpu: 4}
"""
RIGHT = WRONG.replace("{nprocPerNode: 8}", "{}")
HOSTILE = "<img src=x onerror=document.title='hacked'><script>document.title='hacked'</script>"
PROBLEMS = "[...document.querySelectorAll('#problems .place')].map(e => e.textContent)"
TEXT = "document.getElementById('editor').shadowRoot.querySelector('.cm-content')"
# The worker of the page, with a queue that drops nothing.
WORKER = """
globalThis.ask = (() => {
  const worker = new Worker("worker.js", {type: "module"});
  const waiting = new Map();
  let number = 0;
  worker.onmessage = ({data}) => data.id && waiting.get(data.id)(data.answer ?? data.failure);
  return (request) => new Promise((answer) => {
    waiting.set(++number, answer);
    worker.postMessage({id: number, request});
  });
})(), true
"""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm()
    folder = tmp_path_factory.mktemp("playground") / "playground"
    build(folder)
    return folder


@pytest.fixture(scope="module")
def host(playground: Path) -> Iterator[str]:
    with serve(playground.parent) as host:
        yield f"{host}/playground/"


def opened(chrome: Browser, url: str, text: str = WRONG, **options: str) -> Page:
    """Open a text by its link and wait until it is checked."""
    page = chrome.page(url + fragment(text, **options))
    checked(page, text)
    return page


def checked(page: Page, text: str) -> None:
    """Wait until the problems of a text are shown."""
    page.wait(f"document.body.dataset.checked === {json.dumps(text)}")


def ask(page: Page, **request: str) -> Any:
    """Return the worker's answer to a request."""
    return page.evaluate(f"ask({json.dumps(request)})")


@pytest.fixture(scope="module")
def worker(chrome: Browser, host: str) -> Page:
    page = chrome.page(host)
    page.evaluate(WORKER)
    return page


def test_every_example_has_the_bytes_of_the_command_line(worker: Page) -> None:
    examples = sorted((ROOT / "golden").iterdir())
    assert len(examples) > 60
    for index, example in enumerate(examples):
        goldens = sorted(example.glob("*.yaml"))
        golden = goldens[index % len(goldens)]  # another back end for each example
        text = (ROOT / "examples" / f"{example.name}.yaml").read_text("utf-8")
        if re.search(r"\bfiles:", text):
            continue  # local files, which a page doesn't have
        answer = ask(worker, text=text, view="manifests", backend=golden.stem)
        assert answer["output"]["out"] == golden.read_bytes().decode(), golden


def test_every_faulty_job_has_the_messages_of_the_command_line(
    worker: Page, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainc.source.parser._libyaml", lambda: None)  # its syntax errors are worded differently
    count = 0
    for file in sorted((ROOT / "tests" / "acceptance" / "bad").glob("*.yaml")):
        try:
            text = file.read_bytes().decode()
        except UnicodeDecodeError:
            continue  # no text can be pasted with these bytes
        Path("job.yaml").write_bytes(file.read_bytes())
        view, command = (("manifests", "compile"), ("plan", "plan"))[count % 2]
        answer = ask(worker, text=text, view=view)
        expected = trainc(command, "job.yaml")
        assert [answer["output"][key] for key in ("code", "out", "err")] == [*expected], file
        expected = trainc("check", "job.yaml", "--message-format", "json")
        assert [answer["check"][key] for key in ("code", "out", "err")] == [*expected], file
        count += 1
    assert count > 100


def test_views_have_the_output_of_the_command_line(worker: Page, here: Path) -> None:
    Path("job.yaml").write_text(RIGHT)
    Path("old.yaml").write_text(RIGHT.replace("gpu: 4", "gpu: 2"))
    old = Path("old.yaml").read_text()
    options = ("--backend", "jobset", "--kubernetes-version", "1.31", "--namespace", "lab", "--set", "spec.workers=3")
    fields = {"backend": "jobset", "kubernetes": "1.31", "namespace": "lab", "set": "spec.workers=3"}
    for view, command in (
        ("manifests", "compile job.yaml"),
        ("plan", "plan job.yaml"),
        ("diff", "diff old.yaml job.yaml"),
    ):
        answer = ask(worker, text=RIGHT, old=old, view=view, **fields)
        assert [*answer["output"].values()] == [*trainc(*command.split(), *options)]
        assert answer["command"] == f"trainc {command} {' '.join(options)}"
    answer = ask(worker, text=RIGHT, view="picture")
    trainc("plan", "job.yaml", "-o", "plan.svg")
    assert answer["picture"] == Path("plan.svg").read_text("utf-8")
    script = "torchrun --nnodes=2 --nproc_per_node=8 train.py\n"
    Path("job.yaml").write_text(script)
    answer = ask(worker, text=script, view="import", set="spec.image=train:1")
    assert [*answer["output"].values()] == [*trainc("import", "job.yaml", "--set", "spec.image=train:1")]
    assert "kind: TrainingJob" in answer["output"]["out"]
    assert [each["code"] for each in answer["diagnostics"]] == ["TC3064"]


def test_problems_are_in_the_margin_and_fixed_by_a_click(chrome: Browser, host: str) -> None:
    page = opened(chrome, host)
    assert page.evaluate(PROBLEMS) == ["7:37 error: 8 processes per pod, but only 4 GPUs"]
    root = "document.getElementById('editor').shadowRoot"
    assert page.evaluate(f"{root}.querySelectorAll('.cm-lint-marker-error').length") == 1
    assert page.evaluate(f"{root}.querySelector('.cm-lintRange-error').textContent") == "8"
    assert page.evaluate("document.querySelector('#problems a').getAttribute('href')") == "../errors/TC3069/"
    page.evaluate("document.querySelector('#problems .fix').click()")
    checked(page, RIGHT)
    assert page.evaluate(PROBLEMS) == []
    page.wait("document.getElementById('text').textContent.includes('kind: Job')")
    assert page.errors() == []


def test_the_keyboard_suffices(chrome: Browser, host: str) -> None:
    page = opened(chrome, host)
    focused = "(document.activeElement.id || document.activeElement.className || document.activeElement.tagName)"
    reached = []
    for _ in range(20):
        page.key("Tab")
        reached.append(page.evaluate(focused))
        if reached[-1] == "editor":
            break
    assert reached == ["docs", "example", "backend", "kubernetes", "namespace", "set", "share", "editor"]
    page.key("Escape")  # then Tab leaves the editor
    page.key("Tab")
    assert page.evaluate(focused) == "place"
    page.key("Enter")  # to the place of the problem
    page.wait("document.activeElement.id === 'editor'")
    page.send("Input.insertText", text="1")
    checked(page, WRONG.replace("nprocPerNode: 8", "nprocPerNode: 18"))
    assert page.evaluate(PROBLEMS) == ["7:37 error: 18 processes per pod, but only 4 GPUs"]
    for key in ("Escape", "Tab", "Tab", "Enter"):  # over the problem to its fix
        page.key(key)
    checked(page, RIGHT)
    for _ in range(4):
        page.key("Escape")
        page.key("Tab")
        if page.evaluate(focused) == "tab-manifests":
            break
    page.key("ArrowRight")
    assert page.evaluate(focused) == "tab-plan"
    page.wait("document.getElementById('text').textContent.startsWith('mnist: torchrun, 1 pod')")
    page.key("Tab")
    assert page.evaluate(focused) == "panel"


def test_a_hostile_link_runs_nothing(chrome: Browser, host: str) -> None:
    page = opened(chrome, host)
    policy = page.evaluate("document.querySelector('meta[http-equiv]').content")
    assert "script-src 'self' 'wasm-unsafe-eval';" in policy
    assert "unsafe-inline" not in policy
    fields = {"kubernetes": HOSTILE, "namespace": HOSTILE, "set": HOSTILE, "old": HOSTILE}
    for number, view in enumerate(("manifests", "plan", "picture", "import", "diff", HOSTILE)):
        text = f"# {number}\n" + WRONG.replace("train:1", json.dumps(HOSTILE)).replace("mnist", json.dumps(HOSTILE))
        page.evaluate(f"location.hash = {json.dumps(fragment(text, **fields, view=view))}")
        checked(page, text)
        assert page.evaluate("document.getElementById('namespace').value") == HOSTILE
        assert page.evaluate("document.querySelectorAll('#problems img, #text *, #command *, script').length") == 1
    for number, (name, value) in enumerate((("text", "####"), ("text", "AAAA"), ("old", "%F0%9F"))):
        page.evaluate(f"location.hash = '#n={number}&{name}={value}'")
        checked(page, "# The link is damaged: its text cannot be read.\n")
    bomb = fragment("a" * 50_000_000)
    page.evaluate(f"delete document.body.dataset.checked; location.hash = {json.dumps(bomb)}")
    checked(page, "# The link is damaged: its text cannot be read.\n")
    assert page.evaluate("document.title") == "trainc playground"
    assert page.errors() == []
    # The policy itself: neither an attribute nor an element of the page's own document runs.
    page.evaluate(f"document.body.insertAdjacentHTML('beforeend', {json.dumps(HOSTILE)})")
    script = "Object.assign(document.createElement('script'), {text: 'document.title = 1'})"
    page.evaluate(f"document.body.append({script})")
    page.wait("document.images[document.images.length - 1].complete")
    assert page.evaluate("document.title") == "trainc playground"
    assert len([error for error in page.errors() if "Content Security Policy" in error]) == 2


def test_a_link_carries_the_text_in_its_fragment(chrome: Browser, host: str) -> None:
    page = opened(chrome, host, "# ü 🙂\n" + WRONG, view="plan", backend="jobset")
    page.evaluate("document.getElementById('share').click()")
    page.wait("document.getElementById('state').textContent.startsWith('The link is in the')")
    url = page.evaluate("location.href")
    (text,) = parse_qs(urlsplit(url).fragment)["text"]
    decoded = zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), -15).decode()
    assert decoded == "# ü 🙂\n" + WRONG
    other = chrome.page(url)
    checked(other, decoded)
    assert other.evaluate("document.getElementById('backend').value") == "jobset"
    assert other.evaluate("document.querySelector('[aria-selected=true]').dataset.view") == "plan"
    other.evaluate("document.querySelector('#problems .fix').click()")  # columns count code points
    checked(other, "# ü 🙂\n" + RIGHT)
    sent = [urlsplit(request) for request in other.requests()]
    assert {each.netloc for each in sent if each.scheme == "http"} == {urlsplit(host).netloc}
    assert not any(text in each.path + each.query for each in sent)


def test_it_works_offline_after_the_first_load(chrome: Browser, playground: Path) -> None:
    with serve(playground.parent) as host:
        page = opened(chrome, f"{host}/playground/")
        page.wait("document.body.dataset.offline === 'ready'")
    page.open(f"{host}/playground/{fragment(RIGHT, view='plan')}")
    checked(page, RIGHT)
    page.wait("document.getElementById('text').textContent.startsWith('mnist: torchrun, 1 pod')")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits(chrome: Browser, host: str, tmp_path: Path, dark: bool) -> None:
    page = chrome.page(host + fragment(WRONG), 1280, 900, dark=dark)
    checked(page, WRONG)
    for width in (1280, 390):
        page.resize(width, 900)
        for view in ("manifests", "plan", "picture", "import", "diff"):
            page.evaluate(f"document.getElementById('tab-{view}').click()")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        page.screenshot(tmp_path / "page.png")
        assert struct.unpack(">II", (tmp_path / "page.png").read_bytes()[16:24]) == (width, 900)
        color = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
        assert (sum(color) < 3 * 128) == dark
    assert page.errors() == []


def test_the_first_diagnostics_appear_in_a_first_and_a_later_visit(chrome: Browser, host: str) -> None:
    """The figures of `python -m bench.playground`; their bounds are generous, as those of all waits."""
    for visit in visits(chrome, host):
        assert 0 < visit.seconds < TIMEOUT
        assert visit.cpu > 0
