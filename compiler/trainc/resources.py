"""Locate and read the data files: schemas/, templates/ and docs/, in an installed package or in a checkout."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(os.path.dirname(_PACKAGE))


def in_checkout() -> bool:
    """Return whether this is the source tree, not an installed package."""
    return not os.path.isdir(os.path.join(_PACKAGE, "schemas"))


def folder(name: str) -> str:
    """Return the path of a data folder: inside the installed package, else at the top of the checkout."""
    return os.path.join(_CHECKOUT if in_checkout() else _PACKAGE, name)


def read_text(*path: str) -> str:
    """Return the text of a data file, by the steps of its path: `read_text("docs", "topics", "elastic.md")`."""
    with open(os.path.join(folder(path[0]), *path[1:]), encoding="utf-8") as file:
        return file.read()
