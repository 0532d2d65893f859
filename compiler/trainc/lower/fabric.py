"""What `network.fabric` adds to the pods. The job's own values of the same names remain."""

from __future__ import annotations

import json

from trainc.fabrics import Fabric, load, machines
from trainc.ir.env import INTERFACE_VARIABLES, EnvVar
from trainc.ir.pod import Mount, Volume
from trainc.record import Record
from trainc.span import Span
from trainc.spec.job import TrainingJob
from trainc.typenames import Any


class FabricParts(Record):
    """Parts of the pods that a fabric adds; quantities of resources are both request and limit."""

    resources: dict[str, str]
    capabilities: tuple[str, ...]
    env: tuple[EnvVar, ...]
    annotations: dict[str, str]
    volumes: tuple[Volume, ...]
    mounts: tuple[Mount, ...]
    sidecars: tuple[dict[str, Any], ...]


def lower_fabric(job: TrainingJob, name: str) -> FabricParts:
    """Return the parts of a fabric."""
    network, fabric = job.network, load(name)
    assert network is not None
    machine, origin = machines(job.scheduling.node_selector), network.where("fabric")
    names = network.networks or fabric.network_names(machine)
    volumes = _own_volumes(fabric, job)
    return FabricParts(
        resources=_resources(fabric, job, machine),
        capabilities=fabric.capabilities,
        env=_env(fabric, job, machine, origin),
        annotations={**fabric.annotations, **_annotation(fabric, names)},
        volumes=tuple(
            Volume(name=each["name"], kind="hostPath", source={"path": each["hostPath"]}, origin=origin)
            for each in volumes
        ),
        mounts=tuple(
            Mount(volume=each["name"], path=each["mountPath"], origin=origin) for each in volumes if "mountPath" in each
        ),
        sidecars=(fabric.sidecar,) if fabric.sidecar else (),
    )


def _resources(fabric: Fabric, job: TrainingJob, machine: tuple[str, ...]) -> dict[str, str]:
    """Return huge pages and devices; `network.rdma` has another name or number of them."""
    own = job.resources
    amounts, stated = fabric.amounts(machine), {**own.requests, **own.limits}
    resources = {name: amount for name, amount in amounts.items() if name not in stated}
    rdma = job.network.rdma if job.network else None
    count = fabric.devices(machine)
    if fabric.device and rdma is None and fabric.device not in {**own.both, **own.requests, **own.limits}:
        resources[fabric.device] = str(count or 1)  # a check reports an unknown number
    return resources


def _env(fabric: Fabric, job: TrainingJob, machine: tuple[str, ...], origin: Span) -> tuple[EnvVar, ...]:
    own = {variable.name for variable in job.env}
    if job.network and job.network.interface is not None:
        own |= {*INTERFACE_VARIABLES}
    variables = fabric.environment(machine).items()
    return tuple(EnvVar(name=name, value=value, origin=origin) for name, value in variables if name not in own)


def _own_volumes(fabric: Fabric, job: TrainingJob) -> list[dict[str, str]]:
    """Return the fabric's volumes without those whose name or directory a volume of the job has."""
    names = {volume.name for volume in job.volumes}
    paths = {mount.path.rstrip("/") for volume in job.volumes for mount in volume.mounts}
    return [each for each in fabric.volumes if each["name"] not in names and each.get("mountPath") not in paths]


def _annotation(fabric: Fabric, names: tuple[str, ...]) -> dict[str, str]:
    """Return the annotation with the networks of the pods: a list of names for Multus, of interfaces on GKE.

    https://github.com/k8snetworkplumbingwg/multus-cni/blob/master/docs/how-to-use.md and
    https://docs.cloud.google.com/kubernetes-engine/docs/how-to/setup-multinetwork-support-for-pods
    """
    networks = fabric.networks
    if networks is None or not names:
        return {}
    if not networks.names:
        return {networks.annotation: ",".join(names)}
    interfaces = [(0, "default"), *enumerate(names, networks.first)]
    entries = [
        json.dumps({"interfaceName": f"eth{number}", "network": name}, separators=(",", ":"))
        for number, name in interfaces
    ]
    return {networks.annotation: "[\n" + ",\n".join(f"  {entry}" for entry in entries) + "\n]\n"}
