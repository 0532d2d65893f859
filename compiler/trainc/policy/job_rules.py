"""Rules about whole jobs: labels of the object and its pods, queue, GPUs and time limit."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible
from trainc.plan.bounds import time_limit, time_limits
from trainc.plan.fields import identity, number, text
from trainc.policy.pod_fields import gpu_limits
from trainc.policy.policy import ANY_QUEUE, UNKNOWN_PODS, Policy, Violation
from trainc.policy.workload import Workload
from trainc.schema.paths import Path, dotted
from trainc.well_known import QUEUE_LABEL

_NAME: Path = ("metadata", "name")
_LABELS: Path = ("metadata", "labels")
_HOUR = 3600  # seconds
_NO_LIMIT = "use a back end with a time limit, such as job"


def violations(policy: Policy, workload: Workload) -> Iterator[Violation]:
    """Yield the violations of a job."""
    yield from _labels(policy, workload)
    if workload.trains:
        yield from _queue(policy, workload)
    if workload.trains or workload.has_gpus:
        yield from _hours(policy, workload)
    yield from _gpus(policy, workload)
    yield from _unknown(policy, workload)


def _labels(policy: Policy, workload: Workload) -> Iterator[Violation]:
    owner = text(workload.resource, "kind")
    label_sets = [(owner, workload.labels), *((f"a pod of the {owner}", each) for each in workload.pod_labels)]
    for name in policy.required_labels:
        who = next((who for who, labels in label_sets if not labels.get(name)), None)
        if who is not None:
            yield Violation(
                code=codes.POLICY_LABEL,
                message=f"{who} lacks the label `{visible(name)}`, which the policy requires",
                help="do not change it in `podTemplate`" if who != owner else f"set `metadata.labels.{visible(name)}`",
                manifest_help=f"set it in {'the pod template' if who != owner else 'metadata.labels'}",
                document=workload.document,
                path=(*_LABELS, name) if workload.labels.get(name) is not None else _NAME,
                field="requiredLabels",
                item=name,
            )
    for name, allowed in policy.label_values.items():
        values = {labels[name] for _, labels in label_sets if name in labels}
        for value in sorted(values - set(allowed)):
            yield Violation(
                code=codes.POLICY_LABEL,
                message=f"label `{visible(name)}` is `{visible(value)}`, which the policy does not allow",
                help=f"set it to {' or '.join(map(visible, allowed))}",
                document=workload.document,
                path=(*_LABELS, name) if workload.labels.get(name) == value else workload.path_of(name, value),
                field="labelValues",
                item=name,
            )


def _queue(policy: Policy, workload: Workload) -> Iterator[Violation]:
    queues = policy.required_queues
    if not queues or workload.queue in queues or (workload.queue and ANY_QUEUE in queues):
        return
    names = " or ".join(f"`{visible(each)}`" for each in queues if each != ANY_QUEUE)
    wanted = f"queue {names}" if names and ANY_QUEUE not in queues else "a queue"
    state = f"is in queue `{visible(workload.queue)}`" if workload.queue else "has no queue"
    yield Violation(
        code=codes.POLICY_QUEUE,
        message=f"the job {state}: the policy requires {wanted}",
        help="set `scheduling.queue`",
        manifest_help=f"set the label {QUEUE_LABEL}",
        document=workload.document,
        path=(*_LABELS, QUEUE_LABEL) if workload.queue else _NAME,
        field="requiredQueues",
    )


def _hours(policy: Policy, workload: Workload) -> Iterator[Violation]:
    if policy.max_hours is None:
        return
    seconds = time_limit(workload.resource)
    if seconds is not None and seconds <= policy.max_hours * _HOUR:
        return
    limit = f"{policy.max_hours:g} hour{'' if policy.max_hours == 1 else 's'}"
    state = "has no time limit" if seconds is None else f"may run for {seconds / _HOUR:.6g} hours"
    paths, most = time_limits(workload.resource), int(policy.max_hours * _HOUR)
    field = dotted(tuple(step for step in paths[0] if isinstance(step, str))) if paths else ""
    yield Violation(
        code=codes.POLICY_HOURS,
        message=f"the job {state}: the policy allows {limit}",
        help=f"set `lifecycle.activeDeadlineSeconds` to at most {most}" if field else _NO_LIMIT,
        manifest_help=f"set `{field}` to at most {most}" if field else "",
        document=workload.document,
        path=_NAME if seconds is None else max(paths, key=lambda path: number(workload.resource, *path) or 0),
        field="maxHours",
    )


def _gpus(policy: Policy, workload: Workload) -> Iterator[Violation]:
    if policy.max_gpus is None or workload.gpus <= policy.max_gpus:
        return
    yield Violation(
        code=codes.POLICY_GPUS,
        message=f"the job may use {workload.gpus:,} GPUs: the policy allows {policy.max_gpus:,}",
        help="reduce the workers or the GPUs of each",
        document=workload.document,
        path=next(gpu_limits(workload.document), _NAME),
        field="maxGPUs",
    )


def _unknown(policy: Policy, workload: Workload) -> Iterator[Violation]:
    """Yield an error if the policy limits what the pods have, but not all of it is known."""
    fields = [name for name in ("maxGPUs", "requiredLabels", "labelValues", "forbidden") if name in policy.node.entries]
    reason = ""
    if not workload.is_known:
        reason = f"pods of {'/'.join(map(visible, identity(workload.resource)))} are unknown"
    elif policy.max_gpus is not None and workload.uncounted_gpus:
        fields, reason = ["maxGPUs"], f"GPUs of {workload.uncounted_gpus} are not counted"
    if reason and fields:
        yield Violation(
            code=codes.POLICY_UNKNOWN_PODS,
            message=f"the policy can't be judged: {reason}",
            help=workload.help,
            document=workload.document,
            path=_NAME,
            field=fields[0],
            ignorable_by=UNKNOWN_PODS,
        )
