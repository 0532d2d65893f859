"""Aspects of a plan that are compared between back ends, with normalized run ids and host names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from trainc.plan.container import Variable
from trainc.plan.plan import Plan
from trainc.plan.pods import Pod
from trainc.plan.process_env import fqdn, process_env
from trainc.plan.quantity import format_bytes, format_count
from trainc.plan.sample import FIRST
from trainc.plan.world import Worker
from trainc.well_known import SHM_PATH

# Variables that each back end sets from a source of its own.
_OWN_VARIABLES = ("JOB_COMPLETION_INDEX", "TRAINC_INDEX", "TRAINC_RUN_ID", "PET_MAX_RESTARTS", "NODE_RANK")
_SHARE_FILE = ("--share_file", "--share-file")
# Program of a worker that waits for SSH connections, and the directory of its key, hostfile and notes.
_SSHD = ("/usr/sbin/sshd", "-D")
_SSH_PATHS = ("/etc/trainc/ssh", "/etc/trainc/ssh-key", "/run/trainc")
_RUN_ID = "‹run id›"
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")


class Aspect(NamedTuple):
    """Property of a plan: `get` returns None where a back end leaves it open; `fault` is how back ends differ."""

    name: str
    get: Callable[[Plan], Any]
    fault: str = ""


def _normalize(text: str, plan: Plan, variable: str = "") -> str:
    """Replace run ids and host names; `variable` is the name of the variable whose value the text is.

    Only a Job has a uid for each run. Elsewhere the id is the job's name, which counts as an id only where nothing else
    can have it: alone in a variable for the id, or in `--rdzv_id` where an image's entrypoint is the launcher.
    """
    first = plan.workers[0].pod
    uid, domain = first.labels.get("batch.kubernetes.io/controller-uid"), fqdn(first).removeprefix(first.hostname)
    text = text.replace("-‹random›", "")
    text = text.replace(uid, _RUN_ID) if uid else text
    if variable in ("TRAINC_RUN_ID", "PET_RDZV_ID"):
        return _RUN_ID if text == plan.name else text
    text = text.replace(f"--rdzv_id={plan.name}", f"--rdzv_id={_RUN_ID}")
    text = text.replace(domain, "") if domain else text
    if not any(worker.pod.hostname in text for worker in plan.workers):
        return text
    hosts = {  # `demo-0`, `demo-0.demo` and `demo-worker-0`, by the worker's place in the order of ranks
        name: f"‹worker {index}›"
        for index, pod in _indexed_pods(plan)
        for name in (pod.hostname, f"{pod.hostname}.{pod.subdomain}")
    }
    return _HOST.sub(lambda match: hosts.get(match[0], match[0]), text)


def _indexed_pods(plan: Plan) -> Iterator[tuple[int, Pod]]:
    """Yield the pods with their places among all workers."""
    index = 0
    for worker in plan.workers:
        yield index, worker.pod
        index += worker.pod.multiplicity


def _ends(plan: Plan) -> tuple[Worker, ...]:
    """Return the first and the last worker."""
    return plan.workers[:1] + plan.workers[-1:]


def _minimum(field: str) -> Callable[[Plan], Any]:
    """Read a field of the minimum world, which is open without a launcher."""
    return lambda plan: getattr(plan.world_sizes[0], field) if plan.workers[0].launch.has_launcher else None


def _minimum_pods(plan: Plan) -> int:
    """Return the number of pods on all back ends, of any sample; without a launcher only the first is certain."""
    return min(plan.world_sizes[0].pods, FIRST) if plan.workers[0].launch.has_launcher else 1


def _program(plan: Plan) -> list[str] | None:
    """Return the command line of a process; None while its pod only runs sshd."""
    program = plan.workers[0].launch.program
    if program == _SSHD:
        return None
    words = []
    for previous, word in zip(("", *program), program, strict=False):
        folder, _slash, name = word.rpartition("/")
        is_run_file = previous in _SHARE_FILE and name == plan.name
        words.append(f"{folder}/{_RUN_ID}" if is_run_file else _normalize(word, plan))
    return words


def _launch(plan: Plan) -> tuple[object, ...]:
    launch = plan.workers[0].launch
    return launch.launcher, launch.nodes, launch.processes


def _ranks(plan: Plan) -> list[object]:
    return [each.ranks for each in plan.workers if each.ranks and each.pod.index < _minimum_pods(plan)]


def _process_env(plan: Plan) -> dict[str, str]:
    env = process_env(plan.workers[0], plan.workers, plan.world_sizes[0])
    return {name: _normalize(value, plan) for name, value in env.items()}


def stated_variables(plan: Plan) -> list[Variable]:
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
            each.name: _normalize(each.value, plan, each.name)
            for each in sorted(worker.container.env, key=lambda variable: variable.name)
            if each.name in compared
        }
        for worker in _ends(plan)
    ]


def _rendezvous(plan: Plan) -> tuple[object, ...]:
    """Return the endpoint, and the workers that it resolves to for the last worker."""
    launch, resolved = plan.workers[0].launch, plan.rendezvous
    positions = resolved.pods[:FIRST] if resolved is not None else ()
    pods = [each.pod.hostname for each in plan.workers if each.position in positions]
    hosts = [_normalize(host, plan) for host in pods]
    return _normalize(launch.rendezvous_host, plan), launch.port, launch.backend, hosts


def _services(plan: Plan, of_workers: bool) -> list[tuple[object, ...]]:
    positions = {worker.position for worker in plan.workers}
    services: list[tuple[object, ...]] = []
    for each in plan.services:
        pods = [worker.pod.hostname for worker in plan.workers[: _minimum_pods(plan)] if worker.position in each.pods]
        if bool(positions.intersection(each.pods)) is of_workers:
            services.append((each.name, each.headless, each.publishes_not_ready, each.ports, pods))
    return sorted(services, key=repr)


def _has_operator_services(plan: Plan) -> bool:
    return any(service.created_by for service in plan.services)


def _init_containers(plan: Plan, by_operator: bool) -> list[tuple[object, ...]]:
    """Return the init containers of the last worker."""
    containers = [each for each in plan.workers[-1].init_containers if bool(each.created_by) is by_operator]
    return [(each.name, each.image, [_normalize(word, plan) for word in each.argv]) for each in containers]


def _volumes(plan: Plan, of_ssh: bool) -> list[tuple[object, ...]]:
    volumes = (each for each in plan.volumes if (each.path in _SSH_PATHS) is of_ssh)
    return sorted((each.path, each.kind, each.source, each.read_only) for each in volumes)


def _on_failure(plan: Plan) -> list[str]:
    triggers = ("a worker fails", "a worker exits", "the Master fails", "the Master exits")
    return [case.effect for case in plan.failure_cases if case.trigger.startswith(triggers)]


def _on_success(plan: Plan) -> list[str]:
    return [f"{case.trigger}: {case.effect}" for case in plan.failure_cases if "succeeded" in case.trigger]


def _run_id(plan: Plan) -> str:
    env, program = plan.workers[0].container.env, plan.workers[0].launch.program
    if any("‹uid of" in word for word in (*(each.value for each in env), *program)):
        return "a uid of the run"
    has_variable = any(each.name in ("TRAINC_RUN_ID", "PET_RDZV_ID") for each in env)
    return "the job's name" if has_variable or any(word in _SHARE_FILE for word in program) else "none"


def _pod_names(plan: Plan) -> str:
    """Return the first pod's random name if a variable passes it to the program."""
    name = plan.workers[0].pod.name
    return name if "‹" in name and any(name in each.value for each in plan.workers[0].container.env) else ""


def _findings(plan: Plan) -> list[str]:
    return [f"{finding.where}: {finding.message}" for finding in plan.findings]


def _requests(plan: Plan) -> dict[str, str]:
    return {name: str(amount) for name, amount in sorted(plan.workers[0].usage.requests.items())}


def aspects(stated: set[str]) -> tuple[Aspect, ...]:
    """Return all aspects; `stated` are the names of the variables that the manifests of any back end set.

    Where the number of workers may differ, the first worker stands for all.
    """
    return (
        Aspect("minimum pods", _minimum("pods"), "have different minimum numbers of pods"),
        Aspect("initial pods", lambda plan: plan.initial_size.pods),
        Aspect("maximum pods", lambda plan: plan.world_sizes[-1].pods),
        Aspect("minimum world size", _minimum("world"), "have different minimum world sizes"),
        Aspect("initial world size", lambda plan: plan.initial_size.world),
        Aspect("maximum world size", lambda plan: plan.world_sizes[-1].world),
        Aspect("ranks", _ranks, "assign different ranks"),
        Aspect("launcher", _launch, "start different launchers"),
        Aspect("program", _program, "start different programs"),
        Aspect("process environment", _process_env, "set different variables for the processes"),
        Aspect("variables", lambda plan: _variables(plan, stated), "set different variables"),
        Aspect("rendezvous", _rendezvous, "have different rendezvous endpoints"),
        Aspect(
            "Service names",
            lambda plan: None if _has_operator_services(plan) else _services(plan, of_workers=True),
            "name workers differently",
        ),
        Aspect("server names", lambda plan: _services(plan, of_workers=False), "name servers differently"),
        Aspect(
            "init containers",
            lambda plan: _init_containers(plan, by_operator=False),
            "run different init containers",
        ),
        Aspect("GPUs", lambda plan: format_count(plan.workers[0].usage.gpus), "request different GPUs per pod"),
        Aspect("resources", _requests, "request different resources per pod"),
        Aspect(SHM_PATH, lambda plan: format_bytes(plan.workers[0].usage.shm), "have different sizes of /dev/shm"),
        Aspect("volumes", lambda plan: _volumes(plan, of_ssh=False), "mount different volumes"),
        Aspect("image", lambda plan: plan.workers[0].container.image, "use different images"),
        Aspect(
            "findings",
            lambda plan: [f"{each.where}: {each.message}" for each in plan.findings],
            "have different faults",
        ),
        Aspect("launcher restarts", lambda plan: plan.workers[0].launch.restarts),
        Aspect("success", _on_success),
        Aspect("failure", _on_failure),
        Aspect("run id", _run_id),
        Aspect("pod names", _pod_names),
        Aspect("worker names", lambda plan: plan.workers[0].pod.hostname),
        Aspect("Services", _has_operator_services),
        Aspect("operator variables", lambda plan: _operator_variables(plan, stated)),
        Aspect("SSH files", lambda plan: _volumes(plan, of_ssh=True)),
        Aspect("operator init container", lambda plan: _init_containers(plan, by_operator=True)),
    )
