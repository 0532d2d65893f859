"""`trainc compile --verify`: compare the plans of a job on all back ends, and that of the file itself."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from trainc.cli.compilation import source_compiler, split_templates
from trainc.cli.input_files import read_files
from trainc.cli.notices import notify
from trainc.cli.settings import Values
from trainc.compiled import Outcome
from trainc.diagnostics.cells import visible
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

    def __init__(self, files: list[str], values: Values) -> None:
        sources, errors = read_files(files)
        self._files = files
        self._sources, self._templates = split_templates(sources)
        self.compile_for: Callable[[Target], Outcome] = source_compiler(self._sources, errors, values)
        stated = values.replace(projects=values.projects and values.projects.with_stated_backend())
        self._compile_stated = source_compiler(self._sources, errors, stated)

    def verified(self, outcome: Outcome, target: Target, is_quiet: bool) -> bool:
        """Report differences on stderr; return whether all are expected and the plan has no findings.

        If `is_quiet`, nothing is reported unless that fails.
        """
        originals = {world.plan.name: world.plan for world in planned_worlds(read_sources(self._sources))}
        workers = max((job.job.most_workers for job in outcome.jobs), default=0)
        others = [name for name in NAMES if name != target.backend]
        # Without a controller each pod has a manifest, so that many of them would cost more than all else.
        omitted = [name for name in others if workers > _MAX_MANIFESTS and not traits(name).has_controller]
        lines = [f"{name} is not compared: it writes {workers} pods" for name in omitted]
        plans = {target.backend: self._plans(outcome)}
        for name in others:
            if name in omitted:
                continue
            recompiled = self._compile_stated(target.replace(backend=name))
            if recompiled.ok:
                plans[name] = self._plans(recompiled)
            else:
                reason = shlex.join(["trainc", "check", "--backend", name, *self._files])
                lines.append(f"{name} rejects the job: run `{reason}` for the reason")
        is_verified = True
        for number, job in enumerate(outcome.jobs):
            by_backend = {name: file_plans[number] for name, file_plans in plans.items()}
            is_same, messages = _compare(by_backend, target.backend)
            original = originals.get(job.job.name)
            if original is not None and original.workers:
                is_same_as_file, more = _compare_with_file(original, target.backend, by_backend[target.backend])
                is_same, messages = is_same and is_same_as_file, messages + more
            is_verified = is_verified and is_same
            lines += [f"{job.job.name}: {message}" for message in messages]
        severity = "note" if is_verified else "error"
        for line in () if is_quiet and is_verified else map(visible, lines):
            notify("worlds-compared", line, f"verify: {line}\n", severity=severity)
        return is_verified

    def _plans(self, outcome: Outcome) -> list[Plan]:
        return [
            plan([*self._templates, *(manifest.data() for manifest in job.planned_manifests())]) for job in outcome.jobs
        ]


def _compare(plans: dict[str, Plan], backend: str) -> tuple[bool, list[str]]:
    """Return whether all back ends start the world of the chosen one, which has no findings, and the messages."""
    findings = plans[backend].findings
    unplanned = {name: each.findings[0] for name, each in plans.items() if each.findings and not each.workers}
    differing = differences(plans)
    unexpected = [each for each in differing if not each.is_expected]
    messages = [f"{finding.where}: {finding.message}" for finding in findings]
    messages += [each.describe() for each in unexpected]
    messages += [f"not compared: {finding.where}: {finding.message}" for finding in unplanned.values()]
    if unexpected:
        messages.append("the back ends start different worlds")
    elif not findings:
        messages += [f"expected differences: {', '.join(each.name for each in differing)}"] if differing else []
        messages.append(f"same world on {', '.join(name for name in plans if name not in unplanned)}")
    return not findings and not unexpected, messages


def _compare_with_file(original: Plan, backend: str, compiled: Plan) -> tuple[bool, list[str]]:
    """Return whether a job starts the same world as the file that it is read from, and the messages."""
    differing = list(_differences_from_file(original, backend, compiled))
    aspects = _ASPECTS | ({"findings"} if any(each.is_fatal for each in original.findings) else set())
    is_same = not any(each.name in aspects for each in differing)
    messages = [each.describe("") for each in differing]
    return is_same, [*messages, f"{'same' if is_same else 'not the same'} world as {original.owner} of the file"]


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
