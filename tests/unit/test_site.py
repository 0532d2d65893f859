"""The site: every page of docs/ has a place in its navigation, and the check of the built pages finds each fault."""

from __future__ import annotations

import base64
import re
import zlib
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tools.site.check import problems
from tools.site.fragment import fragment
from tools.site.links import DOCS, OUTSIDE, ROOT, rewrite
from tools.site.lists import indent_lists
from trainc.cli.commands import COMMANDS

NAVIGATION = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
PAGES = [file.relative_to(DOCS).as_posix() for file in sorted(DOCS.rglob("*.md"))]
# Their indexes lead to them.
INDEXED = re.compile(r"errors/TC\d{4}\.md|adr/\d{4}-.*\.md")


@pytest.mark.parametrize("page", [page for page in PAGES if not INDEXED.fullmatch(page)])
def test_every_page_is_in_the_navigation_once(page: str) -> None:
    lines = [line for line in NAVIGATION.splitlines() if not line.lstrip().startswith("#")]
    assert len([line for line in lines if line.endswith(f": {page}")]) == 1, f"docs/{page} is not in nav of mkdocs.yml"


def test_the_navigation_has_no_page_that_does_not_exist() -> None:
    named = set(re.findall(r"^ *- [^#\n]*: (\S+\.(?:md|html))$", NAVIGATION, re.MULTILINE))
    assert named <= {*PAGES, *OUTSIDE.values(), "adr/README.md"}


def test_a_fragment_contains_the_text() -> None:
    values = parse_qs(fragment("name: ü\n", backend="jobset").removeprefix("#"))
    (text,), (backend,) = values["text"], values["backend"]
    assert zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), -15).decode() == "name: ü\n"
    assert backend == "jobset"


def test_links_out_of_docs_are_those_of_the_site(tmp_path: Path) -> None:
    page = tmp_path / "recipes" / "a.md"
    text = "[a](../../CONTRIBUTING.md#setup) [b](../../Dockerfile) [c](../../golden) [d](../adr/) [e](https://e.org/x)"
    expected = "[a](../contributing.md#setup) [b](../files/Dockerfile) c (`golden`) [d](../adr/README.md)"
    assert rewrite(text, DOCS / "recipes" / "a.md", page, tmp_path) == f"{expected} [e](https://e.org/x)"
    assert (tmp_path / "files" / "Dockerfile").read_bytes() == (ROOT / "Dockerfile").read_bytes()


def test_lists_are_indented_by_four_spaces() -> None:
    text = "- a\n  b\n  - c\n    d\n\n  ```sh\n  - no item\n   x\n  ```\n\n1. e\n   f\n\n  code\n\n```\n- a\n  b\n```"
    expected = (
        "- a\n    b\n    - c\n        d\n\n    ```sh\n    - no item\n     x\n    ```\n\n"
        "1. e\n    f\n\n  code\n\n```\n- a\n  b\n```"
    )
    assert indent_lists(text) == expected


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ('<a href="../missing/">', "page/index.html: dead link ../missing/"),
        ('<a href="../#none">', "page/index.html: ../#none has no such anchor"),
        (
            '<script src="https://cdn.example/x.js">',
            "page/index.html: loads https://cdn.example/x.js from another host",
        ),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "loads //cdn.example/x.css from another host"),
        ('<img src="none.png">', "page/index.html: none.png does not exist"),
        ("<p>These:\n- a <code>b</code>\n- c</p>", "page/index.html: no list, block or table: `- a b\n- c`"),
        ("<p>It has\n3. a step</p>", "page/index.html: no list, block or table: `3. a step`"),
        ("<p>a row\n| c | d |</p>", "page/index.html: no list, block or table: `| c | d |`"),
    ],
)
def test_a_fault_of_the_built_site_is_reported(page: str, problem: str, tmp_path: Path) -> None:
    for name in ("page", "alone"):
        (tmp_path / name).mkdir()
    (tmp_path / "index.html").write_text('<h1 id="top">x</h1><a href="page/">p</a><a href="#top">t</a>')
    (tmp_path / "page" / "index.html").write_text(
        '<a href="../#top">x</a><p>it takes\n188. Then\nB - 1</p><pre>\n- a</pre>'
    )
    assert problems(tmp_path) == []
    (tmp_path / "page" / "index.html").write_text(page)
    assert [text for text in problems(tmp_path) if problem in text]
    (tmp_path / "alone" / "index.html").write_text("x")
    assert "alone/index.html: no page leads to it" in problems(tmp_path)


def test_a_dead_link_for_agents_is_reported(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("x")
    (tmp_path / "llms.txt").write_text("- [Start](./): steps\n- [Plan](plan/): pods\n")
    assert problems(tmp_path) == ["llms.txt: dead link plan/"]


def test_a_style_from_another_host_is_reported(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("x")
    (tmp_path / "a.css").write_text('@import url("https://fonts.example/a.css");')
    assert problems(tmp_path) == ["a.css: loads from another host"]


def test_the_page_of_commands_has_every_command() -> None:
    page = (DOCS / "commands.md").read_text("utf-8")
    assert [name for name in COMMANDS if not re.search(rf"trainc {name}\b", page)] == []
