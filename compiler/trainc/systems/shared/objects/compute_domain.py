"""ComputeDomain of NVIDIA's DRA driver: nodes whose GPUs share memory over NVLink."""

from __future__ import annotations

from trainc.emit.render import Planned
from trainc.ir.job import ComputeDomain, Job
from trainc.systems.shared.objects.labels import earlier_wave, metadata


def compute_domain(job: Job, domain: ComputeDomain) -> Planned:
    """Return the domain, whose controller creates the template of the pods' claims: they wait for it."""
    spec = {"numNodes": domain.nodes, "channel": {"resourceClaimTemplate": {"name": domain.claim_template}}}
    context = {
        **metadata(job, domain.name, ({}, earlier_wave(job))),
        "api_version": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "spec": spec,
    }
    return Planned(kind="ComputeDomain", template="shared/custom_object.yaml.j2", context=context)
