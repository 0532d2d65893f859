"""Kubernetes quantities as numbers.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

from __future__ import annotations

# Quantities are compared exactly, as whole billionths: Kubernetes knows nothing smaller than n.
NANO = 10**9
MEBIBYTE = NANO * 2**20
# The API server caps what is larger than 2^63; an exponent beyond this one would only cost time and memory.
_ENDLESS = 1000
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def amount(text: str) -> int:
    """A quantity that the schema accepts, in billionths: `500m` is half of NANO, `1Ki` is 1024 of it.

    What is smaller than a billionth is rounded up, as Kubernetes does.
    """
    digits, factor, exponent = text, 1, 0
    if text[-2:] in _BINARY:
        digits, factor = text[:-2], _BINARY[text[-2:]]
    elif text[-1] in _DECIMAL:
        digits, exponent = text[:-1], _DECIMAL[text[-1]]
    else:
        digits, _, power = text.lower().partition("e")
        exponent = max(-_ENDLESS, min(_ENDLESS, int(power or 0)))
    whole, _, fraction = digits.partition(".")
    value: int = int(whole + fraction or 0) * factor
    shift = 9 + exponent - len(fraction)
    ten: int = 10 ** abs(shift)
    return value * ten if shift >= 0 else -(-value // ten)


def in_bytes(nanos: int) -> str:
    """An amount in the largest binary unit that holds it exactly, rounded down to a byte."""
    whole = nanos // NANO
    for unit, size in reversed(_BINARY.items()):
        if whole and whole % size == 0:
            return f"{whole // size}{unit}"
    return str(whole)
