"""Rehearse one scenario of one job and return its verdict."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from trainc.launchers import registry
from trainc.launchers.traits import Traits
from trainc.plan.expand import is_resolved
from trainc.plan.fields import Object, items, mapping, text
from trainc.plan.models import controller_traits
from trainc.plan.plan import Plan, plan
from trainc.plan.quantity import plural
from trainc.rehearse.events import Event, Program
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.image_substitute import is_idle, parse_command, require_modules
from trainc.rehearse.launcher_pod import host_of_rank_0, missing_for_launcher_pod, missing_over_ssh
from trainc.rehearse.observer import Observer, ScenarioAborted
from trainc.rehearse.options import Options
from trainc.rehearse.probe_client import ProbeControl
from trainc.rehearse.scenarios.registry import Scenario
from trainc.rehearse.session import Session
from trainc.rehearse.verdict import Verdict
from trainc.secrets.mask import Mask
from trainc.systems.registry import DEFAULT
from trainc.tpu import TPU

OnUpdate = Callable[[Observer | None, Event | None], None]


def rehearse(
    name: str,
    objects: list[Object],
    scenario: Scenario,
    options: Options,
    on_update: OnUpdate = lambda _, __: None,
    session_type: Callable[..., Session] | None = None,
) -> Verdict:
    """Run one scenario of one job. Raises RehearsalError if this machine can't run it."""
    skipped = Verdict(job=name, scenario=scenario.name, description=scenario.description, outcome="skipped")
    original = plan(objects, every_pod=True)
    reason = _never_runs(original) or _missing_parts(objects, original)
    if reason:
        return skipped.replace(reason=reason)
    with tempfile.TemporaryDirectory(prefix="trainc-") as folder:
        launcher = registry.launcher_traits(original.workers[0].launch.launcher)
        control = ProbeControl(Path(folder), probe_driver(launcher))
        if launcher and launcher.starts_over_ssh:
            control.set(master=host_of_rank_0(original))
        program = Program(file=options.program, ranks_from_env=True) if options.program else control.program
        with (session_type or Session)(
            objects,
            image=options.image,
            program=program,
            python=options.python,
            processes=options.processes,
            max_pods=options.pods,
            pace=options.pace,
            artifacts=options.keep,
            artifacts_path=f"{name}/{scenario.name}",
        ) as session:
            job = Expectations(options.expected or session.plan, objects)
            control.set(elastic=job.is_elastic)
            reason = scenario.skip_reason(job)
            if reason:
                return skipped.replace(reason=reason)
            if session_type is None:
                require_modules(options.python or sys.executable, _modules(job, options))
            observer = Observer(session, job, control, program.ranks_from_env, options.patience, options.timeout)
            observer.on_update = lambda event: on_update(observer, event)
            with suppress(ScenarioAborted):
                scenario.run(observer)
            on_update(None, None)
            mask = Mask(objects)
            passed = bool(observer.checks) and all(check.ok for check in observer.checks)
            return skipped.replace(
                outcome="passed" if passed else "failed",
                seconds=round(observer.now, 1),
                checks=tuple(check.replace(evidence=tuple(map(mask, check.evidence))) for check in observer.checks),
                notes=(*_downscale_notes(original, job.plan), *observer.notes),
                unsupported=session.unsupported,
            )


def probe_driver(launcher: Traits | None) -> Path | None:
    """Return the launcher's program that starts the probe on each pod; None for a launcher that does so itself."""
    if launcher is None or launcher.name not in registry.WITH_PROBES:
        return None
    return Path(registry.__file__).with_name(launcher.name) / "probe.py"


def _modules(job: Expectations, options: Options) -> list[str]:
    probe = () if options.program else (job.launcher.framework if job.launcher else "torch",)
    return list(dict.fromkeys((*probe, *(job.launcher.modules if job.launcher else ()))))


def _never_runs(job: Plan) -> str:
    """Return why the job forms no world anywhere; empty if it does."""
    if job.suspended:
        return "the job is paused: no pod starts until it is resumed"
    if not job.workers:
        return "the manifests have no pods of a kind that `trainc plan` supports"
    launcher, argv = registry.launcher_traits(job.workers[0].launch.launcher), job.workers[0].container.argv
    for option, reason in (launcher.options_without_world if launcher else {}).items():
        if any(argument.startswith(option) for argument in argv):
            return reason
    if not is_resolved(parse_command(job.workers[0].launch.program)[1]):
        return "a shell computes the name of the program at run time: the probe can't replace it"
    if all(not worker.launch.has_launcher and is_idle(worker.launch.program) for worker in job.workers):
        return f"the pods start no launcher: they run `{' '.join(job.workers[0].launch.program)}` for debugging"
    return ""


def _missing_parts(objects: list[Object], job: Plan) -> str:
    """Return which part of the job is neither in the manifests nor known; empty if none is."""
    controller = controller_traits(objects)
    launcher = registry.launcher_traits(job.workers[0].launch.launcher)
    if controller and controller.has_launcher_pod and (reason := missing_for_launcher_pod(job, launcher)):
        return reason
    if reason := missing_over_ssh(job, launcher):
        return reason
    if controller and controller.starts_launcher and (len(job.workers) > 1 or not controller.hostfile):
        what = "has the SSH keys that connect the pods" if controller.hostfile else "starts the cluster and the program"
        return f"only {controller.operator} {what}: use --backend {DEFAULT}"
    if len(job.workers) > 1 and _requests_tpus(job):
        return "the hosts of a slice of TPUs find each other by variables that only GKE sets"
    start = job.workers[0].launch
    services = {text(manifest, "metadata", "name") for manifest in objects if text(manifest, "kind") == "Service"}
    if start.backend.startswith("etcd") and start.rendezvous_host.partition(".")[0] not in services:
        return f"the rendezvous uses the etcd at `{start.rendezvous_host}`, which isn't in the manifests"
    return ""


def _requests_tpus(job: Plan) -> bool:
    """Return whether the first worker has TPUs."""
    containers = items(job.workers[0].pod.spec, "containers")
    return any(TPU in mapping(container, "resources", "limits") for container in containers)


def _downscale_notes(original: Plan, rehearsed: Plan) -> Iterator[str]:
    pods, fewer_pods = len(original.workers), len(rehearsed.workers)
    if pods != fewer_pods:
        yield f"rehearsed {fewer_pods} of {pods} pods"
    processes, fewer = original.workers[0].launch.processes, rehearsed.workers[0].launch.processes
    if processes != fewer:
        count = plural(fewer or 0, "process", "es")
        yield f"rehearsed {count} per pod instead of {processes or 'the number that the node determines'}"
