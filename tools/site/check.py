"""Check of the built site: links, anchors, ways to pages, and hosts, in the HTML that browsers get."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Elements with files that a browser loads by itself.
_LOADED = {"script": "src", "img": "src", "link": "href", "source": "src", "iframe": "src"}
_PASSIVE = {"canonical", "alternate", "edit", "prev", "next", "license"}
# A list, a block or a row that became text: the blank line before it is missing, or one too many is above the row. A
# wrapped line of text may begin with a large number.
_UNRENDERED = re.compile(r"\n *(?:[-*] |\d{1,2}\. |```)|^ *\|.*\|$", re.MULTILINE)
_IMPORT = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import\s+['\"](?:https?:)?//")


class Page(HTMLParser):
    """Links, anchors, loaded files and paragraphs of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.paragraphs: list[str] = []
        self._is_paragraph = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what an element refers to."""
        values = dict(attrs)
        if tag == "p":
            self._is_paragraph = True
            self.paragraphs.append("")
        self.anchors |= {value for name in ("id", "name") if (value := values.get(name))}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"] or "")
        if tag in _LOADED and not _PASSIVE & set((values.get("rel") or "").split()):
            self.loaded += [value for value in [values.get(_LOADED[tag])] if value]

    def handle_endtag(self, tag: str) -> None:
        """End a paragraph."""
        self._is_paragraph = self._is_paragraph and tag != "p"

    def handle_data(self, data: str) -> None:
        """Collect the text of a paragraph."""
        if self._is_paragraph:
            self.paragraphs[-1] += data


def problems(site: Path) -> list[str]:
    """Return what is wrong with a built site, a line each."""
    pages = {file: Page(file.read_text("utf-8")) for file in sorted(site.rglob("*.html"))}
    faults = [text for file, page in pages.items() for text in _page_problems(file, page, pages, site)]
    styles = (file for file in sorted(site.rglob("*.css")) if _IMPORT.search(file.read_text("utf-8")))
    faults += [f"{file.relative_to(site)}: loads from another host" for file in styles]
    faults += [f"llms.txt: dead link {url}" for url in _dead_agent_links(site)]
    reachable = _reachable(site / "index.html", pages, site)
    unlisted = [file for file in pages if file not in reachable and file.name != "404.html"]
    return faults + [f"{file.relative_to(site)}: no page leads to it" for file in unlisted]


def _page_problems(file: Path, page: Page, pages: dict[Path, Page], site: Path) -> Iterator[str]:
    """Yield the faults of one page."""
    name = file.relative_to(site)
    for text in page.paragraphs:
        if match := _UNRENDERED.search(text):
            yield f"{name}: no list, block or table: `{text[match.start() :].strip()[:40]}`"
    for url in page.loaded:
        if urlsplit(url).netloc:
            yield f"{name}: loads {url} from another host"
        elif not urlsplit(url).scheme and not _target(url, file, site).is_file():
            yield f"{name}: {url} does not exist"
    for url in dict.fromkeys(page.links):
        parts = urlsplit(url)
        if parts.scheme or parts.netloc or file.name == "404.html":
            continue
        target = _target(url, file, site)
        if not target.is_file():
            yield f"{name}: dead link {url}"
            continue
        is_anchor = parts.fragment and target in pages and "=" not in parts.fragment
        if is_anchor and unquote(parts.fragment) not in pages[target].anchors:
            yield f"{name}: {url} has no such anchor"


def _dead_agent_links(site: Path) -> list[str]:
    """Return the links of the index for agents, which is no HTML, that lead to no file."""
    index = site / "llms.txt"
    links = re.findall(r"\]\(([^)]+)\)", index.read_text("utf-8")) if index.is_file() else []
    return [url for url in links if not _target(url, index, site).is_file()]


def _target(url: str, file: Path, site: Path) -> Path:
    """Return the file of a link."""
    path = unquote(urlsplit(url).path)
    target = site / path.lstrip("/") if path.startswith("/") else (file.parent / path).resolve() if path else file
    return target / "index.html" if target.is_dir() else target


def _reachable(start: Path, pages: dict[Path, Page], site: Path) -> set[Path]:
    """Return the pages to which links lead from the first one."""
    reached, waiting = {start}, [start]
    while waiting:
        file = waiting.pop()
        targets = {_target(url, file, site) for url in pages[file].links if not urlsplit(url).netloc}
        new = {target for target in targets if target in pages} - reached
        reached |= new
        waiting += new
    return reached
