"""Kubernetes quantities as numbers (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/)."""

from __future__ import annotations

import re
from fractions import Fraction

_FORM = re.compile(r"([0-9.]+)(?:([KMGTPE]i)|([numkMGTPE])|[eE]([-+]?[0-9]+))?")
_BINARY = {unit + "i": 1024**power for power, unit in enumerate("KMGTPE", 1)}
_DECIMAL = {
    **{unit: Fraction(1, 1000**power) for power, unit in enumerate("mun", 1)},
    **{unit: Fraction(1000**power) for power, unit in enumerate("kMGTPE", 1)},
}


def amount(text: str) -> Fraction:
    """The exact value of a quantity that the schema accepts: `500m` is 1/2, `1Ki` is 1024."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(f"no quantity: {text}")
    digits, binary, decimal, exponent = match.groups()
    value = Fraction(digits.rstrip(".") if digits != "." else "0")
    if binary:
        return value * _BINARY[binary]
    if decimal:
        return value * _DECIMAL[decimal]
    return value * Fraction(10) ** int(exponent or 0)


def in_bytes(value: Fraction) -> str:
    """A number of bytes in the largest binary unit that holds it exactly, rounded down to a byte."""
    whole = int(value)
    for unit, size in reversed(_BINARY.items()):
        if whole and whole % size == 0:
            return f"{whole // size}{unit}"
    return str(whole)
