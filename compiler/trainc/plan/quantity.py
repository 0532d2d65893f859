"""Quantities of a plan: exact amounts, and their formats."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from trainc.quantity import BINARY_UNITS, MAXIMUM, NANO, is_quantity, nanos


def parse_quantity(value: Any) -> Fraction:
    """Return bytes, cores or pieces, capped as by the API server; zero for a value that isn't a quantity."""
    text = str(value)
    return Fraction(max(-MAXIMUM, min(nanos(text), MAXIMUM)), NANO) if is_quantity(text) else Fraction(0)


def format_bytes(value: Fraction) -> str:
    """Return bytes in the largest binary unit that is exact, else rounded."""
    if not value:
        return "–"
    for unit, factor in reversed(BINARY_UNITS.items()):
        amount = value / factor
        if amount >= 1 and amount.denominator == 1 and (amount < 10240 or unit == "Ei"):
            return f"{amount}{unit}"
    for unit, factor in reversed(BINARY_UNITS.items()):
        if value >= factor:
            return f"{float(value / factor):.4g}{unit}"
    return f"{float(value):.4g}"


def format_count(value: Fraction) -> str:
    """Return cores or pieces."""
    return "–" if not value else f"{float(value):.6g}"


def format_range(low: int, high: int) -> str:
    """Return `3`, or `0–7`."""
    return str(low) if low == high else f"{low}–{high}"


def plural(number: int, noun: str, ending: str = "s") -> str:
    """Return a count with its noun."""
    return f"{number} {noun}{'' if number == 1 else ending}"
