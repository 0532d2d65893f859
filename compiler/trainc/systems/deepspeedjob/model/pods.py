"""What T9k's operator makes of a DeepSpeedJob. It isn't public, so this follows its documents:

https://github.com/t9k/user-manuals/tree/fbf6b3c/src: modules/jobs/deepspeedjob.md (manual), tasks/use-podgroup.md
(groups), references/api-reference/deepspeedjob.md (reference). What no document says is marked as assumed.
"""

from __future__ import annotations

from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.pods import MAX_PODS
from trainc.systems.deepspeedjob.facts import CONTAINER, HOSTFILE
from trainc.systems.deepspeedjob.traits import TRAITS
from trainc.systems.shared.model.shapes import OperatorOutput, headless, owned, pod
from trainc.systems.shared.t9k.facts import DEFAULT_QUEUE, SCHEDULER, SSHD

BY = TRAITS.operator
PORT = 29500  # of DeepSpeed's own
KINDS = {"python": [], "module": ["--module"], "exec": ["--no_python"]}


def operator_output(resource: Object, _: list[Object]) -> OperatorOutput:
    """The objects of a DeepSpeedJob, pods in the order of the hostfile."""
    wrong = refused(resource)
    if wrong:
        return OperatorOutput(errors=tuple(wrong))
    name, count = text(resource, "metadata", "name"), replicas(resource)
    hosts = [f"{name}-{CONTAINER}-{index}" for index in range(min(count, MAX_PODS))]
    found: list[Object] = []
    for index, host in enumerate(hosts):
        found += _replica(resource, index, host)
    config = mapping(resource, "spec", "config")
    if config:
        # Without slotsPerWorker it isn't said how many there are: one is assumed.
        slots = number(config, "slotsPerWorker") or 1
        head = owned(resource, BY, "ConfigMap", placeholder(f"hostfile of {name}"), {})
        found.append({**head, "data": {"hostfile": "".join(f"{host} slots={slots}\n" for host in hosts)}})
    # Where the keys at /root/.ssh are from isn't said: a Secret is assumed.
    found.append({**owned(resource, BY, "Secret", placeholder(f"ssh keys of {name}"), {})})
    if at(resource, "spec", "scheduler", "t9kScheduler") is not None:
        found.append(_group(resource, name, count))
    paused = at(resource, "spec", "runMode", "pause", "enabled") is True
    return OperatorOutput(objects=tuple(found), suspended=paused)


def refused(resource: Object) -> list[str]:
    """What can be no DeepSpeedJob: reference, RunType and Worker."""
    spec, found = mapping(resource, "spec"), []
    given = [kind for kind in KINDS if at(spec, "config", "run", kind) is not None]
    if len(given) > 1:
        found.append(f"config.run has {' and '.join(given)}, of which exactly one may be set")
    if at(spec, "worker", "replicas") is not None and number(spec, "worker", "replicas") is None:
        found.append(f"its replicas are {at(spec, 'worker', 'replicas')!r}, which is no whole number")
    if not items(spec, "worker", "template", "spec", "containers"):
        found.append("it has no worker.template with a container")
    return found


def replicas(resource: Object) -> int:
    """Reference, Worker and ElasticConfig; one by default is assumed."""
    if at(resource, "spec", "elastic", "enabled") is True:
        expected = number(resource, "spec", "elastic", "expectedReplicas")
        if expected is not None:
            return expected
    found = number(resource, "spec", "worker", "replicas")
    return 1 if found is None else found


def _replica(resource: Object, index: int, host: str) -> list[Object]:
    """A pod (its name: manual, "副本的状态"), and a Service of its name, which is assumed: the hosts of the hostfile
    must lead to the pods somehow."""
    name = text(resource, "metadata", "name")
    # As a GenericJob's are called (groups); that a DeepSpeedJob's are called alike is assumed.
    labels = {"deepspeedjob": name, "deepspeedjob-replica": host, "tensorstack.dev/component": "deepspeedjob"}
    template = mapping(resource, "spec", "worker", "template")
    containers = items(template, "spec", "containers")
    trains = next(
        (text(one, "name") for one in containers if text(one, "name") == CONTAINER), text(containers[0], "name")
    )
    made_pod = pod(owned(resource, BY, "Pod", host, labels), template, trains, late=False)
    inner = made_pod["spec"]
    line = _waiting(resource) if _waits(resource) else []
    command = line or command_line(resource)
    if not _waits(resource) and command:
        made_pod["startCommand"] = command  # on every pod, from worker 0
    runs = line or (command if index == 0 and command else [*SSHD])
    inner["containers"] = [
        _with_command(one, line or runs, forced=bool(line)) if text(one, "name") == trains else one
        for one in containers
    ]
    if _waits(resource) and any(at(one, "skipInitContainer") is True for one in _debugged(resource)):
        inner.pop("initContainers", None)
    inner["restartPolicy"] = "Never"  # reference, Worker.template
    scheduler = mapping(resource, "spec", "scheduler", "t9kScheduler")
    if at(resource, "spec", "scheduler", "t9kScheduler") is not None:
        inner["schedulerName"] = SCHEDULER
        queue = text(scheduler, "queue") or DEFAULT_QUEUE
        marks = {"scheduler.tensorstack.dev/group-name": name, "scheduler.tensorstack.dev/queue": queue}
        made_pod["metadata"]["labels"] |= marks
    ports = [("master", _port(command)), ("ssh", 22)]
    return [made_pod, headless(owned(resource, BY, "Service", host, labels), ports)]


def command_line(resource: Object) -> list[str]:
    """What worker 0 runs (manual, "训练配置": the fields are options of the command); empty where that is nothing.

    In which order, and that no shell reads it there, is assumed.
    """
    config = mapping(resource, "spec", "config")
    if text(config, "customCommand"):
        return ["/bin/sh", "-c", text(config, "customCommand")]
    kind = next((kind for kind in KINDS if listed(config, "run", kind)), None)
    if kind is None:
        return []
    found = ["deepspeed", f"--hostfile={HOSTFILE}", *KINDS[kind]]
    if at(config, "localRank") is False:
        found.append("--no_local_rank")
    if text(config, "autotune") not in ("", "none"):
        found.append(f"--autotuning={text(config, 'autotune')}")
    return [*found, *map(str, listed(config, "otherArgs")), *map(str, listed(config, "run", kind))]


def _waits(resource: Object) -> bool:
    return at(resource, "spec", "runMode", "debug", "enabled") is True


def _debugged(resource: Object) -> list[Object]:
    every = items(resource, "spec", "runMode", "debug", "replicaSpecs")
    return [one for one in every if text(one, "type") in ("", CONTAINER)]


def _waiting(resource: Object) -> list[str]:
    """Manual, "调试模式"."""
    commands = (listed(each, "command") for each in _debugged(resource))
    return list(map(str, next(filter(None, commands), SSHD)))


def _port(command: list[str]) -> int:
    for place, word in enumerate(command):
        if word.startswith("--master_port"):
            given = word.partition("=")[2] or (command[place + 1] if place + 1 < len(command) else "")
            return int(given) if given.isascii() and given.isdecimal() and len(given) < 6 else PORT
    return PORT


def _group(resource: Object, name: str, count: int) -> Object:
    """Groups, "T9k Job 自动创建 PodGroup": of the job's name, queue and priority, and of all replicas."""
    given = mapping(resource, "spec", "scheduler", "t9kScheduler")
    head = owned(resource, BY, "PodGroup", name, {}, "scheduler.tensorstack.dev/v1beta1")
    wishes = {field: given[field] for field in ("queue", "priority") if field in given}
    least = count
    if at(resource, "spec", "elastic", "enabled") is True:
        least = number(resource, "spec", "elastic", "minReplicas") or count
    return {**head, "spec": {"minMember": least, **wishes}}


def _with_command(container: Object, words: list[str], forced: bool) -> Object:
    """That a command of the template goes before the operator's own is assumed; what it is told to wait by does not."""
    if "command" in container and not forced:
        return container
    return {**container, "command": words, "operatorArgs": words}
