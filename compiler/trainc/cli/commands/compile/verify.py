"""`trainc compile --verify`: compare the plans of a job on all back ends, and that of the file itself."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from trainc.cli.compilation import source_compiler, split_templates
from trainc.cli.input_files import read_files
from trainc.cli.notices import notify
from trainc.diagnostics.cells import visible
from trainc.driver import Outcome
from trainc.foreign.worlds import planned_worlds
from trainc.frontend import read_sources
from trainc.plan.equivalence import Difference, differences
from trainc.plan.plan import Plan, plan
from trainc.systems.registry import NAMES, traits
from trainc.target import Target

# Aspects in which a job must not differ from the file it is read from. trainc chooses others itself, like ports.
_ASPECTS = {"minimum world size", "initial world size", "initial pods", "launcher", "program", "GPUs"}
_MAX_MANIFESTS = 1000  # pods of a back end that writes each out


class Verification:
    """Files that are read once, to be compiled for all back ends."""

    def __init__(self, files: list[str], sets: list[str]) -> None:
        sources, errors = read_files(files)
        self._files = files
        self._sources, self.templates = split_templates(sources)
        self.compile_for: Callable[[Target], Outcome] = source_compiler(self._sources, errors, sets)

    def verified(self, outcome: Outcome, target: Target, is_quiet: bool) -> bool:
        """Report differences on stderr; return whether all are expected and the plan has no findings.

        If `is_quiet`, nothing is reported unless that fails.
        """
        originals = {world.plan.name: world.plan for world in planned_worlds(read_sources(self._sources))}
        return _verified(outcome, target, self, originals, is_quiet)

    def reason_command(self, backend: str) -> str:
        """Return the command that prints why a back end rejects the job."""
        return shlex.join(["trainc", "check", "--backend", backend, *self._files])


def _verified(
    outcome: Outcome,
    target: Target,
    verification: Verification,
    originals: dict[str, Plan],
    is_quiet: bool,
) -> bool:
    templates = verification.templates
    chosen, workers = target.backend, max((job.job.most_workers for job in outcome.jobs), default=0)
    # Without a controller each pod has a manifest, so that many of them would cost more than all else.
    others = [name for name in NAMES if name != chosen]
    names = [chosen, *(name for name in others if workers <= _MAX_MANIFESTS or traits(name).has_controller)]
    outcomes = {
        name: outcome if name == chosen else verification.compile_for(target.replace(backend=name)) for name in names
    }
    lines = [f"verify: {name} is not compared: it writes {workers} pods" for name in others if name not in names]
    lines += [
        f"verify: {name} rejects the job: run `{verification.reason_command(name)}` for the reason"
        for name, result in outcomes.items()
        if not result.ok
    ]
    plans = {
        name: [plan([*templates, *(manifest.data() for manifest in job.planned_manifests())]) for job in result.jobs]
        for name, result in outcomes.items()
        if result.ok
    }
    is_verified = True
    for number, job in enumerate(outcome.jobs):
        by_backend = {name: file_plans[number] for name, file_plans in plans.items()}
        findings = by_backend[chosen].findings
        unplanned = {name: each.findings[0] for name, each in by_backend.items() if each.findings and not each.workers}
        differing = differences(by_backend)
        messages = [f"{finding.where}: {finding.message}" for finding in findings]
        messages += [difference.describe() for difference in differing if not difference.is_expected]
        messages += [f"not compared: {finding.where}: {finding.message}" for finding in unplanned.values()]
        if findings or not all(difference.is_expected for difference in differing):
            is_verified = False
            messages += (
                ["the back ends start different worlds"] if any(not each.is_expected for each in differing) else []
            )
        else:
            if differing:
                messages.append(f"expected differences: {', '.join(each.name for each in differing)}")
            messages.append(f"same world on {', '.join(name for name in by_backend if name not in unplanned)}")
        original = originals.get(job.job.name)
        if original is not None and original.workers:
            file_differences = list(_differences_from_file(original, chosen, by_backend[chosen]))
            messages += [difference.describe("") for difference in file_differences]
            is_same = not any(each.name in _ASPECTS for each in file_differences)
            messages.append(f"{'same' if is_same else 'not the same'} world as {original.owner} of the file")
            is_verified = is_verified and is_same
        lines += [f"verify: {job.job.name}: {message}" for message in messages]
    severity = "note" if is_verified else "error"
    for line in () if is_quiet and is_verified else map(visible, lines):
        notify("worlds-compared", line.removeprefix("verify: "), f"{line}\n", severity=severity)
    return is_verified


def _differences_from_file(original: Plan, backend: str, compiled: Plan) -> Iterator[Difference]:
    """Yield the differences of a job from the file that it is read from, without those that are expected of systems."""
    by_name = {f"{original.owner} of the file": original, backend: compiled}
    differing = differences(by_name)
    has_process_env = any(each.name == "process environment" for each in differing)
    for each in differing:
        before, after = (value for _, value in each.values)
        if each.name == "variables" and has_process_env:
            continue  # the processes of a pod have them, too
        if not each.is_expected and not (each.name == "program" and _is_same_program(before, after)):
            yield each


def _is_same_program(before: list[str], after: list[str]) -> bool:
    """Return whether programs differ only in how trainc starts Python: as python3, and with -u, so that logs come."""
    if before[:1] == ["python"] and after[:1] == ["python3"]:
        before = ["python3", *before[1:]]
    return before == after or (after[1:2] == ["-u"] and before == [after[0], *after[2:]])
