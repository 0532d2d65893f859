"""Volumes of a job's pods that limit the nodes, as far as the entry of a cluster says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainc.cluster.entry import Entry
from trainc.placement.demand import Volume
from trainc.plan.fields import Object, identity, items, listed, mapping, text
from trainc.plan.pods import Pod
from trainc.well_known import DELAYED_BINDING

_Claims = dict[tuple[str, str], Object]  # by namespace and name


def pod_volumes(objects: list[Object], entry: Entry) -> Callable[[Pod], tuple[Volume, ...]]:
    """Return a function for the volumes of a pod. `objects` have the claims that the job creates."""
    existing: _Claims = {(text(each, "namespace"), text(each, "name")): each for each in items(entry.spec, "claims")}
    created: _Claims = {
        (text(each, "metadata", "namespace"), text(each, "metadata", "name")): mapping(each, "spec")
        for each in objects
        if text(each, "kind") == "PersistentVolumeClaim"
    }
    templates = {
        (text(each, "metadata", "namespace"), "/".join(identity(each))): each
        for each in objects
        if listed(each, "spec", "volumeClaimTemplates")
    }

    def volumes(pod: Pod) -> Iterator[Volume]:
        own = dict(_own_claims(pod, templates.get((pod.namespace, pod.owner), {})))
        for volume in items(pod.spec, "volumes"):
            name = text(volume, "persistentVolumeClaim", "claimName")
            bound = existing.get((pod.namespace, name)) or existing.get(("", name))
            if name and bound is not None:
                terms = items(bound, "nodeSelectorTerms")
                yield Volume(name=f"the volume of claim `{name}`", terms=terms)
            elif (pod.namespace, name) in created:
                yield from _new_volume(name, created[pod.namespace, name], entry, is_shared=True)
            elif name in own:
                yield from _new_volume(*own[name], entry)
            elif spec := mapping(volume, "ephemeral", "volumeClaimTemplate", "spec"):
                yield from _new_volume(text(volume, "name"), spec, entry)

    return lambda pod: tuple(volumes(pod))


def _own_claims(pod: Pod, controller: Object) -> Iterator[tuple[str, tuple[str, Object]]]:
    """Yield the claims that a controller creates for one pod: name, name of the template, spec."""
    for template in items(controller, "spec", "volumeClaimTemplates"):
        name = text(template, "metadata", "name")
        yield f"{name}-{pod.name}", (name, mapping(template, "spec"))


def _new_volume(name: str, claim: Object, entry: Entry, is_shared: bool = False) -> Iterator[Volume]:
    """Yield the volume that the storage class of a claim creates, unless the class is unknown or sets no limits."""
    storage = _storage_class(claim, entry)
    if storage is None:
        return
    terms: list[Object] | None = None
    if allowed := items(storage, "allowedTopologies"):
        terms = [
            {"matchExpressions": [{**each, "operator": "In"} for each in items(term, "matchLabelExpressions")]}
            for term in allowed
        ]
    is_early = text(storage, "volumeBindingMode") != DELAYED_BINDING
    key = text(storage, "topologyKey")
    if not is_early or key or terms is not None:
        shown = f"the volume of claim `{name}`" if is_shared else f"a volume for `{name}`"
        yield Volume(name=shown, terms=terms, key=key, is_shared=is_shared, is_early=is_early, is_new=True)


def _storage_class(claim: Object, entry: Entry) -> Object | None:
    """Return the storage class of a claim, which may be the default one; None if the entry doesn't have it."""
    name, classes = text(claim, "storageClassName"), items(entry.spec, "storageClasses")
    if "storageClassName" in claim:
        return next((each for each in classes if name and text(each, "name") == name), None)
    return next((each for each in classes if each.get("default") is True), None)
