"""Objects that the JobSet controller 0.12 creates: Jobs, the headless Service, claims.

Docstrings name the functions that the code follows, of
https://github.com/kubernetes-sigs/jobset/tree/v0.12.0/pkg/controllers
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import Object, at, identity, mapping, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.systems.jobset import facts
from trainc.systems.jobset.model.child_jobs import (
    child_jobs,
    claim_name,
    claim_templates,
    has_dns_names,
    is_ignored,
    subdomain,
)
from trainc.systems.jobset.model.policies import failure_cases
from trainc.systems.jobset.model.validation import gate_conditions, validation_errors
from trainc.systems.jobset.traits import TRAITS
from trainc.systems.shared.model import OperatorOutput, headless_service, owned_object

__all__ = ["failure_cases", "operator_output"]

BY = TRAITS.operator


def operator_output(resource: Object, objects: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a JobSet: Jobs in the order of their global indexes, of the first attempt.

    Those of a suspended JobSet are suspended.
    """
    errors = validation_errors(resource)
    if errors or is_ignored(resource):
        return OperatorOutput(errors=tuple(errors))
    created = [*_claims(resource), *_service(resource, objects), *child_jobs(resource)]
    return OperatorOutput(objects=tuple(created), conditions=tuple(gate_conditions(resource)))


def _service(resource: Object, objects: list[Object]) -> Iterator[Object]:
    """Yield the headless Service unless one of that name exists: createHeadlessSvcIfNecessary of
    jobset_controller.go."""
    name = subdomain(resource)
    if has_dns_names(resource) and ("Service", name) not in map(identity, objects):
        selector = {facts.JOB_LABEL: text(resource, "metadata", "name")}
        with_unready = at(resource, "spec", "network", "publishNotReadyAddresses") is not False
        yield headless_service(owned_object(resource, BY, "Service", name, {}), (), selector, with_unready)


def _claims(resource: Object) -> Iterator[Object]:
    """Yield the claims of volumeClaimPolicies: createPVCsIfNecessary of volume_claim_policy.go."""
    job = text(resource, "metadata", "name")
    for policy, template in claim_templates(resource):
        labels = {**mapping(template, "metadata", "labels"), facts.JOB_LABEL: job}
        claim = owned_object(resource, BY, "PersistentVolumeClaim", claim_name(resource, template), labels)
        if text(policy, "retentionPolicy", "whenDeleted") == "Retain":
            del claim["metadata"]["ownerReferences"]
        yield {**claim, "spec": mapping(template, "spec")}
