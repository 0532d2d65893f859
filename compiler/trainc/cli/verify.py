"""`trainc compile --verify`: whether all back ends start the same world from a job."""

from __future__ import annotations

from collections.abc import Callable

from trainc.cli.streams import to_stderr
from trainc.diagnostics.cells import visible
from trainc.driver import Outcome
from trainc.plan.equivalence import EXPECTED, Difference, differences
from trainc.plan.plan import Plan, plan
from trainc.systems.registry import NAMES
from trainc.target import Target

# Numbers, which hold no secret.
_SHOWN = frozenset(
    what for what in EXPECTED if what.startswith(("pods at", "world at")) or what == "torchrun's restarts"
)


def verified(outcome: Outcome, target: Target, compile_for: Callable[[Target], Outcome]) -> bool:
    """Say on stderr how the back ends differ; whether only as they must, and no plan has a fault."""
    chosen = target.backend
    outcomes = {name: outcome if name == chosen else compile_for(target.replace(backend=name)) for name in NAMES}
    refused = [name for name, one in outcomes.items() if not one.ok]
    lines = [f"verify: {name} refuses the job: `trainc check --backend {name}` says why" for name in refused]
    plans = {name: _plans(one) for name, one in outcomes.items() if one.ok}
    good = True
    for number, job in enumerate(outcome.jobs):
        of_one = {name: found[number] for name, found in plans.items()}
        lines += [f"verify: {job.job.name}: {one.where}: {one.message}" for one in of_one[chosen].findings]
        found = differences(of_one)
        lines += [f"verify: {job.job.name}: {_said(one)}" for one in found]
        good = good and all(one.is_expected for one in found) and not of_one[chosen].findings
        lost = {name: one.findings[0] for name, one in of_one.items() if one.findings and not one.workers}
        lines += [f"verify: {job.job.name}: not compared: {one.where}: {one.message}" for one in lost.values()]
        if not any(not one.is_expected for one in found):
            compared = ", ".join(name for name in of_one if name not in lost)
            lines.append(f"verify: {job.job.name}: the same world on {compared}")
    to_stderr("".join(visible(line) + "\n" for line in lines))
    return good


def _plans(outcome: Outcome) -> list[Plan]:
    return [plan([manifest.data() for manifest in job.manifests()]) for job in outcome.jobs]


def _said(one: Difference) -> str:
    values = ", ".join(f"{name} {value}" for name, value in one.values)
    how = f" ({values})" if one.aspect in _SHOWN else ""
    return (
        f"{one.aspect}{how}: {EXPECTED[one.aspect]}" if one.is_expected else f"{one.aspect} differ, which they must not"
    )
