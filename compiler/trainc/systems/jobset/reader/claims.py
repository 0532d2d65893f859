"""Claims that the JobSet controller creates for the pods become claims of the job, which trainc emits.

https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/volume_claim_policy.go
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import build_tree, scalar_text
from trainc.span import Text
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.pod_trees import with_volumes

Claims = dict[Text, dict[str, Any]]  # by the names of their volumes


def add_volumes(job: str, spec: ForeignMapping, workers: Workers) -> Claims:
    """Return the claims of volumeClaimPolicies, and add their volumes to the pods, as addVolumes does."""
    claims: Claims = {}
    for policy in spec.sections("volumeClaimPolicies"):
        retention = policy.section("retentionPolicy")
        if retention is None or retention.choice("whenDeleted", ("Delete", "Retain")) == "Delete":
            message = "the claims remain when the JobSet is deleted: they are objects of their own"
            policy.report.add_change(message, policy.node.span.first)
        for template in policy.sections("templates"):
            template.ignore("apiVersion", "kind")
            metadata = template.section("metadata")
            name = metadata.string("name") if metadata is not None else None
            if name is not None:
                claims[name] = _claim(template, name, job)
    if claims:
        sources = {name: {"persistentVolumeClaim": {"claimName": f"{name}-{job}"}} for name in claims}
        volumes = (build_tree({"name": str(name), **source}, name.span) for name, source in sources.items())
        workers.pods.node = with_volumes(workers.pods.node, volumes)
    return claims


def _claim(template: ForeignMapping, name: Text, job: str) -> dict[str, Any]:
    """Return the claim of a volume. Fields that it lacks are reported."""
    spec = template.section("spec")
    resources = spec.section("resources") if spec is not None else None
    requests = resources.section("requests") if resources is not None else None
    size = requests.consume("storage") if requests is not None else None
    template.report.add_change(
        f"the claim `{name}-{job}` becomes `{job}-{name}`, without the data of the former", name.span
    )
    if spec is None or size is None:
        template.report.add_error(f"the claim `{name}` has no size", name.span, expected="resources.requests.storage")
        return {}
    modes = spec.strings("accessModes") or []
    for mode in modes[1:]:
        template.report.add_dropped(spec.path_of("accessModes"), mode.span, "a claim of trainc has one access mode")
    return {"size": size, "accessMode": modes[0] if modes else None, "storageClass": spec.consume("storageClassName")}


def move_claims(claims: Claims, main: TranslatedPod) -> None:
    """Replace the volumes of claims by the claims; one that only another container mounts is reported."""
    volumes = {scalar_text(volume["name"]): volume for volume in main.fields["volumes"] or []}
    for name, claim in claims.items():
        if name in volumes:
            del volumes[name]["persistentVolumeClaim"]
            volumes[name]["claim"] = claim
        else:
            why = "trainc creates claims for volumes of the training container only"
            main.container.report.add_dropped(name, name.span, why)
