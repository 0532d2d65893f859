"""What the chosen Kubernetes can't do yet, and what a StatefulSet does to a program that ends."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.spec.launch import Deepspeed


def check(case: Case) -> Iterator[Diagnostic]:
    """By back end, as far as it concerns how the job ends."""
    if case.backend.name == "job":
        yield from _success_policy(case)
    if case.backend.name == "statefulset" and case.spec.mode.name == "run" and not case.job.ends_itself:
        message = "a StatefulSet starts a program again when it has ended: the job trains until you delete it"
        help_ = "use the back end job for training that ends"
        if case.job.namespace is None:
            help_ += ", or give the namespace: then worker 0 may scale the set down when it is done"
        yield warning(codes.RUNS_AGAIN, message, case.job.origin, help=help_)


def _success_policy(case: Case) -> Iterator[Diagnostic]:
    from trainc.systems.job.objects import SUCCESS_POLICY

    # Over ssh, worker 0 tells the others when it is done, and all succeed.
    if isinstance(case.spec.launch, Deepspeed) and case.spec.launch.transport == "ssh":
        return
    if case.job.leader_decides and case.target.minor < SUCCESS_POLICY:
        message = f"Kubernetes 1.{case.target.minor} has no Job that is done when worker 0 is: all workers must succeed"
        where = case.spec.lifecycle.where("successPolicy") if case.spec.elastic is None else case.spec.where("elastic")
        help_ = f"the Job's successPolicy needs --kubernetes-version 1.{SUCCESS_POLICY} or newer"
        yield warning(codes.NEEDS_VERSION, message, where, help=help_)
