"""Objects that T9k's operator creates from a PyTorchTrainingJob, and failure cases, as far as T9k's documents describe
them:

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md (manual) and
.../src/references/api-reference/pytorchtrainingjob.md (reference). The source is not public: what no document states is
marked as assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.failures import FailureCase
from trainc.plan.fields import Object, at, count, items, listed, mapping, number, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.record import Record
from trainc.systems.pytorchtrainingjob.traits import BACKOFF_LIMIT, CONTAINER, PORT, TRAITS
from trainc.systems.shared.model import (
    OperatorOutput,
    headless_service,
    owned_object,
    pod_from_template,
    with_variables,
)
from trainc.systems.shared.t9k import model as t9k

BY = TRAITS.operator
SLEEP = ("sleep", "inf")  # manual, "调试模式"


class Role(Record):
    """Pods of one type; `first` is the rank of the first one."""

    spec: Object
    type: str
    count: int
    first: int


def operator_output(resource: Object, _: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a PyTorchTrainingJob, pods in the order of their ranks."""
    errors = validation_errors(resource)
    if errors:
        return OperatorOutput(errors=tuple(errors))
    roles, objects = _roles(resource), list[Object]()
    for role in roles:
        for index, multiplicity in sample.indexes(0, role.count):
            replica = _replica(resource, roles, role, index)
            objects += ({**each, "multiplicity": multiplicity} for each in replica)
    objects += t9k.pod_group(resource, BY, sum(role.count for role in roles))
    return OperatorOutput(objects=tuple(objects))


def validation_errors(resource: Object) -> list[Finding]:
    """Return errors of the operator's validation: reference, ReplicaSpec."""
    specs = items(resource, "spec", "replicaSpecs")
    errors = [] if specs else [rejection("replicaSpecs has no role")]
    for index, spec in enumerate(specs):
        path = ("spec", "replicaSpecs", index)
        errors += t9k.replica_error(spec, *path)
        if not items(spec, "template", "spec", "containers"):
            errors.append(rejection("the template has no container", *path, "template"))
    return errors


def _roles(resource: Object) -> list[Role]:
    """Return the roles in the order of the ranks. Assumed: the defaults of `replicas` and `type`."""
    specs, roles = items(resource, "spec", "replicaSpecs"), list[Role]()
    elastic = mapping(resource, "spec", "elastic")
    expected = number(elastic, "expectedReplicas") if _is_elastic(resource) and len(specs) == 1 else None
    for spec in specs:
        pods, first = count(spec, "replicas") if expected is None else expected, sum(role.count for role in roles)
        roles.append(Role(spec=spec, type=text(spec, "type") or "worker", count=pods, first=first))
    return roles


def _replica(resource: Object, roles: list[Role], role: Role, index: int) -> list[Object]:
    """Return a Pod (its name: manual, "副本的状态") and a Service of the same name.

    Assumed: the Service, because MASTER_ADDR must resolve to the first pod.
    """
    job, template = text(resource, "metadata", "name"), mapping(role.spec, "template")
    name = f"{job}-{role.type}-{index}"
    training = t9k.training_container(template, CONTAINER)
    pod = pod_from_template(owned_object(resource, BY, "Pod", name, {}), template, training, on_scale_up=False)
    changes, command = [], list[str]()
    if t9k.has_mode(resource, "debug"):
        changes = t9k.mode_changes(resource, "debug", "replicaSpecs", role.type)
        command = t9k.changed_command(changes) or [*SLEEP]
        pod["debugged"] = True
    inner = pod["spec"]
    inner["containers"] = [
        _training(each, resource, roles, role.first + index, command) if text(each, "name") == training else each
        for each in items(inner, "containers")
    ]
    t9k.apply_common_fields(pod, resource, changes)
    own = {"pytorchtrainingjob-replica": name}  # assumed: a label by which the Service selects its pod
    pod["metadata"]["labels"] |= own
    return [pod, headless_service(owned_object(resource, BY, "Service", name, own), [("master", PORT)])]


def _training(container: Object, resource: Object, roles: list[Role], rank: int, command: list[str]) -> Object:
    """Return the training container of one pod; `command` is that of the debug mode."""
    total = sum(role.count for role in roles)
    master = f"{text(resource, 'metadata', 'name')}-{roles[0].type}-0"
    debugged = {**container, "command": command, "args": [], "operatorArgs": command} if command else container
    if at(resource, "spec", "torchrunConfig", "enabled") is not True:
        # Manual, "成功和失败": MASTER_ADDR and MASTER_PORT. Assumed: the other variables of init_method env://.
        env = [("MASTER_ADDR", master), ("MASTER_PORT", str(PORT)), ("WORLD_SIZE", str(total)), ("RANK", str(rank))]
        return with_variables(debugged, env, BY)
    if command:
        return debugged
    words = _torchrun(resource, total, master)
    args = [*words, *map(str, listed(container, "args"))]
    return {**container, "command": args[:1], "args": args[1:], "operatorArgs": words}


def _torchrun(resource: Object, total: int, master: str) -> list[str]:
    """Return torchrun with its options: manual, "使用 torchrun 启动训练". Assumed: the rendezvous of c10d, and the
    order of the options."""
    config, elastic = mapping(resource, "spec", "torchrunConfig"), mapping(resource, "spec", "elastic")
    nodes = str(total)
    if _is_elastic(resource):
        low, high = (number(elastic, field) for field in ("minReplicas", "maxReplicas"))
        nodes = f"{total if low is None else low}:{total if high is None else high}"
    options = {
        "nnodes": nodes,
        "nproc_per_node": text(config, "procPerNode") or "1",
        "max_restarts": text(config, "maxRestarts"),
        "rdzv_backend": text(config, "rdzvBackend") or "c10d",
        "rdzv_endpoint": f"{master}:{PORT}",
    }
    words = (f"--{option}={value}" for option, value in options.items() if value)
    return ["torchrun", *words, *map(str, listed(config, "extraOptions"))]


def _is_elastic(resource: Object) -> bool:
    """Return whether the job is elastic: manual, "弹性训练", only with torchrun."""
    return all(at(resource, "spec", section, "enabled") is True for section in ("elastic", "torchrunConfig"))


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    roles = _roles(resource)
    largest = max(roles, key=lambda role: role.count)
    yield from t9k.failure_cases(resource, largest.spec, largest.type, sum(role.count for role in roles), BACKOFF_LIMIT)
