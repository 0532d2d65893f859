"""Pods that have the same requirements, as controllers create them from manifests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from trainc.placement.node import Amounts, Node, whole
from trainc.placement.selectors import REQUIRED, describe_terms, matches_term
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.plan.pods import Pod
from trainc.plan.quantity import parse_quantity
from trainc.plan.usage import effective
from trainc.record import Record
from trainc.systems.registry import of_kind

Port = tuple[str, str, int]  # address, protocol, number
_ANY_ADDRESS = "0.0.0.0"  # noqa: S104  # the API's name for all addresses of a node
# Fields of a pod that name its group, all pods of which kube-scheduler itself starts together.
_GROUP_FIELDS = ("schedulingGroup", "workloadRef")
# Other fields of a pod that decide on which nodes it can run.
_FIELDS = ("nodeName", "nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "schedulerName")


class Volume(Record):
    """Volume that limits the nodes of a pod; `name` is its name in messages, such as "the volume of claim `data`".

    A node must match one of `terms`, which are those of a node affinity; None is every node. With `key` the volume is
    in one value of this label. `is_shared` if all pods with `name` use one volume, otherwise each pod has its own.
    `is_new` if the volume does not exist yet: the node of its first pod decides where it is created, unless it
    `is_early`, created in any domain before its pods have nodes.
    """

    name: str
    terms: list[Object] | None = None
    key: str = ""
    is_shared: bool = False
    is_early: bool = False
    is_new: bool = False

    def __str__(self) -> str:
        return f"{self.name} ({describe_terms(self.terms)})" if self.terms is not None else self.name

    def is_usable(self, node: Node) -> bool:
        """Return whether pods on a node can use the volume, wherever it is created."""
        if self.key and self.key not in node.labels:
            return False
        return self.terms is None or any(matches_term(each, node) for each in self.terms)


class Demand(Record):
    """Pods of one owner with equal requirements; `labels` are those that all of them have.

    `gang` is how many pods of all demands with the same `group` must fit at once for any to start, 0 without a gang;
    all of them must be in one value of the label `group_topology`. `exclusive` is the label of which these pods get a
    value for themselves, empty for others.
    """

    name: str
    owner: str
    namespace: str
    count: int
    labels: dict[str, str]
    spec: Object
    requests: Amounts
    ports: frozenset[Port] = frozenset()
    volumes: tuple[Volume, ...] = ()
    group: str = ""
    gang: int = 0
    group_topology: str = ""
    exclusive: str = ""

    @property
    def is_in_one_cycle(self) -> bool:
        """Return whether kube-scheduler finds nodes for all pods of the gang before it binds the first one."""
        return self.gang > 0 and any(name in self.spec for name in _GROUP_FIELDS)

    @property
    def tolerations(self) -> list[Object]:
        """Tolerations of a pod."""
        return items(self.spec, "tolerations")

    @property
    def is_gated(self) -> bool:
        """Return whether a pod has scheduling gates: kube-scheduler ignores it until a controller removes them."""
        return bool(listed(self.spec, "schedulingGates"))


def _no_volumes(pod: Pod) -> tuple[Volume, ...]:
    return ()


def demands(pods: Iterable[Pod], volumes: Callable[[Pod], tuple[Volume, ...]] = _no_volumes) -> list[Demand]:
    """Return the pods that exist at the start of the job, grouped by owner and requirements.

    `volumes` returns those that limit the nodes of a pod.
    """
    groups: dict[str, Demand] = {}
    for pod in pods:
        if pod.on_scale_up:
            continue
        demand = new_demand(pod).replace(volumes=volumes(pod))
        requirements = [pod.owner, demand.spec, demand.requests, sorted(demand.ports), demand.volumes]
        key = json.dumps(requirements, sort_keys=True, default=repr)
        first = groups.get(key)
        if first is not None:
            common = {name: value for name, value in first.labels.items() if demand.labels.get(name) == value}
            demand = first.replace(count=first.count + demand.count, labels=common)
        groups[key] = demand
    return list(groups.values())


def new_demand(pod: Pod) -> Demand:
    """Return the requirements of a pod, or of the equal pods that it represents."""
    gates = listed(pod.spec, "schedulingGates")
    spec = with_exclusive_terms(pod)
    fields = {name: spec[name] for name in (*_FIELDS, *_GROUP_FIELDS) if spec.get(name)}
    return Demand(
        name=pod.hostname,
        owner=pod.owner,
        namespace=pod.namespace,
        count=pod.multiplicity,
        labels=pod.labels,
        spec={**fields, **({"schedulingGates": gates} if gates else {})},
        requests=_requests(pod),
        ports=frozenset(_ports(pod.spec)),
        exclusive=exclusive_key(pod),
    )


def with_device_tolerations(demand: Demand) -> Demand:
    """Return a demand with the tolerations of the admission plug-in for the devices that it requests.

    https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
    """
    devices = [name for name in demand.requests if "/" in name and "kubernetes.io/" not in name]
    added = [{"key": name, "operator": "Exists", "effect": "NoSchedule"} for name in sorted(devices)]
    return demand.replace(spec={**demand.spec, "tolerations": [*demand.tolerations, *added]}) if added else demand


def _requests(pod: Pod) -> Amounts:
    """Return what the scheduler reserves. Requests of the whole pod replace those of its containers.

    https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#pod-level-resource-specification
    """
    amounts = effective(pod, "requests")
    overhead = mapping(pod.spec, "overhead")
    for name, value in mapping(pod.spec, "resources", "requests").items():
        amounts[name] = parse_quantity(value) + parse_quantity(overhead.get(name, 0))
    return {name: whole(name, amount) for name, amount in amounts.items() if amount > 0}


def _ports(spec: Object) -> Iterable[Port]:
    """Yield the ports of the node that a pod uses: with `hostNetwork` all of its containers'."""
    sidecars = [each for each in items(spec, "initContainers") if text(each, "restartPolicy") == "Always"]
    is_host = spec.get("hostNetwork") is True
    for container in (*items(spec, "containers"), *sidecars):
        for port in items(container, "ports"):
            used = number(port, "hostPort") or (number(port, "containerPort") if is_host else None)
            if used:
                yield text(port, "hostIP") or _ANY_ADDRESS, text(port, "protocol") or "TCP", used


def conflict(ports: frozenset[Port], others: Iterable[Port]) -> bool:
    """Return whether two pods can't share a node: they use one port on one address, or on all of them."""
    return any(
        (protocol, used) == (other[1], other[2]) and (address == other[0] or _ANY_ADDRESS in (address, other[0]))
        for other in others
        for address, protocol, used in ports
    )


def exclusive_key(pod: Pod) -> str:
    """Return the label of which the pod's Job gets a value for itself; empty for other pods."""
    return _placement(pod)[0]


def _placement(pod: Pod) -> tuple[str, str]:
    """Return the label of the domains, and the label of the pods that names their Job; empty without."""
    system = of_kind(pod.owner.partition("/")[0]) if pod.annotations else None
    names = system.traits.exclusive_placement if system else None
    if names is None or names.job_label not in pod.labels or names.node_selector in pod.annotations:
        return "", ""
    return str(pod.annotations.get(names.annotation, "")), names.job_label


def with_exclusive_terms(pod: Pod) -> Object:
    """Return the spec of a pod with the terms that keep its Job together, and other Jobs away.

    With exclusive placement each Job of a system gets a domain of a label for itself, such as a slice of TPUs: a
    webhook adds these terms to the first pod of each Job, and the label of its node to the selector of the others.
    """
    key, label = _placement(pod)
    if not key:
        return pod.spec
    affinity = dict(mapping(pod.spec, "affinity"))
    own = {"key": label, "operator": "In", "values": [pod.labels[label]]}
    others = [{"key": label, "operator": "Exists"}, {**own, "operator": "NotIn"}]
    for kind, expressions in (("podAffinity", [own]), ("podAntiAffinity", others)):
        term = {"labelSelector": {"matchExpressions": expressions}, "topologyKey": key}
        rules = mapping(affinity, kind)
        affinity[kind] = {**rules, REQUIRED: [*items(rules, REQUIRED), term]}
    return {**pod.spec, "affinity": affinity}
