"""Ways out for a pod that no node fits: a step for each reason in the scheduler's message.

Reasons: the plug-ins in https://github.com/kubernetes/kubernetes/tree/v1.36.0/pkg/scheduler/framework/plugins
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from trainc.plan.quantity import plural
from trainc.record import Record
from trainc.status.scheduling import Refusal, Unschedulable

_TAINTS = "kubectl get nodes -o custom-columns=NODE:.metadata.name,TAINTS:.spec.taints"
# `untolerated taint {key: value}`, `taint {key: value}, that the pod didn't tolerate`, and in 1.36 only `taint(s)`.
_TAINT = re.compile(r"taint (?:\{(?P<key>[A-Za-z0-9][A-Za-z0-9./_-]*): (?P<value>[A-Za-z0-9._-]*)\})?")
# Kubernetes' own taints: of a node's condition, and of nodes that run the control plane.
_CONDITIONS = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
_CONTROL_PLANE = "node-role.kubernetes.io/"
_INSUFFICIENT = "Insufficient "
_DESCRIBE, _LABELS = "kubectl describe nodes", "kubectl get nodes --show-labels"
_NODES = "kubectl get nodes"
_OTHER_ZONE, _VOLUMES = "use nodes in the zone of the volume, or another volume", "kubectl describe pv"
_SELECTOR = "use labels that nodes have in nodeSelector and nodeAffinity"
# Parts of other reasons, the more specific first, with a message and a command.
_OTHERS = (
    ("no nodes available", "add nodes", _NODES),
    ("Too many pods", "add nodes, or delete pods: the nodes run as many as they may", _DESCRIBE),
    ("were unschedulable", "uncordon nodes: `kubectl uncordon NODE`", _NODES),
    ("anti-affinity", "add nodes, or relax the pod anti-affinity", _DESCRIBE),
    ("match pod affinity", "relax the pod affinity, or place the pods that it refers to first", _LABELS),
    ("topology spread", "add nodes to the other topology domains, or relax topologySpreadConstraints", _LABELS),
    ("free ports", "use another host port, or free it", _DESCRIBE),
    ("volume node affinity", _OTHER_ZONE, _VOLUMES),
    ("PersistentVolume's node affinity", _OTHER_ZONE, _VOLUMES),
    ("max volume count", "add nodes: these have as many volumes as they may", _DESCRIBE),
    ("ersistent", "create the claim, or a volume for it", "kubectl get pvc"),
    ("affinity", _SELECTOR, _LABELS),
    ("selector", _SELECTOR, _LABELS),
)


class Step(Record):
    """Next step; the command, and the lines of YAML to write into a file, are empty if it has none."""

    message: str
    command: str = ""
    yaml: str = ""


def ways_out(
    refused: Unschedulable, requests: Callable[[str], str], in_namespace: Callable[[str], str], is_compiled: bool
) -> Iterator[Step]:
    """Yield a step for each reason, the toleration of taints first.

    `requests` describes the request of a worker for a resource, `in_namespace` completes a command about objects of the
    namespace, `is_compiled` is whether the job has a job file.
    """
    refusals = refused.refusals or (Refusal(nodes=refused.nodes or 0, reason=refused.reasons),)
    tainted = [each for each in refusals if "taint" in each.reason]
    steps = list(_tolerations(tainted, is_compiled))
    lacking = (each.reason for each in refusals if each.reason.startswith(_INSUFFICIENT))
    for resource in (reason.removeprefix(_INSUFFICIENT) for reason in lacking):
        message = f"free {resource}{requests(resource)}, add nodes, or request less"
        steps.append(Step(message=message, command=_DESCRIBE))
    for reason in (each.reason for each in refusals if each not in tainted):
        for part, message, command in _OTHERS:
            if part in reason:
                steps.append(Step(message=message, command=in_namespace(command) if "pvc" in command else command))
                break
    yield from dict.fromkeys(steps)


def _tolerations(tainted: Sequence[Refusal], is_compiled: bool) -> Iterator[Step]:
    matches = [(each.nodes, _TAINT.search(each.reason)) for each in tainted]
    taints = {(match["key"], match["value"]): nodes for nodes, match in matches if match and match["key"]}
    tolerable = [each for each in taints if not each[0].startswith((*_CONDITIONS, _CONTROL_PLANE))]
    where = "the job file" if is_compiled else "the pod template"
    if tolerable:
        nodes = sum(taints[each] for each in tolerable)
        message = f"to use {plural(nodes, 'node')} with a taint, add to {where}:"
        yield Step(message=message, yaml=_yaml([_toleration(*each) for each in tolerable], is_compiled))
    if len(taints) < len(tainted):
        nodes = sum(count for count, match in matches if not match or not match["key"])
        message = f"to use {plural(nodes, 'node')} with a taint, whose KEY this prints, add to {where}:"
        yield Step(message=message, command=_TAINTS, yaml=_yaml(["{key: KEY, operator: Exists}"], is_compiled))
    for (key, _), nodes in taints.items():
        if key.startswith(_CONDITIONS):
            yield Step(message=f"repair {plural(nodes, 'node')} with the taint {key}", command=_NODES)
        elif key.startswith(_CONTROL_PLANE):
            yield Step(
                message=f"add nodes: {plural(nodes, 'node')} with the taint {key} should run no job", command=_NODES
            )


def _toleration(key: str, value: str) -> str:
    """Return a toleration for each effect of a taint, which the message lacks."""
    shown = key if "/" in key else json.dumps(key)
    return f"{{key: {shown}, " + (f"operator: Equal, value: {json.dumps(value)}}}" if value else "operator: Exists}")


def _yaml(tolerations: Sequence[str], is_compiled: bool) -> str:
    if not is_compiled:
        return "\n".join(["tolerations:", *(f"- {each}" for each in tolerations)])
    return "\n".join(["spec:", "  scheduling:", "    tolerations:", *(f"    - {each}" for each in tolerations)])
