"""Aspects of a plan that are compared between back ends, with normalized run ids and host names."""

from __future__ import annotations

import re
from typing import Any

from trainc.launchers.registry import FIELDS, launcher_traits
from trainc.plan.container import Variable, training_container
from trainc.plan.expand import expand
from trainc.plan.fields import items, text
from trainc.plan.launch import WAITS
from trainc.plan.plan import Plan
from trainc.plan.process_env import fqdn, process_env
from trainc.plan.quantity import format_bytes, format_count, format_range
from trainc.plan.sample import FIRST
from trainc.plan.world import Worker
from trainc.well_known import SHM_PATH

_LAUNCHERS = [launcher for name in FIELDS if (launcher := launcher_traits(name))]
# Variables that each back end sets from a source of its own.
_OWN_VARIABLES = {"JOB_COMPLETION_INDEX", "TRAINC_INDEX", "TRAINC_RUN_ID", "TRAINC_POD_IP", "NODE_RANK"}
_OWN_VARIABLES.update(name for launcher in _LAUNCHERS for name in launcher.restarts_variables)
_RUN_ID_VARIABLES = {"TRAINC_RUN_ID", *(name for launcher in _LAUNCHERS for name in launcher.run_id_variables)}
# Paths of the key, the hostfile and the notes of a worker that waits for SSH connections.
_SSH_PATHS = ("/etc/trainc/ssh", "/etc/trainc/ssh-key", "/run/trainc", "/etc/trainc/deepspeed", "/root/.ssh")
_FAILURES = ("a worker fails", "a worker exits", "the Master fails", "the Master exits")
_RUN_ID = "‹run id›"
_RANDOM = re.compile("-‹random(?: [0-9]+)?›")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_OF_A_WORLD = (
    *("minimum pods", "minimum world size", "initial world size", "maximum world size", "ranks", "launcher"),
    *("process environment", "rendezvous"),
)
# How back ends differ in an aspect, unless the difference is expected.
FAULTS = {
    "minimum pods": "have different minimum numbers of pods",
    "initial pods": "start with different numbers of pods unless `workers` is set",
    "maximum pods": "have different maximum numbers of pods",
    "minimum world size": "have different minimum world sizes",
    "initial world size": "have different initial world sizes",
    "maximum world size": "have different maximum world sizes",
    "ranks": "assign different ranks",
    "launcher": "start different launchers",
    "program": "start different programs",
    "process environment": "set different variables for the processes",
    "variables": "set different variables",
    "rendezvous": "have different rendezvous endpoints",
    "Service names": "name workers differently",
    "server names": "name servers differently",
    "init containers": "run different init containers",
    "GPUs": "request different GPUs per pod",
    "resources": "request different resources per pod",
    SHM_PATH: "have different sizes of /dev/shm",
    "volumes": "mount different volumes",
    "image": "use different images",
    "findings": "have different faults",
}


def aspects(plan: Plan, stated: set[str], debugged: bool) -> dict[str, Any]:
    """Return the value of each aspect, None where the back end leaves it open.

    `stated` are the names of the variables that the manifests of any back end set. Where the number of workers may
    differ, the first worker stands for all. `debugged` if a back end's operator has a debug mode of its own, which
    starts no program: then there is no world to compare.
    """
    worker, least, most = plan.workers[0], plan.world_sizes[0], plan.world_sizes[-1]
    launch, container, usage = worker.launch, worker.container, worker.usage
    has_operator_services = any(service.created_by for service in plan.services)
    # Number of pods that exist on all back ends and in every sample; 1 without a launcher.
    minimum = min(least.pods, FIRST) if launch.has_launcher else 1
    env = process_env(worker, plan.workers, least)
    compared = stated - {*_OWN_VARIABLES, *launch.option_env, *(env if debugged else ())}
    values = {
        "minimum pods": least.pods if launch.has_launcher else None,
        "initial pods": plan.initial_size.pods,
        "maximum pods": most.pods,
        "minimum world size": least.world if launch.has_launcher else None,
        "initial world size": plan.initial_size.world,
        "maximum world size": most.world,
        "ranks": [each.ranks for each in plan.workers if each.ranks and each.pod.index < minimum],
        "launcher": {
            "launcher": launch.launcher,
            "nodes": None if launch.nodes is None else format_range(*launch.nodes),
            "processes": launch.processes,
        },
        "program": _program(plan, debugged),
        "process environment": {
            name: _normalize(value, plan)
            for name, value in env.items()
            if name not in _OWN_VARIABLES | _RUN_ID_VARIABLES
        },
        "variables": _variables(plan, compared),
        "rendezvous": _rendezvous(plan),
        "Service names": None if has_operator_services else _services(plan, minimum, of_workers=True),
        "server names": _services(plan, minimum, of_workers=False),
        "init containers": _init_containers(plan, by_operator=False),
        "GPUs": format_count(usage.gpus),
        "resources": {name: str(amount) for name, amount in sorted(usage.requests.items())},
        SHM_PATH: format_bytes(usage.shm),
        "volumes": _volumes(plan, of_ssh=False),
        "image": container.image,
        "findings": _findings(plan),
        "launcher restarts": launch.restarts,
        "success": [f"{case.trigger}: {case.effect}" for case in plan.failure_cases if "succeeded" in case.trigger],
        "failure": [case.effect for case in plan.failure_cases if case.trigger.startswith(_FAILURES)],
        "run id": _run_id(plan),
        "pod names": _pod_name(plan),
        "worker names": worker.pod.hostname,
        "Services": has_operator_services,
        "operator variables": [
            each.name for each in container.env if each.source in plan.operators and each.name not in stated
        ],
        "SSH files": _volumes(plan, of_ssh=True),
        "operator init container": _init_containers(plan, by_operator=True),
    }
    return {**values, **dict.fromkeys(_OF_A_WORLD)} if debugged else values


def _normalize(text: str, plan: Plan, variable: str = "") -> str:
    """Replace run ids and host names; `variable` is the name of the variable whose value the text is.

    Only Jobs have a uid for each run. Elsewhere the id is the job's name, which counts as an id only where nothing else
    can have it: alone in a variable for the id, or in `--rdzv_id` where an image's entrypoint is the launcher.
    """
    first = plan.workers[0].pod
    uid, domain = first.labels.get("batch.kubernetes.io/controller-uid"), fqdn(first).removeprefix(first.hostname)
    text = text.replace("-‹random›", "")
    text = re.sub(rf"({re.escape(plan.name)}-)?‹uid of [^‹›]*›", _RUN_ID, text)  # a group's name has the job's, too
    text = text.replace(uid, _RUN_ID) if uid else text
    if variable in _RUN_ID_VARIABLES:
        return _RUN_ID if text == plan.name else text
    text = text.replace(f"--rdzv_id={plan.name}", f"--rdzv_id={_RUN_ID}")
    text = text.replace(domain, "") if domain else text
    hosts, index = {}, 0
    for worker in plan.workers:
        pod, own = worker.pod, f"‹worker {index}›"
        # `demo-0`, `demo-0.demo` and `demo-worker-0`, by the worker's place in the order of ranks
        hosts[pod.hostname] = hosts[f"{pod.hostname}.{pod.subdomain}"] = own
        if "‹" in pod.hostname:  # it is known by the names of its own Services
            for name in (_RANDOM.sub("", each) for each in (pod.hostname, *worker.names)):
                hosts[name] = hosts[f"{name}.{pod.namespace}.svc.cluster.local"] = own
        index += pod.multiplicity
    if not any(host in text for host in hosts):
        return text
    return _HOST.sub(lambda match: hosts.get(match[0], match[0]), text)


def _ends(plan: Plan) -> tuple[Worker, ...]:
    return plan.workers[:1] + plan.workers[-1:]


def _program(plan: Plan, debugged: bool) -> list[str] | None:
    """Return the command line of a process; None while its pod only waits."""
    program = plan.workers[0].launch.program
    if debugged and program in WAITS:
        return None
    words = []
    for previous, word in zip(("", *program), program, strict=False):
        folder, _slash, name = word.rpartition("/")
        is_run_file = name == plan.name and previous and f" {previous} (shareFile.argument)" in f" {plan.added_words}"
        words.append(f"{folder}/{_RUN_ID}" if is_run_file else _normalize(word, plan))
    return words


def stated_variables(plan: Plan) -> list[Variable]:
    """Return variables of the first and last worker that the manifests set."""
    return [each for worker in _ends(plan) for each in worker.container.env if each.source not in plan.operators]


def _variables(plan: Plan, compared: set[str]) -> list[dict[str, str]]:
    """Return variables of the first and last worker that the manifests of any back end set."""
    return [
        {
            each.name: _normalize(files.get(each.name, each.value), plan, each.name)
            for each in sorted(worker.container.env, key=lambda variable: variable.name)
            if each.name in compared
        }
        for worker in _ends(plan)
        for files in (_run_files(worker),)
    ]


def _run_files(worker: Worker) -> dict[str, str]:
    """Return the variables whose values refer to the run's id, with a placeholder for it."""
    values = {each.name: each.value for each in worker.container.env} | dict.fromkeys(_RUN_ID_VARIABLES, _RUN_ID)
    stated = ((text(each, "name"), text(each, "value")) for each in items(training_container(worker.pod), "env"))
    references = [f"$({name})" for name in _RUN_ID_VARIABLES]
    return {name: expand(value, values) for name, value in stated if any(each in value for each in references)}


def _rendezvous(plan: Plan) -> dict[str, object]:
    """Return the endpoint, and the workers that it resolves to for the last worker."""
    launch, positions = plan.workers[0].launch, plan.rendezvous.pods[:FIRST] if plan.rendezvous else ()
    hosts = [_normalize(each.pod.hostname, plan) for each in plan.workers if each.position in positions]
    host = _normalize(launch.rendezvous_host, plan) or None
    return {"host": host, "port": launch.port, "backend": launch.backend or None, "worker": ", ".join(hosts) or None}


def _services(plan: Plan, minimum: int, of_workers: bool) -> list[tuple[object, ...]]:
    positions = {worker.position for worker in plan.workers}
    services: list[tuple[object, ...]] = []
    for each in plan.services:
        pods = [worker.pod.hostname for worker in plan.workers[:minimum] if worker.position in each.pods]
        if bool(positions.intersection(each.pods)) is of_workers:
            services.append((each.name, each.headless, each.publishes_not_ready, each.ports, pods))
    return sorted(services, key=repr)


def _init_containers(plan: Plan, by_operator: bool) -> list[tuple[object, ...]]:
    """Return the init containers of the last worker."""
    containers = [each for each in plan.workers[-1].init_containers if bool(each.created_by) is by_operator]
    return [(each.name, each.image, [_normalize(word, plan) for word in each.argv]) for each in containers]


def _volumes(plan: Plan, of_ssh: bool) -> list[tuple[object, ...]]:
    volumes = (each for each in plan.volumes if (each.path in _SSH_PATHS or bool(each.created_by)) is of_ssh)
    return sorted((each.path, each.kind, each.source, each.read_only) for each in volumes)


def _findings(plan: Plan) -> list[str]:
    """Return the findings in an order that does not depend on names."""
    owner = plan.workers[0].pod.owner or "pods"
    places = ("all workers" if finding.where == owner else _normalize(finding.where, plan) for finding in plan.findings)
    return sorted(
        f"{where}: {_normalize(finding.message, plan)}" for where, finding in zip(places, plan.findings, strict=True)
    )


def _run_id(plan: Plan) -> str:
    env, program = plan.workers[0].container.env, plan.workers[0].launch.program
    if any("‹uid of" in word for word in (*(each.value for each in env), *program)):
        return "a uid of the run"
    return "the job's name" if any(each.name in _RUN_ID_VARIABLES for each in env) else "none"


def _pod_name(plan: Plan) -> str:
    """Return the first pod's random name if a variable passes it to the program."""
    name = plan.workers[0].pod.name
    return name if "‹" in name and any(name in each.value for each in plan.workers[0].container.env) else ""
