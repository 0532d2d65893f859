"""What follows when a Job of a JobSet has failed, by its failurePolicy.

https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/failure_policy.go
"""

from __future__ import annotations

import re

from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.systems.shared.lifecycle import Reaction, Retries

# By the action of the rule: actionFunctionMap
_REACTIONS = {
    "FailJobSet": Reaction(effect="job fails"),
    "RestartJobSet": Reaction(effect="job restarts"),
    "RestartJobSetAndIgnoreMaxRestarts": Reaction(effect="job restarts", counts=False),
    "RestartJob": Reaction(effect="group restarts"),
    "RestartJobAndIgnoreMaxRestarts": Reaction(effect="group restarts", counts=False),
}
_DEFAULT = "RestartJobSet"  # defaultFailurePolicyRuleAction
_LITERAL = re.compile(r"[\w '\",:/=@#%&<>-]*")


def retries(spec: Object) -> Retries | None:
    """Return the limit of restarts, None without a failurePolicy: restartJobSetActionApplier."""
    policy = mapping(spec, "failurePolicy")
    limit = number(policy, "maxRestarts") or 0
    return Retries(limit=limit, fatal=limit + 1, counted="restarts of all workers") if policy else None


def reaction(spec: Object, replicated: str, reason: str, message: str = "", restarts: int = 0) -> Reaction:
    """Return what follows after so many restarts when a Job of a replicated job fails: executeFailurePolicy. An empty
    `replicated` is any."""
    limit = retries(spec)
    action = matching_action(mapping(spec, "failurePolicy"), reason, message, replicated)
    after = _REACTIONS.get(action, _REACTIONS[_DEFAULT])
    is_last = limit is None or (after.counts and restarts >= limit.limit)
    return _REACTIONS["FailJobSet"] if is_last else after


def matching_action(policy: Object, reason: str, message: str, replicated: str = "") -> str:
    """Return the action of the first rule that a failed Job matches: ruleIsApplicable.

    A pattern that isn't plain text counts as no match.
    """
    for rule in items(policy, "rules"):
        reasons, patterns = listed(rule, "onJobFailureReasons"), listed(rule, "onJobFailureMessagePatterns")
        targets = listed(rule, "targetReplicatedJobs")
        is_matched = any(_LITERAL.fullmatch(str(each)) and str(each) in message for each in patterns)
        is_target = not targets or not replicated or replicated in targets
        if (not reasons or reason in reasons) and (not patterns or is_matched) and is_target:
            return text(rule, "action")
    return _DEFAULT
