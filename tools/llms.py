"""Write docs/llms.txt, the index of the pages for agents, in the form of llmstxt.org; --check only compares.

The pages are those of mkdocs.yml, each with the first sentence of its text.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tools.generated import write
from tools.site.links import DOCS, OUTSIDE, ROOT

INDEX = DOCS / "llms.txt"
HEAD = """\
# trainc

> Compiler from a short YAML file, which says what to train, to Kubernetes manifests (Job, JobSet, TrainJob, \
PyTorchJob, MPIJob, Volcano Job and others), with checks, plans and rehearsals. It works offline; `trainc explain` \
prints this documentation's pages about codes, fields and topics.

A coding agent starts with the [skill file](../skills/trainc/SKILL.md). Every JSON output has a schema: `trainc schema \
messages`, `plan`, `status`, `diff`, `diff-summary`, `rehearsal`, `list`, `source-map`. Each [rule](errors/README.md) \
has a page, such as [TC3069](errors/TC3069.md).
"""
# llmstxt.org: what a reader with little room leaves out.
OPTIONAL = ("How it works", "Contribute")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)
_LINK = re.compile(r"\[([^\[\]]+)\]\([^)]*\)")
_SENTENCE = re.compile(r"(.+?)(?:[.:]$|\.\s)", re.DOTALL)
_NO_TEXT = ("#", "|", "```", "!", "- ", "    ", "<!--")


def index() -> str:
    """Return llms.txt."""
    sections: dict[str, list[str]] = {}
    for tab in yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]:
        ((name, content),) = tab.items()
        items = sections.setdefault("Optional" if name in OPTIONAL else name, [])
        items += [item(title, file) for title, file in pages(name, content) if file.is_file()]
    return HEAD + "".join("\n".join([f"\n## {name}\n", *items]) + "\n" for name, items in sections.items())


def pages(title: str, content: Any) -> Iterator[tuple[str, Path]]:
    """Yield the titles of a part of the navigation with their pages in the checkout."""
    if isinstance(content, str):
        outside = {target: name for name, target in OUTSIDE.items() if target != "README.md"}
        yield title, ROOT / outside[content] if content in outside else DOCS / content
        return
    for entry in content:
        for name, inner in entry.items():
            yield from pages(name, inner)


def item(title: str, file: Path) -> str:
    """Return the line of a page."""
    return f"- [{title}]({os.path.relpath(file, DOCS)}): {first_sentence(file.read_text('utf-8'))}"


def first_sentence(page: str) -> str:
    """Return the first sentence of a page without its full stop and its links.

    Raises ValueError for a page that begins with something else.
    """
    paragraphs = _FRONT_MATTER.sub("", page).split("\n\n")
    paragraph = next((each for each in paragraphs if not each.startswith("# ")), "")
    text = _LINK.sub(r"\1", " ".join(paragraph.split()))
    match = _SENTENCE.match(text)
    if paragraph.startswith(_NO_TEXT) or not match:
        raise ValueError(f"the page does not begin with a sentence: {page[:60]!r}")
    return match[1]


def main() -> int:
    """Write the index, or with --check report whether it is up to date."""
    return write({INDEX: index()}, "tools.llms")


if __name__ == "__main__":
    sys.exit(main())
