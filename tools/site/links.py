"""Links of pages, from their places in the checkout to those in the site."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# Pages outside docs/, by their place in the site.
OUTSIDE = {
    "README.md": "README.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "vulnerabilities.md",
    "examples/README.md": "examples/README.md",
    "playground/README.md": "playground/index.html",
    "skills/trainc/SKILL.md": "skill.md",
}
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]+)\]\((?P<path>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")


def rewrite(text: str, origin: Path, page: Path, folder: Path) -> str:
    """Return the text of a page with links that work in the site.

    `origin` is the page in the checkout, `page` in the folder of the site. A directory without a page is named instead.
    """

    def link(match: re.Match[str]) -> str:
        path = Path(os.path.normpath(origin.parent / match["path"]))
        target = place(path, folder)
        if target is None:
            return f"{match['text']} (`{path.relative_to(ROOT).as_posix()}`)"
        return f"[{match['text']}]({os.path.relpath(target, page.parent)}{match['anchor'] or ''})"

    return _LINK.sub(link, text)


def place(path: Path, folder: Path) -> Path | None:
    """Return the place of a file of the checkout in the site, None for a directory without a page.

    A file that is no page is copied.
    """
    name = path.relative_to(ROOT).as_posix()
    if name in OUTSIDE:
        return folder / OUTSIDE[name]
    if path.is_relative_to(DOCS):
        target = folder / path.relative_to(DOCS)
        return target / "README.md" if path.is_dir() else target
    if path.is_dir():
        return folder / name / "README.md" if f"{name}/README.md" in OUTSIDE else None
    target = folder / name if name.startswith("examples/") else folder / "files" / name
    if path.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return target
