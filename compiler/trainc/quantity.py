"""Kubernetes quantities as exact numbers.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

from __future__ import annotations

import re
from functools import lru_cache

# Quantities are whole billionths: the API server rounds smaller parts up.
NANO = 10**9
MEBIBYTE = NANO * 2**20
MAXIMUM = (2**63 - 1) * NANO  # the API server caps larger quantities
_MAXIMUM_EXPONENT = 1000  # beyond it only time and memory would grow
_MAXIMUM_DIGITS = 60  # twice those of MAXIMUM: later ones decide only how the number is rounded
_FORM = r"[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE])?"
BINARY_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_DECIMAL_EXPONENTS = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def is_quantity(text: str) -> bool:
    """Return whether a text is a quantity."""
    return re.fullmatch(_FORM, text, re.ASCII) is not None


@lru_cache(1024)  # a job has few distinct quantities, which many rules read
def nanos(text: str) -> int:
    """Return a quantity in billionths, rounded up: `500m` is half of NANO, `1Ki` is 1024 NANO."""
    digits, factor, exponent = text, 1, 0
    if text[-2:] in BINARY_UNITS:
        digits, factor = text[:-2], BINARY_UNITS[text[-2:]]
    elif text[-1] in _DECIMAL_EXPONENTS:
        digits, exponent = text[:-1], _DECIMAL_EXPONENTS[text[-1]]
    else:
        digits, _, power = text.lower().partition("e")
        exponent = _exponent(power)
    whole, _, fraction = digits.partition(".")
    sign, number = (-1 if whole[:1] == "-" else 1), (whole + fraction).lstrip("+-0")
    leading, rest = number[:_MAXIMUM_DIGITS], number[_MAXIMUM_DIGITS:]
    value = (sign * int(leading or 0) + (sign > 0 and rest.strip("0") != "")) * factor
    shift = 9 + exponent - len(fraction) + len(rest)
    ten: int = 10 ** abs(shift)
    return value * ten if shift >= 0 else -(-value // ten)


def _exponent(text: str) -> int:
    """Return a decimal exponent within the limits."""
    digits = text.lstrip("+-0")
    number = int(digits or 0) if len(digits) < len(str(_MAXIMUM_EXPONENT)) else _MAXIMUM_EXPONENT
    return -number if text[:1] == "-" else number


def byte_quantity(amount: int) -> str:
    """Return billionths of bytes in the largest binary unit that is exact, rounded down to a byte."""
    whole = amount // NANO
    for unit, size in reversed(BINARY_UNITS.items()):
        if whole and whole % size == 0:
            return f"{whole // size}{unit}"
    return str(whole)
