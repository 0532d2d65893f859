"""Random volumes of jobs: existing claims in a zone or a rack, and new ones of several storage classes."""

from __future__ import annotations

import random
from typing import Any

RACK, ZONE = "topology.kubernetes.io/rack", "topology.kubernetes.io/zone"
ZONES = ("z0", "z1", "z2")
PROVISIONER = "csi.tests.trainc.dev"
DELAYED = "WaitForFirstConsumer"
# Storage classes: binding mode, and the zones of their volumes, each of which is in one of them; none for a network.
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "zonal": (DELAYED, ZONES),
    "two-zones": (DELAYED, ("z0", "z1")),
    "early": ("Immediate", ZONES),
    "network": (DELAYED, ()),
}
Object = dict[str, Any]


def storage_classes() -> list[Object]:
    """Return the StorageClasses."""
    classes = []
    for name, (mode, zones) in CLASSES.items():
        limits = {"allowedTopologies": [{"matchLabelExpressions": [{"key": ZONE, "values": list(zones)}]}]}
        classes.append(
            {
                "apiVersion": "storage.k8s.io/v1",
                "kind": "StorageClass",
                "metadata": {"name": name},
                "provisioner": PROVISIONER,
                "volumeBindingMode": mode,
                **(limits if zones else {}),
            }
        )
    return classes


def volume(name: str, storage_class: str, claim: Object, limits: dict[str, list[str]]) -> Object:
    """Return a PersistentVolume for a claim; nodes that can use it have one of the values of each label."""
    expressions = [{"key": key, "operator": "In", "values": values} for key, values in limits.items()]
    required = {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": claim["spec"]["accessModes"],
            "storageClassName": storage_class,
            "claimRef": {
                "namespace": claim["metadata"]["namespace"],
                "name": claim["metadata"]["name"],
                **({"uid": claim["metadata"]["uid"]} if "uid" in claim["metadata"] else {}),
            },
            "csi": {"driver": PROVISIONER, "volumeHandle": name},
            **({"nodeAffinity": required} if expressions else {}),
        },
    }


def existing_claims(racks: list[str], namespace: str) -> list[tuple[Object, Object]]:
    """Return claims with their volumes: in zones, in racks, and usable by all nodes."""
    limits: dict[str, dict[str, list[str]]] = {f"in-{zone}": {ZONE: [zone]} for zone in ZONES}
    limits |= {"in-z0-z2": {ZONE: ["z0", "z2"]}, "anywhere": {}}
    limits |= {f"in-{rack}": {RACK: [rack]} for rack in racks}
    # Each class has a volume, which shows where its volumes are.
    in_one_zone = dict(zip((f"in-{zone}" for zone in ZONES), CLASSES, strict=False))
    pairs = []
    for name, labels in limits.items():
        storage_class = in_one_zone.get(name, "")
        claim = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "accessModes": ["ReadWriteMany"],
                "storageClassName": storage_class,
                "volumeName": name,
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
        pairs.append((claim, volume(name, storage_class, claim, labels)))
    return pairs


def job_volumes(source: random.Random, pool: int | None) -> list[Object]:
    """Return the volumes of a job, most often one."""
    return [
        {"name": f"v{number}", "mountPath": f"/v{number}", **_source(source, pool)}
        for number in range(source.choice((1, 1, 1, 2)))
    ]


def _source(source: random.Random, pool: int | None) -> Object:
    kind = source.choice(("existing", "existing", "new", "new", "ephemeral"))
    storage_class = source.choice(tuple(CLASSES))
    if kind == "new":
        return {"claim": {"size": "1Gi", "storageClass": storage_class, "accessMode": "ReadWriteMany"}}
    if kind == "ephemeral":
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": "1Gi"}},
        }
        return {"ephemeral": {"volumeClaimTemplate": {"spec": spec}}}
    names = [*(f"in-{zone}" for zone in ZONES), "in-z0-z2", "anywhere"]
    if pool is not None:
        names += [f"in-r{pool}-{number}" for number in range(2)]
    return {"persistentVolumeClaim": {"claimName": source.choice(names)}}
