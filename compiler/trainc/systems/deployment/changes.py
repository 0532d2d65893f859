"""What the API server lets change in a Deployment, and what its controller does then.

ValidateDeploymentUpdate in https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/apps/validation/validation.go
"""

from __future__ import annotations

from trainc.systems.shared.changes import Change, Effect, immutable, scaling


def effect_on_deployment(change: Change) -> Effect:
    """Return the effect of a change of a Deployment."""
    refused = tuple(immutable(change, "spec.selector"))
    if refused:
        return Effect(refused=refused)
    if change.below("spec", "template"):
        return Effect(pods="replaced")
    return Effect(pods=scaling(*change.counts("spec", "replicas")))


EFFECTS = {"Deployment": effect_on_deployment}
