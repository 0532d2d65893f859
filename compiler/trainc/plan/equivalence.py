"""Comparison of the plans of one job on several back ends: whether all start the same world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from trainc.plan import redact
from trainc.plan.container import Variable
from trainc.plan.normalize import RUN_ID, normalize
from trainc.plan.plan import Plan
from trainc.plan.process_env import process_env
from trainc.plan.quantity import format_bytes, format_count
from trainc.plan.world import Worker
from trainc.record import Record
from trainc.well_known import SHM_PATH

# Variables that each back end sets from a source of its own.
_OWN_VARIABLES = ("JOB_COMPLETION_INDEX", "TRAINC_INDEX", "TRAINC_RUN_ID", "PET_MAX_RESTARTS", "NODE_RANK")
_SHARE_FILE = ("--share_file", "--share-file")
# What a worker runs until another one reaches it by SSH, and where its key, hostfile and notes are.
_SSHD = ("/usr/sbin/sshd", "-D")
_SSH_PATHS = ("/etc/trainc/ssh", "/etc/trainc/ssh-key", "/run/trainc")


class Aspect(NamedTuple):
    """Property of a plan. `get` returns None where a back end leaves it open.

    `fault` says what back ends do that differ in it; `reason` is set instead if the systems make them differ.
    """

    name: str
    get: Callable[[Plan, set[str]], Any]
    fault: str = ""
    reason: str = ""


class Difference(Record):
    """Aspect that is not the same on all back ends, with its value on each."""

    aspect: Aspect
    values: tuple[tuple[str, Any], ...]

    @property
    def name(self) -> str:
        """Name of the aspect."""
        return self.aspect.name

    @property
    def is_expected(self) -> bool:
        """Whether the systems themselves make the difference."""
        return bool(self.aspect.reason)

    def describe(self) -> str:
        """Format the difference as a sentence, without secrets."""
        if self.is_expected:
            numbers = ", ".join(f"{name} {value}" for name, value in self.values if isinstance(value, int))
            return f"{self.name}{f' ({numbers})' if numbers else ''}: {self.aspect.reason}"
        first_of: dict[str, str] = {}
        for name, value in self.values:
            first_of.setdefault(repr(value), name)
        values = dict(self.values)
        names = " and ".join(f"`{name}`" for name in first_of.values())
        shown = ", ".join(f"`{_format(values[name])}`" for name in first_of.values())
        return f"back ends {names} {self.aspect.fault}: {shown}"


def differences(plans: Mapping[str, Plan]) -> list[Difference]:
    """Compare the plans of one job by back end. A plan without pods, as of a paused job, is not compared."""
    plans = {name: plan for name, plan in plans.items() if plan.workers}
    stated = {variable.name for plan in plans.values() for variable in _stated_variables(plan)}
    found = []
    for aspect in ASPECTS:
        values = {name: value for name, plan in plans.items() if (value := aspect.get(plan, stated)) is not None}
        if len({repr(value) for value in values.values()}) > 1:
            found.append(Difference(aspect=aspect, values=tuple(values.items())))
    return found


def _format(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={redact.redact_value(name, str(each))}" for name, each in value.items())
    if isinstance(value, list | tuple):
        words = redact.redact_args([each if isinstance(each, str) else _format(each) for each in value])
        return f"[{', '.join(words)}]"
    return str(value)


def _ends(plan: Plan) -> tuple[Worker, ...]:
    """Return the first and the last worker."""
    return plan.workers[:1] + plan.workers[-1:]


def _at_size(name: str, field: str) -> Callable[[Plan, set[str]], object]:
    position = {"minimum": 0, "maximum": -1}

    def get(plan: Plan, _: set[str]) -> object:
        if name == "minimum" and not plan.workers[0].launch.has_launcher:
            return None
        size = plan.initial_size if name == "initial" else plan.world_sizes[position[name]]
        return getattr(size, field)

    return get


def _minimum_pods(plan: Plan) -> int:
    """Return the number of pods on all back ends; without a launcher only the first is certain."""
    return plan.world_sizes[0].pods if plan.workers[0].launch.has_launcher else 1


def _program(plan: Plan, _: set[str]) -> list[str] | None:
    """Return the command line of a process; None while its pod only runs sshd."""
    program = plan.workers[0].launch.program
    if program == _SSHD:
        return None
    words = []
    for previous, word in zip(("", *program), program, strict=False):
        folder, _slash, name = word.rpartition("/")
        is_run_file = previous in _SHARE_FILE and name == plan.name
        words.append(f"{folder}/{RUN_ID}" if is_run_file else normalize(word, plan))
    return words


def _launch(plan: Plan, _: set[str]) -> tuple[object, ...]:
    launch = plan.workers[0].launch
    return launch.launcher, launch.nodes, launch.processes


def _ranks(plan: Plan, _: set[str]) -> list[object]:
    return [each.ranks for each in plan.workers if each.ranks and each.pod.index < _minimum_pods(plan)]


def _process_env(plan: Plan, _: set[str]) -> dict[str, str]:
    env = process_env(plan.workers[0], plan.workers, plan.world_sizes[0])
    return {name: normalize(value, plan) for name, value in env.items()}


def _stated_variables(plan: Plan) -> list[Variable]:
    """Return variables of the first and last worker that the manifests set."""
    return [each for worker in _ends(plan) for each in worker.container.env if each.source not in plan.operators]


def _operator_variables(plan: Plan, stated: set[str]) -> list[str]:
    """Return the names of variables that only the operator sets."""
    env = plan.workers[0].container.env
    return [each.name for each in env if each.source in plan.operators and each.name not in stated]


def _variables(plan: Plan, stated: set[str]) -> list[dict[str, str]]:
    """Return variables of the first and last worker that the manifests of any back end set."""
    compared = stated - {*_OWN_VARIABLES, *plan.workers[0].launch.option_env}
    return [
        {
            each.name: normalize(each.value, plan, each.name)
            for each in sorted(worker.container.env, key=lambda variable: variable.name)
            if each.name in compared
        }
        for worker in _ends(plan)
    ]


def _rendezvous(plan: Plan, _: set[str]) -> tuple[object, ...]:
    """Return the endpoint, and the workers that it resolves to for the last worker."""
    launch, resolved = plan.workers[0].launch, plan.rendezvous
    pods = [each.pod.hostname for each in plan.workers if resolved is not None and each.position in resolved.pods]
    hosts = [normalize(host, plan) for host in pods]
    return normalize(launch.rendezvous_host, plan), launch.port, launch.backend, hosts


def _services(plan: Plan, of_workers: bool) -> list[tuple[object, ...]]:
    positions = {worker.position for worker in plan.workers}
    services: list[tuple[object, ...]] = []
    for each in plan.services:
        pods = [worker.pod.hostname for worker in plan.workers[: _minimum_pods(plan)] if worker.position in each.pods]
        if bool(positions.intersection(each.pods)) is of_workers:
            services.append((each.name, each.headless, each.publishes_not_ready, each.ports, pods))
    return sorted(services, key=repr)


def _worker_services(plan: Plan, _: set[str]) -> list[tuple[object, ...]] | None:
    """Return the Services of workers; None where an operator creates them."""
    return None if _has_operator_services(plan) else _services(plan, of_workers=True)


def _has_operator_services(plan: Plan) -> bool:
    return any(service.created_by for service in plan.services)


def _init_containers(plan: Plan, by_operator: bool) -> list[tuple[object, ...]]:
    """Return the init containers of the last worker."""
    containers = [each for each in plan.workers[-1].init_containers if bool(each.created_by) is by_operator]
    return [(each.name, each.image, [normalize(word, plan) for word in each.argv]) for each in containers]


def _volumes(plan: Plan, of_ssh: bool) -> list[tuple[object, ...]]:
    volumes = (each for each in plan.volumes if (each.path in _SSH_PATHS) is of_ssh)
    return sorted((each.path, each.kind, each.source, each.read_only) for each in volumes)


def _on_failure(plan: Plan, _: set[str]) -> list[str]:
    triggers = ("a worker fails", "a worker exits", "the Master fails", "the Master exits")
    return [case.effect for case in plan.failure_cases if case.trigger.startswith(triggers)]


def _on_success(plan: Plan, _: set[str]) -> list[str]:
    return [f"{case.trigger}: {case.effect}" for case in plan.failure_cases if "succeeded" in case.trigger]


def _run_id(plan: Plan, _: set[str]) -> str:
    env, program = plan.workers[0].container.env, plan.workers[0].launch.program
    if any("‹uid of" in word for word in (*(each.value for each in env), *program)):
        return "the Job's uid"
    has_variable = any(each.name in ("TRAINC_RUN_ID", "PET_RDZV_ID") for each in env)
    return "the job's name" if has_variable or any(word in _SHARE_FILE for word in program) else "none"


def _pod_names(plan: Plan, _: set[str]) -> str:
    """Return the first pod's random name if a variable passes it to the program."""
    name = plan.workers[0].pod.name
    return name if "‹" in name and any(name in each.value for each in plan.workers[0].container.env) else ""


def _of_first(get: Callable[[Worker], object]) -> Callable[[Plan, set[str]], object]:
    """Read a property that all workers share, because the number of workers may differ."""
    return lambda plan, _: get(plan.workers[0])


def _aspects() -> Iterator[Aspect]:
    yield Aspect("minimum pods", _at_size("minimum", "pods"), "have different minimum numbers of pods")
    yield Aspect(
        "initial pods",
        _at_size("initial", "pods"),
        reason="a StatefulSet, an ElasticJob and a PyTorchJob start with the job's workers, or with the minimum of"
        " their autoscaler; a Job and bare Pods start with the maximum and train with the pods that are scheduled",
    )
    yield Aspect(
        "maximum pods",
        _at_size("maximum", "pods"),
        reason="a StatefulSet, an ElasticJob and a PyTorchJob without an autoscaler have more pods only once they are"
        " scaled",
    )
    yield Aspect("minimum world size", _at_size("minimum", "world"), "have different minimum world sizes")
    yield Aspect("initial world size", _at_size("initial", "world"), reason="follows from the initial pods")
    yield Aspect("maximum world size", _at_size("maximum", "world"), reason="follows from the maximum pods")
    yield Aspect("ranks", _ranks, "assign different ranks")
    yield Aspect("launcher", _launch, "start different launchers")
    yield Aspect("program", _program, "start different programs")
    yield Aspect("process environment", _process_env, "set different variables for the processes")
    yield Aspect("variables", _variables, "set different variables")
    yield Aspect("rendezvous", _rendezvous, "have different rendezvous endpoints")
    yield Aspect("Service names", _worker_services, "name workers differently")
    yield Aspect("server names", lambda plan, _: _services(plan, of_workers=False), "name servers differently")
    yield Aspect(
        "init containers",
        lambda plan, _: _init_containers(plan, by_operator=False),
        "run different init containers",
    )
    yield Aspect("GPUs", _of_first(lambda worker: format_count(worker.usage.gpus)), "request different GPUs per pod")
    yield Aspect(
        "resources",
        _of_first(lambda worker: {name: str(each) for name, each in sorted(worker.usage.requests.items())}),
        "request different resources per pod",
    )
    yield Aspect(SHM_PATH, _of_first(lambda worker: format_bytes(worker.usage.shm)), "have a different /dev/shm")
    yield Aspect("volumes", lambda plan, _: _volumes(plan, of_ssh=False), "mount different volumes")
    yield Aspect("image", _of_first(lambda worker: worker.container.image), "use different images")
    yield Aspect(
        "findings",
        lambda plan, _: [f"{finding.where}: {finding.message}" for finding in plan.findings],
        "have different faults",
    )
    yield Aspect(
        "launcher restarts",
        _of_first(lambda worker: worker.launch.restarts),
        reason="each scale-down of an elastic StatefulSet or PyTorchJob uses up one restart of torchrun, so they allow"
        " more",
    )
    yield Aspect(
        "success",
        _on_success,
        reason="a Job reports its success, a bare Pod only its own, a StatefulSet none; a PyTorchJob succeeds with all"
        " workers, with its Master or, if it is elastic, with any worker; an ElasticJob with all workers; a"
        " DeepSpeedJob with worker 0, which starts all processes",
    )
    yield Aspect(
        "failure",
        _on_failure,
        reason="a Job counts the failures of each worker; a PyTorchJob, an ElasticJob and a DeepSpeedJob count the"
        " restarts of all running pods together; a StatefulSet restarts without limit, a bare Pod is never replaced",
    )
    yield Aspect(
        "run id",
        _run_id,
        reason="a Job has a uid for each run; elsewhere the id is the job's name, the same in every run",
    )
    yield Aspect("pod names", _pod_names, reason="a Job adds random characters to the names of its pods")
    yield Aspect(
        "worker names",
        _of_first(lambda worker: worker.pod.hostname),
        reason="an operator names the workers by their role",
    )
    yield Aspect(
        "Services",
        lambda plan, _: "one per pod" if _has_operator_services(plan) else "of all workers and of worker 0",
        reason="an operator creates a Service for each pod, with the pod's name, which resolves only while the pod is"
        " ready; elsewhere one Service selects all workers and one worker 0, ready or not",
    )
    yield Aspect(
        "operator variables",
        _operator_variables,
        reason="the training operator sets its variables in every container, whether the program reads them or not",
    )
    yield Aspect(
        "SSH files",
        lambda plan, _: _volumes(plan, of_ssh=True),
        reason="T9k's operator provides SSH keys and a hostfile of its own",
    )
    yield Aspect(
        "operator init container",
        lambda plan, _: _init_containers(plan, by_operator=True),
        reason="with a Master, the training operator makes the workers wait until its name resolves",
    )


ASPECTS = tuple(_aspects())
EXPECTED = {aspect.name: aspect.reason for aspect in ASPECTS if aspect.reason}
