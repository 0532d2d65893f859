"""Next step for each kind of problem: an imperative, and a command that helps with it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from trainc.plan.quantity import format_bytes
from trainc.record import Record
from trainc.status.pod_problems import Problem
from trainc.status.pod_state import PodState
from trainc.status.queries import Subject, resume_command
from trainc.status.scheduling_steps import Step, ways_out
from trainc.status.workers import WorkerStatus
from trainc.systems.shared.status import ControllerStatus


class _Subject(Record):
    """Worker with a problem, and the pod that has it; kubectl's option for the namespace."""

    worker: WorkerStatus
    problem: Problem
    pod: PodState | None
    namespace: str

    def kubectl(self, *words: str) -> str:
        return self.in_namespace(shlex.join(("kubectl", *words)))

    def in_namespace(self, command: str) -> str:
        return f"{command} -n {shlex.quote(self.namespace)}" if self.namespace else command

    def logs(self, *options: str) -> str:
        if self.pod is None:
            return ""
        container = ("-c", self.problem.container) if self.problem.container else ()
        return self.kubectl("logs", self.pod.name, *container, *options)

    def describe(self) -> str:
        return self.kubectl("describe", "pod", self.pod.name) if self.pod else ""

    def requests(self, resource: str) -> str:
        amount = self.worker.planned.usage.requests.get(resource) if self.worker.planned else None
        if not amount:
            return ""
        is_size = resource == "memory" or resource.endswith(("-storage", "hugepages-2Mi", "hugepages-1Gi"))
        return f", of which each worker requests {format_bytes(amount) if is_size else f'{float(amount):g}'}"


def _image(subject: _Subject) -> Step:
    image = subject.worker.planned.container.image if subject.worker.planned else ""
    return Step(message=f"check that image {image} exists, and imagePullSecrets", command=subject.describe())


def _out_of_memory(subject: _Subject) -> Step:
    limits = subject.worker.planned.usage.limits if subject.worker.planned else {}
    limit = limits.get("memory")
    now = f", now {float(limit) / 2**30:g} GiB" if limit else ""
    return Step(message=f"raise the memory limit{now}, or use less", command=subject.logs())


def _exit_code(subject: _Subject) -> Step:
    return Step(message="read its log", command=subject.logs())


def _previous_log(subject: _Subject) -> Step:
    return Step(message="read the log of its last run", command=subject.logs("--previous"))


def _describe(message: str) -> Callable[[_Subject], Step]:
    return lambda subject: Step(message=message, command=subject.describe())


def _command(message: str, *words: str) -> Callable[[_Subject], Step]:
    return lambda subject: Step(message=message, command=subject.kubectl(*words))


def _node(subject: _Subject) -> Step:
    node = subject.pod.node if subject.pod else ""
    command = shlex.join(("kubectl", "describe", "node", node)) if node else ""
    return Step(message="check the node; delete the pod with --force if the node does not return", command=command)


_STEPS: dict[str, Callable[[_Subject], Step]] = {
    "queued": _command("wait for quota, or request less", "get", "localqueues,workloads"),
    "quota": _command("free quota, or request less", "describe", "resourcequota"),
    "pod-security": _describe("see `trainc explain pod-security`"),
    "service-account": _command("create the service account", "get", "serviceaccounts"),
    "not-created": _command("read the events", "get", "events"),
    "no-scheduler": _describe("check that the scheduler runs"),
    "gated": _describe("remove the gate, or wait for the controller that set it"),
    "image-pull": _image,
    "image-name": _image,
    "image-never-pulled": _describe("load the image onto the node, or change imagePullPolicy"),
    "container-config": _describe("create the Secret or ConfigMap that the message names"),
    "container-create": _describe("fix the command or the mounts that the message names"),
    "volume": _describe("create the volume that the message names"),
    "network": _describe("check the network of the node"),
    "init-container": _previous_log,
    "crash-loop": _previous_log,
    "restarted": _previous_log,
    "oom-killed": _out_of_memory,
    "exit-code": _exit_code,
    "container-ended": _exit_code,
    "evicted": _describe("request what the worker uses, so that the node keeps room for it"),
    "rejected": _describe("check the node's allocatable resources"),
    "node-lost": _node,
}


# Reasons of an object's failure.
_REASONS = {"DeadlineExceeded": "raise activeDeadlineSeconds, or let the program end earlier"}


def reason_steps(controller: ControllerStatus) -> Iterator[Step]:
    """Yield the step for a failure that no worker caused. It precedes the steps for the pods that ended with it."""
    if controller.outcome == "failed" and controller.reason in _REASONS:
        yield Step(message=_REASONS[controller.reason])


def next_steps(workers: Sequence[WorkerStatus], namespace: str, is_compiled: bool) -> Iterator[Step]:
    """Yield steps for each kind of problem, at the first worker that has it; past failures of running workers too.

    `is_compiled` is whether the job has a job file.
    """
    seen = set()
    for worker in sorted(workers, key=_time_of_failure):
        failed = worker.last_failure
        for problem, pod in ((worker.problem, worker.pod), (failed.problem if failed else None, failed)):
            if problem is None or problem.code in seen:
                continue
            seen.add(problem.code)
            subject = _Subject(worker=worker, problem=problem, pod=pod, namespace=namespace)
            for step in _steps(subject, is_compiled):
                yield step.replace(message=f"{worker.name}: {step.message}")


def _steps(subject: _Subject, is_compiled: bool) -> Iterator[Step]:
    refused = subject.problem.scheduling
    if refused:
        steps = list(ways_out(refused, subject.requests, subject.in_namespace, is_compiled))
        yield from steps or [Step(message="make room for the pod", command=subject.describe())]
    elif subject.problem.code in _STEPS:
        yield _STEPS[subject.problem.code](subject)


def _time_of_failure(worker: WorkerStatus) -> tuple[float, bool]:
    """Order failures: the first one is the cause, and pods that end by a signal follow it."""
    failed = worker.last_failure
    time = failed.problem.time if failed and failed.problem else None
    ended = failed.containers if failed else ()
    by_signal = any(each.exit and each.exit.code in (137, 143) for each in ended)
    return time.timestamp() if time else 0.0, by_signal


def outcome_steps(subject: Subject, controller: ControllerStatus, has_pods: bool, is_compiled: bool) -> Iterator[Step]:
    """Yield how to continue a paused job, and to run a failed one again; `is_compiled` if it has a job file."""
    command = resume_command(subject)
    if controller.outcome == "paused" and command:
        message = "to resume, apply it with `mode: run`, or patch it" if is_compiled else "to resume, patch it"
        yield Step(message=message, command=command)
    if controller.outcome == "failed":
        if controller.reason not in _REASONS and not has_pods:
            yield Step(message="search the logs of its pods where the cluster collects them: the pods are deleted")
        yield Step(message="to run it again, fix the cause, delete the job and apply it again")
