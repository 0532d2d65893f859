"""Rehearses one job: each scenario on a stage of its own, and what it has shown."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from trainc.plan.expand import is_resolved
from trainc.plan.fields import Object, mapping, number, text
from trainc.plan.plan import Plan, plan
from trainc.record import Record
from trainc.rehearse.events import Event, Program
from trainc.rehearse.expectations import expect
from trainc.rehearse.image_substitute import is_idle, parse_command, require_modules
from trainc.rehearse.observer import Observer, ScenarioAborted
from trainc.rehearse.probe_control import ProbeControl
from trainc.rehearse.scenarios.registry import Scenario
from trainc.rehearse.session import Session
from trainc.rehearse.verdict import Verdict

Shown = Callable[[Observer | None, Event | None], None]


class Options(Record):
    """How jobs are rehearsed. `pods` and `processes` a pod make a large one small. Seconds for `quiet` and `longest`.

    `expected` is what the plan should say where the manifests aren't to be believed.
    """

    python: str | None = None
    program: Path | None = None
    image: Path | None = None
    pods: int | None = None
    processes: int | None = None
    keep: Path | None = None
    quiet: float = 90.0
    longest: float = 1800.0
    pace: float = 1.0
    expected: Plan | None = None


def rehearse(
    name: str,
    objects: list[Object],
    scenario: Scenario,
    options: Options,
    shown: Shown = lambda _, __: None,
    stage: Callable[..., Session] | None = None,
) -> Verdict:
    """Run one scenario of one job. Raises RehearsalError where the machine can't."""
    empty = Verdict(job=name, scenario=scenario.name, description=scenario.description, outcome="skipped")
    reason = _never(plan(objects)) or _not_known(objects)
    if reason:
        return empty.replace(reason=reason)
    with tempfile.TemporaryDirectory(prefix="trainc-") as folder:
        control = ProbeControl(Path(folder))
        silent = options.program is not None
        made = (stage or Session)(
            objects,
            image=options.image,
            program=_silent(options.program) or control.program,
            python=options.python,
            processes=options.processes,
            limit=options.pods,
            pace=options.pace,
            keep=options.keep / scenario.name if options.keep else None,
        )
        with made as stage_:
            job = expect(options.expected or stage_.plan, objects)
            reason = scenario.skip_reason(job)
            if reason:
                return empty.replace(reason=reason)
            if stage is None:
                require_modules(options.python or sys.executable, _modules(objects, options))
            watch = Observer(
                stage_, job, control, options.quiet, lambda event: shown(watch, event), silent, options.longest
            )
            _act(scenario, watch)
            shown(None, None)
            right = bool(watch.checks) and all(one.ok for one in watch.checks)
            return empty.replace(
                outcome="passed" if right else "failed",
                seconds=round(watch.now, 1),
                checks=tuple(watch.checks),
                notes=(*_smaller(plan(objects), job.plan), *watch.notes),
                unsupported=stage_.unsupported,
            )


def _silent(program: Path | None) -> Program | None:
    return None if program is None else Program(file=program, silent=True)


def _act(scenario: Scenario, watch: Observer) -> None:
    try:
        scenario.run(watch)
    except ScenarioAborted:
        return


def _modules(objects: list[Object], options: Options) -> list[str]:
    """What the launcher and the probe import."""
    launcher = plan(objects).workers[0].launch.launcher
    if launcher == "deepspeed":
        return ["torch", "deepspeed"]
    return ["torch"] if launcher == "torchrun" or options.program is None else []


def _never(of: Plan) -> str:
    """Why nothing of a job would run; empty where it would."""
    if of.suspended:
        return "the job is paused: nothing starts before it is resumed"
    if not of.workers:
        return "the manifests have no pods that a plan knows"
    if any(word.startswith("--autotuning=") for word in of.workers[0].container.argv):
        return "DeepSpeed's autotuner runs the program many times, by what it measures on GPUs: it forms no one world"
    if not is_resolved(parse_command(of.workers[0].launch.program)[1]):
        return "its shell writes the program that it starts, so the probe can't take its place"
    if all(one.launch.launcher == "none" and is_idle(one.launch.program) for one in of.workers):
        program = " ".join(of.workers[0].launch.program)
        return f"its pods start no launcher: they wait with {program} for whoever debugs in them"
    return ""


def _not_known(objects: list[Object]) -> str:
    """Why pods of an operator can't be made; empty where they can."""
    workers = [mapping(one, "spec", "worker") for one in objects if text(one, "kind") == "DeepSpeedJob"]
    if any((number(one, "replicas") or 1) > 1 for one in workers):
        # Its manual doesn't say where the keys at /root/.ssh come from, nor what starts sshd: plan/operators.
        return "nobody but T9k's operator has the keys with which its pods reach each other: try it with --backend job"
    start = plan(objects).workers[0].launch
    services = {text(one, "metadata", "name") for one in objects if text(one, "kind") == "Service"}
    if start.backend.startswith("etcd") and start.rendezvous_host.partition(".")[0] not in services:
        return f"the etcd at {start.rendezvous_host}, which keeps its rendezvous, is none of its own"
    return ""


def _smaller(whole: Plan, part: Plan) -> Iterator[str]:
    """What was made smaller to fit this machine."""
    pods, now = len(whole.workers), len(part.workers)
    if now != pods:
        yield f"{now} of {pods} pods were rehearsed"
    each, fewer = whole.workers[0].launch.processes, part.workers[0].launch.processes
    if each != fewer:
        yield f"{fewer} process{'' if fewer == 1 else 'es'} a pod in place of {each or 'as many as the node has'}"
