"""Objects that T9k's operator creates from a DeepSpeedJob, and failure cases, as far as T9k's documents describe them:

https://github.com/t9k/user-manuals/tree/fbf6b3c/src: modules/jobs/deepspeedjob.md (manual), tasks/use-podgroup.md
(groups), references/api-reference/deepspeedjob.md (reference). The source is not public: what no document states is
marked as assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from trainc.plan.expand import placeholder
from trainc.plan.failures import DISRUPTION, FailureCase, duration, times
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.systems.deepspeedjob.facts import CONTAINER, HOSTFILE, JOB_LABEL
from trainc.systems.deepspeedjob.traits import TRAITS
from trainc.systems.shared.model import OperatorOutput, Rejection, headless_service, owned_object, pod_from_template
from trainc.systems.shared.t9k.facts import DEFAULT_QUEUE, RETRYABLE, SCHEDULER, SSHD

BY = TRAITS.operator
PORT = 29500  # DeepSpeed's default
KINDS = {"python": [], "module": ["--module"], "exec": ["--no_python"]}
_FAILS = "the DeepSpeedJob fails"
_CLEAN_UP = {"All": "all pods are deleted, with their logs", "Unfinished": "running pods are deleted"}


def operator_output(resource: Object, _: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a DeepSpeedJob, pods in the order of the hostfile."""
    errors = validation_errors(resource)
    if errors:
        return OperatorOutput(errors=tuple(errors))
    name, count = text(resource, "metadata", "name"), replicas(resource)
    hosts = [f"{name}-{CONTAINER}-{index}" for index in range(count)]
    objects: list[Object] = []
    for index, multiplicity in sample.indexes(0, count):
        objects += ({**each, "multiplicity": multiplicity} for each in _replica(resource, index, hosts[index]))
    config = mapping(resource, "spec", "config")
    if config:
        # Assumed: the default of slotsPerWorker is 1.
        slots = number(config, "slotsPerWorker") or 1
        head = owned_object(resource, BY, "ConfigMap", placeholder(f"hostfile of {name}"), {})
        objects.append({**head, "data": {"hostfile": "".join(f"{host} slots={slots}\n" for host in hosts)}})
    # Assumed: the keys at /root/.ssh come from a Secret.
    objects.append(owned_object(resource, BY, "Secret", placeholder(f"ssh keys of {name}"), {}))
    if at(resource, "spec", "scheduler", "t9kScheduler") is not None:
        objects.append(_group(resource, name, count))
    paused = at(resource, "spec", "runMode", "pause", "enabled") is True
    return OperatorOutput(objects=tuple(objects), suspended=paused)


def validation_errors(resource: Object) -> list[Rejection]:
    """Return errors of the operator's validation: reference, RunType and Worker."""
    spec, errors = mapping(resource, "spec"), []
    kinds = [kind for kind in KINDS if at(spec, "config", "run", kind) is not None]
    if len(kinds) > 1:
        reason = f"config.run has {' and '.join(kinds)}: set exactly one"
        errors.append(Rejection(reason, "spec", "config", "run", kinds[1], help="remove one of them"))
    if at(spec, "worker", "replicas") is not None and number(spec, "worker", "replicas") is None:
        reason = f"replicas is `{at(spec, 'worker', 'replicas')}`, which is not a whole number"
        errors.append(Rejection(reason, "spec", "worker", "replicas"))
    if not items(spec, "worker", "template", "spec", "containers"):
        errors.append(Rejection("worker.template has no container", "spec", "worker", "template"))
    return errors


def replicas(resource: Object) -> int:
    """Return the number of workers: reference, Worker and ElasticConfig. Assumed: the default is 1."""
    elastic = mapping(resource, "spec", "elastic")
    expected = number(elastic, "expectedReplicas") if elastic.get("enabled") is True else None
    count = number(resource, "spec", "worker", "replicas") if expected is None else expected
    return 1 if count is None else count


def _replica(resource: Object, index: int, host: str) -> list[Object]:
    """Return a Pod (its name: manual, "副本的状态") and a Service of the same name.

    Assumed: the Service, because the hosts of the hostfile must resolve to the pods.
    """
    name = text(resource, "metadata", "name")
    # Labels of a GenericJob (groups). Assumed: those of a DeepSpeedJob have the same form.
    labels = {JOB_LABEL: name, "deepspeedjob-replica": host, "tensorstack.dev/component": "deepspeedjob"}
    template = mapping(resource, "spec", "worker", "template")
    containers = items(template, "spec", "containers")
    names = [text(each, "name") for each in containers]
    training = CONTAINER if CONTAINER in names else names[0]
    pod = pod_from_template(owned_object(resource, BY, "Pod", host, labels), template, training, on_scale_up=False)
    inner = pod["spec"]
    is_debugged = at(resource, "spec", "runMode", "debug", "enabled") is True
    changes = _mode_changes(resource, "debug", "replicaSpecs") if is_debugged else []
    idle = (_changed_command(changes) or [*SSHD]) if is_debugged else []
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
    if any(at(each, "skipInitContainer") is True for each in changes):
        inner.pop("initContainers", None)
    inner["restartPolicy"] = "Never"  # reference, Worker.template
    if at(resource, "spec", "scheduler", "t9kScheduler") is not None:
        inner["schedulerName"] = SCHEDULER
        queue = text(resource, "spec", "scheduler", "t9kScheduler", "queue") or DEFAULT_QUEUE
        group = {"scheduler.tensorstack.dev/group-name": name, "scheduler.tensorstack.dev/queue": queue}
        pod["metadata"]["labels"] |= group
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


def _mode_changes(resource: Object, mode: str, field: str) -> list[Object]:
    """Return the changes of the workers in a mode: manual, "调试模式" and "暂停模式"."""
    specs = items(resource, "spec", "runMode", mode, field)
    return [spec for spec in specs if text(spec, "type") in ("", CONTAINER)]


def _changed_command(changes: list[Object]) -> list[str]:
    """Return the command that replaces the default one; empty for the default."""
    commands = ([*listed(each, "command"), *listed(each, "args")] for each in changes)
    return list(map(str, next(filter(None, commands), [])))


def _port(command: list[str]) -> int:
    for word, after in pairwise((*command, "")):
        if word.startswith("--master_port"):
            port = word.partition("=")[2] or after
            return int(port) if port.isascii() and port.isdecimal() and len(port) < 6 else PORT
    return PORT


def _group(resource: Object, name: str, count: int) -> Object:
    """Return the PodGroup with the job's name, queue and priority: groups, "T9k Job 自动创建 PodGroup"."""
    scheduler = mapping(resource, "spec", "scheduler", "t9kScheduler")
    head = owned_object(resource, BY, "PodGroup", name, {}, "scheduler.tensorstack.dev/v1beta1")
    options = {field: scheduler[field] for field in ("queue", "priority") if field in scheduler}
    elastic = mapping(resource, "spec", "elastic")
    least = number(elastic, "minReplicas") if elastic.get("enabled") is True else None
    return {**head, "spec": {"minMember": least or count, **options}}


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life.

    Manual, "训练的成功和失败判定", "清除策略"; reference, RunPolicy and Worker.
    """
    spec = mapping(resource, "spec")
    policy = mapping(spec, "runPolicy")
    if at(spec, "runMode", "pause", "enabled") is True:
        effect = "no pod starts: the DeepSpeedJob is paused until spec.runMode.pause.enabled is false"
        yield FailureCase("the job is applied", effect)
        yield from _resumed(_mode_changes(resource, "pause", "resumeSpecs"))
    if at(spec, "scheduler", "t9kScheduler") is not None:
        effect = "no pod starts: the T9k Scheduler gang-schedules them"
        yield FailureCase("not all pods can be scheduled", effect)
    yield from _failure(text(spec, "worker", "restartPolicy") or "OnFailure", number(policy, "backoffLimit"))
    left = _CLEAN_UP.get(text(policy, "cleanUpPolicy"), "running pods continue")
    yield FailureCase("worker 0 has succeeded", f"the DeepSpeedJob has succeeded; {left}")
    yield FailureCase("the DeepSpeedJob has failed", left)
    deadline = number(policy, "activeDeadlineSeconds")
    if deadline is not None:
        yield FailureCase(f"the job has run for {duration(deadline)}", _FAILS)
    yield FailureCase("the job has finished", "the DeepSpeedJob remains until it is deleted")


def _resumed(changes: list[Object]) -> Iterator[FailureCase]:
    command = _changed_command(changes)
    effects = [f"runs `{' '.join(command)}`"] if command else []
    if any(at(each, "skipInitContainer") is True for each in changes):
        effects.insert(0, "has no init containers")
    if effects:
        yield FailureCase("the job is resumed", f"each pod {' and '.join(effects)}")


def _failure(restart_policy: str, limit: int | None) -> Iterator[FailureCase]:
    if restart_policy == "Never":
        yield FailureCase("a worker fails", _FAILS)
        yield FailureCase(DISRUPTION, _FAILS)
        return
    count = f"{times(limit)} for all workers together" if limit is not None else "the operator's default"
    trigger = "a worker fails"
    if restart_policy == "ExitCode":
        trigger = f"a worker exits with {', '.join(map(str, RETRYABLE[:-1]))} or {RETRYABLE[-1]}"
        yield FailureCase("a worker exits with another code", _FAILS)
    yield FailureCase(trigger, f"its pod is recreated, up to {count}; then {_FAILS}")
    yield FailureCase(DISRUPTION, "the pod is recreated; assumed: the failure counts against the backoff limit")
