"""Additions of `network.fabric` and claims of devices to the pods. The job's own values of the same names remain.

https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/; the pods of an NVLink domain join
it by a claim, too:
https://github.com/NVIDIA/k8s-dra-driver-gpu/blob/2240711/demo/specs/imex/nvbandwidth-test-job-1.yaml
"""

from __future__ import annotations

import json

from trainc.fabrics import Fabric, load, machines
from trainc.ir.env import INTERFACE_VARIABLES, EnvVar
from trainc.ir.job import ComputeDomain, Replicas
from trainc.ir.pod import DeviceClaim, Mount, Volume
from trainc.record import Record
from trainc.span import Span
from trainc.spec.job import TrainingJob
from trainc.typenames import Any

CHANNEL = "compute-domain-channel"


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


def lower_compute_domain(job: TrainingJob, replicas: Replicas) -> ComputeDomain | None:
    """Return the NVLink domain of the workers.

    Drivers before 25.8 hold the pods back until exactly `numNodes` nodes are ready, later ones only report it, unless
    their feature gate IMEXDaemonsWithDNSNames is off:
    https://github.com/NVIDIA/k8s-dra-driver-gpu/blob/7020737/cmd/compute-domain-controller/daemonset.go (v25.3.2) and
    https://github.com/NVIDIA/k8s-dra-driver-gpu/blob/2ef1f2a/api/nvidia.com/resource/v1beta1/computedomain.go (v25.8.0)
    """
    network = job.network
    if network is None or not network.nvlink_domain:
        return None
    name = job.metadata.name
    return ComputeDomain(
        name=name,
        claim_template=f"{name}-{CHANNEL}",
        nodes=0 if replicas.elastic else replicas.initial,
        origin=network.where("nvlinkDomain"),
    )


def lower_device_claims(job: TrainingJob, domain: ComputeDomain | None) -> tuple[DeviceClaim, ...]:
    """Return the claims of the job, and the one of a channel in its NVLink domain."""
    claims = [
        DeviceClaim(
            name=claim.name,
            source={"resourceClaimName": claim.resource_claim_name}
            if claim.resource_claim_name
            else {"resourceClaimTemplateName": claim.resource_claim_template_name or ""},
            request=claim.request,
            origin=claim.where("name"),
        )
        for claim in job.resources.claims
    ]
    if domain is not None:
        source = {"resourceClaimTemplateName": domain.claim_template}
        claims.append(DeviceClaim(name=CHANNEL, source=source, origin=domain.origin))
    return tuple(claims)
