"""Rules of a Job's podFailurePolicy."""

from __future__ import annotations

from trainc.ir.job import Failure
from trainc.typenames import Any
from trainc.well_known import MAIN


def disruption_rule(action: str) -> dict[str, Any]:
    """Return the rule for a pod that was drained, preempted or reclaimed.

    https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
    """
    # Kubernetes requires the condition's status up to 1.34.
    return {"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


def exit_code_rules(failure: Failure, container: str = MAIN) -> list[dict[str, Any]]:
    """Return the rules for exit codes of the training container that fail the job at once."""
    return [
        {"action": "FailJob", "onExitCodes": {"containerName": container, "operator": operator, "values": list(codes)}}
        for operator, codes in (("In", failure.fatal), ("NotIn", failure.unless))
        if codes
    ]
