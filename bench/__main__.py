"""`make bench`: print all figures and report those over their bound. Wall times are bounded only as ratios."""

from __future__ import annotations

import sys

from bench import measures
from bench.instructions import BUDGET, count
from bench.peer import torchx

MIB = 1024 * 1024


def main() -> int:
    """Print the table, and return 1 if a figure is over its bound."""
    instructions = count() or 0
    cold, torchx_cold = measures.cold(torchx())
    warm = measures.warm()
    small, large = measures.pods(1_000), measures.pods(10_000)
    peak, endless = measures.memory("compile", measures.JOB_FILE), measures.memory("check", "/dev/zero")
    few, many = measures.unknown_fields(10_000), measures.unknown_fields(40_000)
    growth = max(measures.plan_growth(name) for name in ("job", "statefulset", "pytorchjob", "elasticjob"))
    ratio = cold / torchx_cold if torchx_cold else None
    rows = [
        ("cold compile, instructions", f"{instructions / 1e6:.0f} M", f"{BUDGET / 1e6:.0f} M", instructions <= BUDGET),
        ("cold compile, wall time", f"{cold * 1e3:.0f} ms", "", True),
        ("… of torchx run --dryrun", f"{ratio:.2f}" if ratio else "no torchx", "0.25", ratio is None or ratio <= 0.25),
        ("warm, per job of 1,000", f"{warm * 1e3:.2f} ms", "", True),  # seconds depend on the machine
        ("10,000 pods", f"{large:.2f} s", "", True),
        ("… per pod, relative to 1,000", f"{large / small / 10:.2f}", "1.30", large / small / 10 <= 1.3),
        ("plan, 100,000 workers to 100", f"{growth:.2f}", "2.00", growth <= 2),
        ("peak memory of one compile", f"{peak / MIB:.0f} MiB", "70 MB", peak <= 70e6),
        ("… of a check of /dev/zero", f"{endless / MIB:.0f} MiB", "70 MB", endless <= 70e6),
        ("40,000 unknown fields", f"{many:.2f} s", "", True),
        ("… per field, relative to 10,000", f"{many / few / 4:.2f}", "1.30", many / few / 4 <= 1.3),
    ]
    print(f"{'':32}{'measured':>12}{'bound':>12}")
    for name, value, bound, is_within in rows:
        print(f"{name:32}{value:>12}{bound:>12}{'' if is_within else '   OVER'}")
    return 0 if all(is_within for *_, is_within in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
