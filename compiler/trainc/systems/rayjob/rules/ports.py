"""Ports that KubeRay's probes ask, whatever the options of `ray start` say.

initLivenessAndReadinessProbe of
https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/controllers/ray/common/pod.go
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.span import span_of
from trainc.systems.rayjob.facts import AGENT_PORT

TRIGGERS = ("launch.ray.headArgs", "launch.ray.workerArgs", "launch.ray.otherArgs")

AGENT_OPTION = "--dashboard-agent-listen-port"


def check(context: RuleContext) -> Diagnostics:
    """Reject another port of the agent: the pods never become ready, and restart."""
    command = context.job.launcher_command
    if command is None:
        return
    for word in (*command.flags, *command.head_flags, *command.worker_flags):
        name, _, value = word.partition("=")
        if name == AGENT_OPTION and value != str(AGENT_PORT):
            message = f"the pods never become ready: KubeRay's probes ask Ray's agent at port {AGENT_PORT}"
            where = span_of(word) or context.spec.launch.where("headArgs")
            yield error(codes.RAY_OPTION, message, where, help="remove it")
