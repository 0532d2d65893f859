"""`trainc compile --verify`: compare the plans of a job on all back ends."""

from __future__ import annotations

from collections.abc import Callable

from trainc.cli.notices import notify
from trainc.diagnostics.cells import visible
from trainc.driver import Outcome
from trainc.plan.equivalence import differences
from trainc.plan.plan import plan
from trainc.systems.registry import NAMES, traits
from trainc.target import Target

_MAX_MANIFESTS = 1000  # pods of a back end that writes each out


def verified(outcome: Outcome, target: Target, compile_for: Callable[[Target], Outcome], is_quiet: bool) -> bool:
    """Report differences of the back ends on stderr; return whether all are expected and the plan has no findings.

    If `is_quiet`, nothing is reported unless that fails.
    """
    chosen, workers = target.backend, max((job.job.most_workers for job in outcome.jobs), default=0)
    # Without a controller each pod has a manifest, so that many of them would cost more than all else.
    others = [name for name in NAMES if name != chosen]
    names = [chosen, *(name for name in others if workers <= _MAX_MANIFESTS or traits(name).has_controller)]
    outcomes = {name: outcome if name == chosen else compile_for(target.replace(backend=name)) for name in names}
    lines = [f"verify: {name} is not compared: it writes {workers} pods" for name in others if name not in names]
    lines += [
        f"verify: {name} rejects the job: run `trainc check --backend {name}` for the reason"
        for name, result in outcomes.items()
        if not result.ok
    ]
    plans = {
        name: [plan([manifest.data() for manifest in job.planned_manifests()]) for job in result.jobs]
        for name, result in outcomes.items()
        if result.ok
    }
    is_verified = True
    for number, job in enumerate(outcome.jobs):
        by_backend = {name: of_file[number] for name, of_file in plans.items()}
        findings = by_backend[chosen].findings
        unplanned = {name: each.findings[0] for name, each in by_backend.items() if each.findings and not each.workers}
        differing = differences(by_backend)
        messages = [f"{finding.where}: {finding.message}" for finding in findings]
        messages += [difference.describe() for difference in differing]
        messages += [f"not compared: {finding.where}: {finding.message}" for finding in unplanned.values()]
        if findings or not all(difference.is_expected for difference in differing):
            is_verified = False
        else:
            messages.append(f"same world on {', '.join(name for name in by_backend if name not in unplanned)}")
        lines += [f"verify: {job.job.name}: {message}" for message in messages]
    severity = "note" if is_verified else "error"
    for line in () if is_quiet and is_verified else map(visible, lines):
        notify("worlds-compared", line.removeprefix("verify: "), f"{line}\n", severity=severity)
    return is_verified
