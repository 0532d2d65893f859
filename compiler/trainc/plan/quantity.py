"""Kubernetes' quantities: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

_FORM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,3})|([KMGTPE]i|[numkMGTPE])?)")
_BINARY = {unit + "i": Fraction(1024**power) for power, unit in enumerate("KMGTPE", 1)}
_DECIMAL = {
    unit: Fraction(10) ** power for unit, power in zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True)
}
_MOST = Fraction(2**63 - 1)
_UNITS = {**_BINARY, **_DECIMAL}


def parse_quantity(value: Any) -> Fraction:
    """The exact amount: bytes, cores or pieces. Zero of what is no quantity; Kubernetes caps it, too."""
    found = _FORM.fullmatch(str(value))
    if not found:
        return Fraction(0)
    digits, exponent, unit = found.groups()
    whole = Fraction(digits + "0" if digits.endswith(".") else digits)
    exact = whole * Fraction(10) ** int(exponent) if exponent else whole * _UNITS.get(unit, Fraction(1))
    return max(-_MOST, min(exact, _MOST))


def format_bytes(value: Fraction) -> str:
    """Bytes as they are written: the largest binary unit that is exact, or about the nearest."""
    if not value:
        return "–"
    for unit, factor in reversed(_BINARY.items()):
        if value >= factor and (value / factor).denominator == 1:
            if value >= 10240 * factor and unit != "Ei":
                continue
            return f"{value / factor}{unit}"
    for unit, factor in reversed(_BINARY.items()):
        if value >= factor:
            return f"{float(value / factor):.4g}{unit}"
    return f"{float(value):.4g}"


def format_count(value: Fraction) -> str:
    """Cores or pieces."""
    return "–" if not value else f"{float(value):.6g}"
