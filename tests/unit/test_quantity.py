"""Values of quantities in nano-units.

The table is computed by hand from
https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainc.quantity import MAXIMUM, NANO, byte_quantity, is_quantity, nanos

BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


@pytest.mark.parametrize(
    ("quantity", "value"),
    [
        ("0", 0),
        ("1", 1),
        ("12", 12),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("007", 7),
        ("100m", Fraction(1, 10)),
        ("1500m", Fraction(3, 2)),
        ("0.5m", Fraction(1, 2000)),
        ("1n", Fraction(1, 10**9)),
        ("3u", Fraction(3, 10**6)),
        ("1Ki", 1024),
        ("64Mi", 64 * 1024**2),
        ("1.5Gi", 3 * 1024**3 // 2),
        ("2Ti", 2 * 1024**4),
        ("1Pi", 1024**5),
        ("1Ei", 1024**6),
        ("1k", 1000),
        ("2M", 2_000_000),
        ("1G", 10**9),
        ("1T", 10**12),
        ("1P", 10**15),
        ("1E", 10**18),
        ("1e3", 1000),
        ("1E3", 1000),
        ("12e6", 12_000_000),
        ("1e-3", Fraction(1, 1000)),
        ("1.5e+3", 1500),
        ("128974848", 128974848),
        ("129e6", 129_000_000),
        ("123Mi", 128974848),
    ],
)
def test_values_of_quantities(quantity: str, value: int | Fraction) -> None:
    assert Fraction(nanos(quantity), NANO) == value


@pytest.mark.parametrize(
    ("quantity", "expected"), [("0.1n", 1), ("1.5n", 2), ("1e-12", 1), ("0.0000000001", 1), ("0.0n", 0)]
)
def test_fractions_of_nano_units_are_rounded_up(quantity: str, expected: int) -> None:
    assert nanos(quantity) == expected


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**30), st.integers(0, 12), st.sampled_from([*BINARY, *DECIMAL]))
def test_values_are_exact(digits: int, places: int, suffix: str) -> None:
    """Floats have 53 bits; 2 EiB + 1 byte requires 62."""
    integer_part, fraction = divmod(digits, 10**places)
    quantity = f"{integer_part}.{fraction:0{places}d}{suffix}" if places else f"{integer_part}{suffix}"
    unit = Fraction(1024) ** BINARY[suffix] if suffix in BINARY else Fraction(10) ** DECIMAL[suffix]
    exact = Fraction(digits, 10**places) * unit * NANO
    assert nanos(quantity) == -(-exact.numerator // exact.denominator)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**9), st.integers(-20, 20), st.sampled_from(["e", "E"]), st.sampled_from(["", "+"]))
def test_exponents_are_exact(digits: int, power: int, letter: str, plus: str) -> None:
    sign = plus if power >= 0 else ""
    exact = digits * Fraction(10) ** (power + 9)
    assert nanos(f"{digits}{letter}{sign}{power}") == -(-exact.numerator // exact.denominator)


@pytest.mark.parametrize(
    ("size", "quantity"),
    [
        (0, "0"),
        (1, "1"),
        (1023, "1023"),
        (1024, "1Ki"),
        (1536, "1536"),
        (3 * 2**29, "1536Mi"),
        (2**30, "1Gi"),
        (1000**3, "1000000000"),
        (2**60, "1Ei"),
        (2**60 + 2**30, "1073741825Gi"),
    ],
)
def test_bytes_are_formatted_in_the_largest_exact_unit(size: int, quantity: str) -> None:
    assert byte_quantity(size * NANO) == quantity


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**70))
def test_formatted_bytes_round_trip(size: int) -> None:
    assert nanos(byte_quantity(size * NANO)) == size * NANO


def test_fractions_of_bytes_are_truncated() -> None:
    assert byte_quantity(NANO + NANO // 2) == "1"


@pytest.mark.parametrize("quantity", ["1e999999999", "1e-999999999", "0.1e99999999999999999"])
def test_large_exponents_are_capped(quantity: str) -> None:
    """The exact value would have a billion digits; the API server caps at 2^63."""
    assert nanos(quantity).bit_length() < 10_000
    assert nanos("1e-999999999") <= nanos("1n") < nanos("1E") < nanos("1e999999999")


@pytest.mark.parametrize("quantity", ["1", "-1", "+1.5Gi", ".5", "5.", "1e3", "100m"])
def test_is_quantity(quantity: str) -> None:
    assert is_quantity(quantity)


@pytest.mark.parametrize("text", ["", ".", "Gi", "1 Gi", "1gi", "1Gi\n", "auto", "1e", "\u0661"])
def test_other_texts_are_not_quantities(text: str) -> None:
    assert not is_quantity(text)


@pytest.mark.parametrize(
    ("quantity", "value"),
    [
        ("0" * 5000 + "7", 7),
        ("1." + "0" * 5000, 1),
        ("1." + "0" * 5000 + "1", 1 + Fraction(1, NANO)),  # rounded up to a billionth
        ("1" + "0" * 500 + "e-500", 1),
        ("5" * 500 + "e-500", Fraction(555_555_556, NANO)),
        ("1e" + "0" * 5000 + "3", 1000),
    ],
)
def test_quantities_of_any_length(quantity: str, value: Fraction) -> None:
    assert Fraction(nanos(quantity), NANO) == value


@pytest.mark.parametrize("quantity", ["9" * 5000, "9" * 5000 + "Gi", "1e" + "9" * 5000])
def test_very_large_quantities_are_beyond_the_maximum(quantity: str) -> None:
    assert nanos(quantity) > MAXIMUM
