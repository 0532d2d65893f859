"""Topic pages: subjects larger than a field or a code, a file each in docs/topics."""

from __future__ import annotations

import os

from trainc.resources import folder


def topics() -> list[str]:
    """Return the names of all topics."""
    return sorted(name.removesuffix(".md") for name in os.listdir(os.path.join(folder("docs"), "topics")))


def topic(name: str) -> str:
    """Return the text of a topic, in Markdown."""
    with open(os.path.join(folder("docs"), "topics", f"{name}.md"), encoding="utf-8") as file:
        return file.read()
