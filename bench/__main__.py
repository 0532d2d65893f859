"""`make bench`: the table. Figures with a bound are judged; wall times are only shown as ratios."""

from __future__ import annotations

import sys

from bench import measures
from bench.instructions import BUDGET, count
from bench.peer import torchx

MEBIBYTE = 1024 * 1024


def main() -> int:
    """Measure, print the table; 1 if a bound is broken."""
    instructions = count()
    peer = torchx()
    ours, theirs = measures.cold(peer)
    each = measures.warm()
    small, large = measures.pods(1_000), measures.pods(10_000)
    peak = measures.memory()
    rows = [
        ("cold compile, instructions", f"{(instructions or 0) / 1e6:.0f} M", "450 M", (instructions or 0) <= BUDGET),
        ("cold compile, wall time", f"{ours * 1e3:.0f} ms", "", True),
        ("… of torchx run --dryrun", f"{ours / theirs:.2f}" if theirs else "no torchx", "0.25", _under(ours, theirs)),
        ("warm, each of 1,000 jobs", f"{each * 1e3:.2f} ms", "2.50 ms", each <= 0.0025),
        ("10,000 pods", f"{large:.2f} s", "", True),
        ("… per pod, of 1,000 pods'", f"{large / small / 10:.2f}", "1.30", large / small / 10 <= 1.3),
        ("peak memory of one compile", f"{peak / MEBIBYTE:.0f} MiB", "70 MB", peak <= 70e6),
    ]
    print(f"{'':32}{'measured':>12}{'bound':>12}")
    for name, value, bound, holds in rows:
        print(f"{name:32}{value:>12}{bound:>12}{'' if holds else '   BROKEN'}")
    return 0 if all(holds for *_, holds in rows) else 1


def _under(ours: float, theirs: float | None) -> bool:
    return theirs is None or ours / theirs <= 0.25


if __name__ == "__main__":
    sys.exit(main())
