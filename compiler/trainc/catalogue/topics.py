"""Pages on what is more than a field or a code: NAME.md in lower case beside the pages of the codes."""

from __future__ import annotations

import os

from trainc.catalogue.page import FOLDER


def topics() -> list[str]:
    """The names of all topics."""
    return sorted(name.removesuffix(".md") for name in os.listdir(FOLDER) if name.endswith(".md") and name.islower())


def topic(name: str) -> str:
    """A topic's text, in Markdown."""
    with open(os.path.join(FOLDER, f"{name}.md"), encoding="utf-8") as file:
        return file.read()
