"""Jobs in a cluster's objects: the object that controls each, its pods, and the manifests from which a plan follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.plan.fields import Object, api_group, identity, items, listed, mapping, text, without_server_fields
from trainc.plan.group_jobs import group_jobs
from trainc.plan.models import controls_workers, serves_workers
from trainc.record import Record
from trainc.status import events
from trainc.systems.registry import of_kind
from trainc.systems.shared.model import controllers
from trainc.systems.shared.validation.selectors import matches
from trainc.well_known import JOB_LABEL

# Controllers of pods that belong to no job.
_OTHER_CONTROLLERS = ("ReplicaSet", "ReplicationController", "DaemonSet", "Node")
Key = tuple[str, str, str, str]  # namespace, API group, kind and name


class LiveJob(Record):
    """Job: `controller` is kind and name of what controls its pods, `owner` that object, empty if it is not known.

    `api_version` is that of the controller, empty for bare Pods. `delegate` is the object that the owner creates and
    that has the workers, empty if there is none. `manifests` are what the plan reads, `launchers` the pods that start
    the processes of all workers, the newest last, `servers` the pods that serve the workers.
    """

    controller: tuple[str, str]
    api_version: str
    namespace: str
    owner: Object
    delegate: Object
    manifests: list[Object]
    pods: list[Object]
    launchers: list[Object]
    servers: list[Object]


def live_jobs(objects: Iterable[Object]) -> list[LiveJob]:
    """Return the jobs in the order of their objects."""
    rest = [each for each in objects if text(each, "kind") != events.KIND]
    owners = {_key(each): each for each in rest if text(each, "kind") != "Pod"}
    deployed = [each for each in owners.values() if serves_workers(text(each, "kind"))]
    servers, pods = [], []
    for pod in (each for each in rest if text(each, "kind") == "Pod"):
        if any(_selects(server, pod) for server in deployed):
            servers.append(pod)
        elif not any(kind in _OTHER_CONTROLLERS for kind, _ in controllers(pod)):
            pods.append(pod)
    by_key: dict[Key, list[Object]] = {}
    known: dict[Key, Object] = {**{_job_key(pod): {} for pod in pods}, **owners}
    for pod in pods:
        by_key.setdefault(_owner_key(pod, owners, known), []).append(pod)
    delegates = dict(_delegates(owners))
    own_keys = {_key(delegate): key for key, delegate in delegates.items()}
    orphans = [key for key in by_key if not controls_workers(owners.get(key, {}))]
    # The pods of an owner without a model are planned themselves, and those of a delegate from it alone.
    planned = [key for key, each in owners.items() if key not in (*orphans, *delegates) and not _is_part(each, orphans)]
    manifests = [owners[key] for key in planned]
    manifests += [pod for key in orphans for pod in _current(by_key[key]) if not _is_launcher(pod, key)]
    jobs = []
    for group in group_jobs(list(map(without_server_fields, manifests))):
        key = next(_keys(group), None)
        if key is None:
            continue
        key = own_keys.get(key, key)
        own, members = by_key.get(key, []), set(map(_key, group))
        own = [pod for pod in own if _is_owned(pod, owners.get(key, {}), members)]
        deployments = [each for each in group if serves_workers(text(each, "kind"))]
        jobs.append(
            LiveJob(
                controller=key[2:],
                api_version=_api_version(owners.get(key, {}), [pod for pod in own if key in _controllers(pod)]),
                namespace=key[0],
                owner=owners.get(key, {}),
                delegate=delegates.get(key, {}),
                manifests=group,
                pods=[pod for pod in own if not _is_launcher(pod, key)],
                launchers=sorted((pod for pod in own if _is_launcher(pod, key)), key=_age),
                servers=[pod for pod in servers if any(_selects(each, pod) for each in deployments)],
            )
        )
    return jobs


def _delegates(owners: dict[Key, Object]) -> Iterator[tuple[Key, Object]]:
    """Yield the key of each job whose controller leaves its workers to another object, and that object."""
    for each in owners.values():
        for key in _controllers(each):
            owning = owners.get(key, {})
            system = of_kind(key[2], text(owning, "apiVersion")) if controls_workers(owning) else None
            if system and system.traits.delegate.partition(".")[0] == text(each, "kind").lower():
                yield key, each


def _keys(group: list[Object]) -> Iterator[Key]:
    yield from (_key(each) for each in group if controls_workers(each))
    yield from (_job_key(each) for each in group if text(each, "kind") == "Pod")


def _key(resource: Object) -> Key:
    return text(resource, "metadata", "namespace"), api_group(resource), *identity(resource)


def _controllers(resource: Object) -> list[Key]:
    """Return the key of an object's controller, at most one, with the API group: Volcano also has a kind Job."""
    namespace, owners = text(resource, "metadata", "namespace"), listed(resource, "metadata", "ownerReferences")
    references = [mapping(owner) for owner in owners]
    return [
        (namespace, api_group(owner), text(owner, "kind"), text(owner, "name"))
        for owner in references
        if owner.get("controller") is True
    ]


def _job_key(pod: Object) -> Key:
    """Return the key of a pod's controller; of a bare Pod that of its job, which its label names."""
    bare = (text(pod, "metadata", "namespace"), "", "Pod", text(pod, "metadata", "labels", JOB_LABEL))
    return next(iter(_controllers(pod)), bare)


def _owner_key(pod: Object, owners: dict[Key, Object], known: dict[Key, Object]) -> Key:
    """Return the key of the object whose controller, or whose controller's controller, owns a pod.

    Objects between them, such as an operator's Jobs, may be missing: then a label of the pod names the job. `known`
    are the owners, and the missing controllers of other pods.
    """
    key = _outermost(_job_key(pod), known)
    if key not in owners:
        labels = mapping(pod, "metadata", "labels")
        keys_in_labels = (each for each in known if each[0] == key[0] and _names_job(labels, known[each], each))
        key = _outermost(next(keys_in_labels, key), known)
    return key


def _outermost(key: Key, known: dict[Key, Object]) -> Key:
    """Return the key of the last known object in the chain of an object's controllers."""
    seen = {key}
    while inner := _controllers(known.get(key, {})):
        outer = inner[0]
        if outer not in known or outer in seen:
            break
        seen.add(outer)
        key = outer
    return key


def _names_job(labels: Object, resource: Object, key: Key) -> bool:
    """Return whether labels of a pod name this job as the one that it belongs to."""
    system = of_kind(key[2], text(resource, "apiVersion"))
    if system is None or not system.traits.operator or (resource and not controls_workers(resource)):
        return False
    label, value = system.traits.launcher_label
    return key[3] in (text(labels, system.traits.job_label), "" if value else text(labels, label))


def _is_part(resource: Object, keys: list[Key]) -> bool:
    """Return whether the controller of an object is one of a job's."""
    return any(each in keys for each in _controllers(resource))


def _is_launcher(pod: Object, key: Key) -> bool:
    """Return whether a pod of this job starts the processes of all workers."""
    system = of_kind(key[2])
    label, value = system.traits.launcher_label if system else ("", "")
    return bool(label) and text(pod, "metadata", "labels", label) == (value or key[3])


def _is_owned(pod: Object, owner: Object, members: set[Key]) -> bool:
    """Return whether a pod belongs to the job of an owner, not to a deleted owner of the same name.

    A bare Pod belongs to it if it is a member.
    """
    if not controllers(pod):
        return _key(pod) in members
    if owner and _key(owner) not in _controllers(pod):
        return True  # of an object that the owner has created
    references = items(pod, "metadata", "ownerReferences")
    uid = next((text(each, "uid") for each in references if each.get("controller") is True), "")
    return "" in (uid, text(owner, "metadata", "uid")) or uid == text(owner, "metadata", "uid")


def _api_version(owner: Object, pods: list[Object]) -> str:
    references = (each for pod in pods[:1] for each in items(pod, "metadata", "ownerReferences"))
    version = next((text(each, "apiVersion") for each in references if each.get("controller") is True), "")
    return text(owner, "apiVersion") or version


def _current(pods: list[Object]) -> list[Object]:
    """Return the last pod with each hostname, which replaces the others."""
    current = {}
    for pod in sorted(pods, key=_age):
        current[text(pod, "spec", "hostname") or text(pod, "metadata", "name")] = pod
    return [pod for pod in pods if any(pod is each for each in current.values())]


def _age(pod: Object) -> tuple[bool, str]:
    return text(pod, "status", "phase") != "Failed", text(pod, "metadata", "creationTimestamp")


def _selects(server: Object, pod: Object) -> bool:
    """Return whether an object like a Deployment, whose pods serve the workers, selects a pod."""
    selector, labels = mapping(server, "spec", "selector"), mapping(pod, "metadata", "labels")
    same_namespace = text(server, "metadata", "namespace") == text(pod, "metadata", "namespace")
    return bool(selector) and same_namespace and matches(selector, labels)
