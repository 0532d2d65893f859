"""Storage classes, and claims whose volume only some nodes can use, from the output of kubectl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.plan.fields import Object, items, listed, mapping, text
from trainc.well_known import DELAYED_BINDING, HOSTNAME_LABEL

_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def storage_classes(classes: list[Object], volumes: list[Object]) -> Iterator[Object]:
    """Yield the storage classes; `topologyKey` is known if a class has volumes."""
    for resource in classes:
        name = text(resource, "metadata", "name")
        if not name:
            continue
        fields: Object = {"name": name}
        if text(resource, "metadata", "annotations", _DEFAULT_CLASS) == "true":
            fields["default"] = True
        if text(resource, "volumeBindingMode") == DELAYED_BINDING:
            fields["volumeBindingMode"] = DELAYED_BINDING
        if allowed := list(_allowed_topologies(resource)):
            fields["allowedTopologies"] = allowed
        if key := _topology_key([each for each in volumes if text(each, "spec", "storageClassName") == name]):
            fields["topologyKey"] = key
        yield fields


def _allowed_topologies(resource: Object) -> Iterator[Object]:
    for term in items(resource, "allowedTopologies"):
        labels = [
            {"key": text(each, "key"), "values": list(map(str, listed(each, "values")))}
            for each in items(term, "matchLabelExpressions")
            if text(each, "key")
        ]
        if labels:
            yield {"matchLabelExpressions": labels}


def _topology_key(volumes: list[Object]) -> str:
    """Return the label of which every volume has one value; empty without one, and for the host name of nodes."""
    keys = {_only_label(each) for each in volumes}
    return keys.pop() if len(keys) == 1 else ""


def _only_label(volume: Object) -> str:
    terms = list(_terms(volume))
    expressions = terms[0]["matchExpressions"] if len(terms) == 1 else []
    labels = [each["key"] for each in expressions if each["operator"] == "In" and len(each["values"]) == 1]
    return str(labels[0]) if len(labels) == len(expressions) == 1 and labels[0] != HOSTNAME_LABEL else ""


def bound_claims(volumes: list[Object], claims: list[Object]) -> Iterator[Object]:
    """Yield the claims whose volume only some nodes can use, apart from those of a single node: it has no name here."""
    terms = {text(each, "metadata", "name"): list(_terms(each)) for each in volumes}
    for claim in claims:
        name, own = text(claim, "metadata", "name"), terms.get(text(claim, "spec", "volumeName"))
        keys = {each["key"] for term in own or () for each in term["matchExpressions"]}
        if name and own and HOSTNAME_LABEL not in keys:
            fields = {"name": name, "namespace": text(claim, "metadata", "namespace"), "nodeSelectorTerms": own}
            yield {field: value for field, value in fields.items() if value}


def _terms(volume: Object) -> Iterator[Object]:
    """Yield the terms of a volume's node affinity."""
    for term in items(mapping(volume, "spec", "nodeAffinity", "required"), "nodeSelectorTerms"):
        expressions = [
            {
                "key": text(each, "key"),
                "operator": text(each, "operator"),
                "values": list(map(str, listed(each, "values"))),
            }
            for each in items(term, "matchExpressions")
            if text(each, "key") and text(each, "operator") in _OPERATORS
        ]
        if expressions:
            yield {"matchExpressions": expressions}


def topology_labels(classes: Iterable[Object], claims: Iterable[Object]) -> Iterator[str]:
    """Yield the labels of nodes on which the volumes of classes and claims depend, for the labels of the shapes."""
    for each in classes:
        yield from (
            label["key"] for term in items(each, "allowedTopologies") for label in term["matchLabelExpressions"]
        )
        if key := text(each, "topologyKey"):
            yield key
    for each in claims:
        yield from (label["key"] for term in each["nodeSelectorTerms"] for label in term["matchExpressions"])
