"""The documentation site as both builders make it, in Chromium: sizes, colors, search, and no other host."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.chromium import Browser, serve
from tests.support.examples import ROOT
from tests.support.requirements import unavailable
from trainc.pages import all_codes

PAGES = ("", "start/", "guides/slurm/", "reference/", "back-ends/", "errors/", "errors/TC3069/", "import/")
pytestmark = pytest.mark.slow


def build(folder: Path, builder: str) -> Path:
    """Return the site that a builder makes in a folder; skip without its programs, or fail if they are required."""
    programs = [ROOT / ".venv-site" / "bin" / builder, ROOT / "playground" / "node_modules" / ".bin" / "esbuild"]
    if missing := [program for program in programs if not program.exists()]:
        unavailable(f"{missing[0].relative_to(ROOT)} does not exist: run make site", "TRAINC_REQUIRE_SITE")
    command = [sys.executable, "-m", "tools.site", "--builder", builder, "--folder", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build" / "site"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("mkdocs"), "mkdocs")


def test_zensical_builds_the_same_pages(site: Path, tmp_path: Path) -> None:
    other = build(tmp_path, "zensical")
    first, second = ({page.relative_to(each) for page in each.rglob("*.html")} for each in (site, other))
    assert first == second
    assert len([page for page in first if page.parent.parent.name == "errors"]) == len(all_codes())


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_fit_and_load_nothing_from_another_host(
    site: Path, chrome: Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    with serve(site) as host:
        for path in PAGES:
            page = chrome.page(f"{host}/{path}", width, 900, dark=dark)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('article p')).fontSize)") >= 14
            red, green, blue = page.evaluate(
                "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
            )
            assert (red + green + blue < 3 * 128) == dark, path
            page.screenshot(tmp_path / "page.png")
            assert struct.unpack(">II", (tmp_path / "page.png").read_bytes()[16:24]) == (width, 900)
            assert [url for url in page.requests() if not url.startswith((host, "data:"))] == []
            assert page.errors() == []


def test_search_finds_a_rule(site: Path, chrome: Browser) -> None:
    with serve(site) as host:
        page = chrome.page(host)
        page.evaluate("document.querySelector('.md-search__input').focus()")
        page.send("Input.insertText", text="gpu-count-mismatch")
        page.wait("[...document.querySelectorAll('.md-search-result a')].some(a => a.href.includes('/TC3069/'))")
        assert [url for url in page.requests() if not url.startswith((host, "data:"))] == []


def test_an_example_opens_in_the_playground(site: Path, chrome: Browser) -> None:
    with serve(site) as host:
        page = chrome.page(f"{host}/errors/TC3069/")
        link = "[...document.querySelectorAll('article a')].find(a => a.textContent === 'Open in playground').href"
        page.open(page.evaluate(link))
        page.wait("document.querySelector('#problems .place')")
        problem = page.evaluate("document.querySelector('#problems .place').textContent")
        assert problem == "9:21 error: 8 processes per pod, but only 4 GPUs"
        # The link of the problem leads back to the page of its code.
        target = page.evaluate("document.querySelector('#problems a').href")
        assert target == f"{host}/errors/TC3069/"
