"""Objects that T9k's operator creates from a DeepSpeedJob, and failure cases, as far as T9k's documents describe them:

https://github.com/t9k/user-manuals/tree/fbf6b3c/src: modules/jobs/deepspeedjob.md (manual), tasks/use-podgroup.md
(groups), references/api-reference/deepspeedjob.md (reference). The source is not public: what no document states is
marked as assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.expand import placeholder
from trainc.plan.failures import FailureCase
from trainc.plan.fields import Object, at, count, items, listed, mapping, number, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.systems.deepspeedjob.traits import CONTAINER, HOSTFILE, JOB_LABEL, TRAITS
from trainc.systems.shared.model import OperatorOutput, headless_service, owned_object, pod_from_template
from trainc.systems.shared.t9k import model as t9k
from trainc.systems.shared.t9k.fields import SSHD

BY = TRAITS.operator
PORT = 29500  # DeepSpeed's default
KINDS = {"python": [], "module": ["--module"], "exec": ["--no_python"]}


def operator_output(resource: Object, _: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a DeepSpeedJob, pods in the order of the hostfile."""
    errors = validation_errors(resource)
    if errors:
        return OperatorOutput(errors=tuple(errors))
    name, workers = text(resource, "metadata", "name"), replicas(resource)
    hosts = [f"{name}-{CONTAINER}-{index}" for index in range(workers)]
    objects: list[Object] = []
    for index, multiplicity in sample.indexes(0, workers):
        objects += ({**each, "multiplicity": multiplicity} for each in _replica(resource, index, hosts[index]))
    config = mapping(resource, "spec", "config")
    if config:
        # Assumed: the default of slotsPerWorker is 1.
        slots = number(config, "slotsPerWorker") or 1
        head = owned_object(resource, BY, "ConfigMap", placeholder(f"hostfile of {name}"), {})
        objects.append({**head, "data": {"hostfile": "".join(f"{host} slots={slots}\n" for host in hosts)}})
    # Assumed: the keys at /root/.ssh come from a Secret.
    objects.append(owned_object(resource, BY, "Secret", placeholder(f"ssh keys of {name}"), {}))
    objects += t9k.pod_group(resource, BY, workers)
    return OperatorOutput(objects=tuple(objects), bounds=_bounds(resource))


def validation_errors(resource: Object) -> list[Finding]:
    """Return errors of the operator's validation: reference, RunType and Worker."""
    spec, errors = mapping(resource, "spec"), []
    kinds = [kind for kind in KINDS if at(spec, "config", "run", kind) is not None]
    if len(kinds) > 1:
        reason = f"config.run has {' and '.join(kinds)}: set exactly one"
        errors.append(rejection(reason, "spec", "config", "run", kinds[1], help="remove one of them"))
    errors += t9k.replica_error(mapping(spec, "worker"), "spec", "worker")
    if not items(spec, "worker", "template", "spec", "containers"):
        errors.append(rejection("worker.template has no container", "spec", "worker", "template"))
    return errors


def replicas(resource: Object) -> int:
    """Return the number of workers: reference, Worker and ElasticConfig. Assumed: the default is 1."""
    elastic = mapping(resource, "spec", "elastic")
    expected = number(elastic, "expectedReplicas") if elastic.get("enabled") is True else None
    return count(resource, "spec", "worker", "replicas") if expected is None else expected


def _bounds(resource: Object) -> tuple[int, int] | None:
    """Return the fewest and most workers with which the operator restarts an elastic job; None for other jobs.

    ElasticConfig of the reference. Assumption: a missing bound is the number of workers.
    """
    elastic, workers = mapping(resource, "spec", "elastic"), replicas(resource)
    if elastic.get("enabled") is not True:
        return None
    low, high = (number(elastic, field) for field in ("minReplicas", "maxReplicas"))
    return min(workers, workers if low is None else low), max(workers, workers if high is None else high)


def _replica(resource: Object, index: int, host: str) -> list[Object]:
    """Return a Pod (its name: manual, "副本的状态") and a Service of the same name.

    Assumed: the Service, because the hosts of the hostfile must resolve to the pods.
    """
    name = text(resource, "metadata", "name")
    # Labels of a GenericJob (groups). Assumed: those of a DeepSpeedJob have the same form.
    labels = {JOB_LABEL: name, "deepspeedjob-replica": host, "tensorstack.dev/component": "deepspeedjob"}
    template = mapping(resource, "spec", "worker", "template")
    containers, training = items(template, "spec", "containers"), t9k.training_container(template, CONTAINER)
    pod = pod_from_template(owned_object(resource, BY, "Pod", host, labels), template, training, on_scale_up=False)
    inner = pod["spec"]
    is_debugged = t9k.has_mode(resource, "debug")
    changes = t9k.mode_changes(resource, "debug", "replicaSpecs", CONTAINER) if is_debugged else []
    idle = (t9k.changed_command(changes) or [*SSHD]) if is_debugged else []
    pod["debugged"] = is_debugged
    command = idle or command_line(resource)
    if not is_debugged and command:
        pod["startCommand"] = command  # from worker 0, on every pod
    own = idle or (command if index == 0 and command else [*SSHD])
    # Assumed: a command of the template has precedence, except in debug mode.
    inner["containers"] = [
        {**each, "command": own, "operatorArgs": own}
        if text(each, "name") == training and (is_debugged or "command" not in each)
        else each
        for each in containers
    ]
    t9k.apply_common_fields(pod, resource, changes)
    ports = [("master", _port(command)), ("ssh", 22)]
    return [pod, headless_service(owned_object(resource, BY, "Service", host, labels), ports)]


def command_line(resource: Object) -> list[str]:
    """Return the command of worker 0, or an empty list: manual, "训练配置", the fields are options of the command.

    Assumed: the order of the options, and that no shell parses them.
    """
    config = mapping(resource, "spec", "config")
    if text(config, "customCommand"):
        return ["/bin/sh", "-c", text(config, "customCommand")]
    kind = next((kind for kind in KINDS if listed(config, "run", kind)), None)
    if kind is None:
        return []
    words = ["deepspeed", f"--hostfile={HOSTFILE}", *KINDS[kind]]
    if at(config, "localRank") is False:
        words.append("--no_local_rank")
    if text(config, "autotune") not in ("", "none"):
        words.append(f"--autotuning={text(config, 'autotune')}")
    return [*words, *map(str, listed(config, "otherArgs")), *map(str, listed(config, "run", kind))]


def _port(command: list[str]) -> int:
    for word, after in pairwise((*command, "")):
        if word.startswith("--master_port"):
            port = word.partition("=")[2] or after
            return int(port) if port.isascii() and port.isdecimal() and len(port) < 6 else PORT
    return PORT


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    yield from t9k.failure_cases(resource, mapping(resource, "spec", "worker"), CONTAINER, replicas(resource), None)
