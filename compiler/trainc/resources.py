"""Finds the files beside the code: schemas/ and templates/, in a wheel and in a checkout alike."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def folder(name: str) -> str:
    """Path of a data folder: inside the installed package, else at the top of the checkout."""
    inside = os.path.join(_PACKAGE, name)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), name)
