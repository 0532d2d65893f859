"""Links between pages, and paths of the repository that pages name, lead somewhere."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTED = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
PAGES = sorted(ROOT / name for name in LISTED.split("\0") if name.endswith(".md"))
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NO_SITE = re.compile(r"\w+://[^\s/]*\btrainc\.dev\b")  # the API group, which is no host
PATH = re.compile(r"`((?:compiler|tests|tools|docs|templates|schemas|examples|bench)/[\w/.-]+)`")


@cache
def text_of(page: Path) -> str:
    return FENCED.sub("", page.read_text("utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.skipif(not PAGES, reason="no checkout of git")
def test_links_lead_to_pages_and_headings() -> None:
    links = [(page, link) for page in PAGES for link in LINK.findall(re.sub(r"`[^`]*`", "", text_of(page)))]
    relative = [(page, *link.partition("#")[::2]) for page, link in links if not re.match(r"\w+:", link)]
    assert len(relative) > 400
    targets = [(page, page.parent / path if path else page, anchor) for page, path, anchor in relative]
    assert [(page.name, str(target)) for page, target, _ in targets if not target.exists()] == []
    headings = [(page, target.resolve(), anchor) for page, target, anchor in targets if anchor]
    assert [(page.name, anchor) for page, target, anchor in headings if anchor not in anchors(target)] == []


@pytest.mark.skipif(not PAGES, reason="no checkout of git")
def test_paths_in_pages_exist() -> None:
    named = [(page.name, path) for page in PAGES for path in PATH.findall(text_of(page))]
    assert len(named) > 50
    assert [(page, path) for page, path in named if not any(ROOT.glob(path.replace("NAME", "*")))] == []


@pytest.mark.skipif(not PAGES, reason="no checkout of git")
def test_no_page_leads_to_a_host_that_does_not_exist() -> None:
    assert [page.name for page in PAGES if NO_SITE.search(page.read_text("utf-8"))] == []
