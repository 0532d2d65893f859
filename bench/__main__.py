"""`make bench`: print all figures and report those over their bound. No bound depends on the machine."""

from __future__ import annotations

import sys

from bench import measures
from bench.instructions import BUDGET, WARM_BUDGET, count, count_warm
from bench.peer import go_program, kubectl, torchx

MIB = 1024 * 1024


def main() -> int:
    """Print the table, and return 1 if a figure is over its bound."""
    programs = {"kubectl": kubectl(), "torchx": torchx()} | {name: go_program(name) for name in ("kustomize", "helm")}
    cold, peers = measures.cold(programs)
    ratios = {name: cold / seconds for name, seconds in peers.items()}
    small, large = measures.pods(1_000), measures.pods(10_000)
    peak, endless = measures.memory("compile", measures.JOB_FILE), measures.memory("check", "/dev/zero")
    few, many = measures.unknown_fields(10_000), measures.unknown_fields(40_000)
    growth = max(measures.plan_growth(name) for name in ("job", "statefulset", "pytorchjob", "elasticjob"))
    thousand = measures.many_files(1_000, "compile", 1)
    most = measures.many_files(10_000, "compile", 1)
    speed = {command: measures.speed_of_two(5_000, command) for command in ("check", "compile")}
    rows = [
        ("cold compile, instructions", *_instructions(count(), BUDGET)),
        ("… CPU time to kubectl kustomize", *_ratio(ratios.get("kubectl"), 1.1)),
        ("… CPU time to kustomize build", *_ratio(ratios.get("kustomize"), None)),
        ("… CPU time to helm template", *_ratio(ratios.get("helm"), None)),
        ("… CPU time to torchx --dryrun", *_ratio(ratios.get("torchx"), 0.2)),
        *(
            (f"{command} of many, instructions per job", *_instructions(count_warm(command), WARM_BUDGET))
            for command in ("check", "compile")
        ),
        ("10,000 files, relative to 1,000", *_ratio(most.own / thousand.own / 10, 1.1)),
        ("… peak memory of a process", f"{most.memory / MIB:.0f} MiB", "300 MB", most.memory <= 300e6),
        *(
            (f"{command}, speed of two processors", f"{value:.2f}", "≥ 1.8", value >= 1.8)
            for command, value in speed.items()
        ),
        ("10,000 pods, relative to 1,000", *_ratio(large / small / 10, 1.3)),
        ("plan, 100,000 workers to 100", *_ratio(growth, 2)),
        ("40,000 unknown fields to 10,000", *_ratio(many / few / 4, 1.3)),
        ("peak memory of one compile", f"{peak / MIB:.0f} MiB", "70 MB", peak <= 70e6),
        ("… of a check of /dev/zero", f"{endless / MIB:.0f} MiB", "70 MB", endless <= 70e6),
    ]
    print(f"{'':40}{'measured':>12}{'bound':>12}")
    for name, value, bound, is_within in rows:
        print(f"{name:40}{value:>12}{bound:>12}{'' if is_within else '   OVER'}")
    return 0 if all(is_within for *_, is_within in rows) else 1


def _instructions(value: float | None, bound: int) -> tuple[str, str, bool]:
    """Return the columns of a number of instructions, None without valgrind."""
    shown = "no valgrind" if value is None else f"{value / 1e6:.1f} M"
    return shown, f"{bound / 1e6:.0f} M", value is None or value <= bound


def _ratio(value: float | None, bound: float | None) -> tuple[str, str, bool]:
    """Return the columns of a ratio: None as value if the peer is missing, None as bound for a figure without one."""
    is_within = value is None or bound is None or value <= bound
    return f"{value:.2f}" if value else "no peer", f"{bound:.2f}" if bound else "", is_within


if __name__ == "__main__":
    sys.exit(main())
