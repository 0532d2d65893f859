"""Claims of devices by dynamic resource allocation, and the NVLink domain, which its pods join by one.

https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ and
https://github.com/NVIDIA/k8s-dra-driver-gpu/blob/2240711/demo/specs/imex/nvbandwidth-test-job-1.yaml
"""

from __future__ import annotations

from trainc.ir.job import ComputeDomain, Replicas
from trainc.ir.pod import DeviceClaim
from trainc.spec.job import TrainingJob

CHANNEL = "compute-domain-channel"


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
