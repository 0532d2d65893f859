"""Labels and annotations on the wrong kind of object."""

from __future__ import annotations

from trainc.checks.lifecycle.mesh_sidecar import ISTIO, LINKERD
from trainc.checks.rule import Diagnostic, Diagnostics, RuleContext, codes, note, warning
from trainc.checks.shared.labels import Mark, marks
from trainc.well_known import QUEUE_LABEL

TRIGGERS = ("has_addon_label()",)

# https://istio.io/latest/docs/reference/config/labels/#NamespaceIstioInjection
INJECTION = "istio-injection"
# https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces
SECURITY = "pod-security.kubernetes.io/"


def check(context: RuleContext) -> Diagnostics:
    """Check the labels and annotations of the job and of podTemplate."""
    for name, mark in marks(context, "labels").items():
        if name == INJECTION:
            yield _misplaced(
                f"label `{name}` has an effect only on a namespace", mark, f'use {ISTIO}: "true" or "false"'
            )
        elif name.startswith(SECURITY):
            yield _misplaced(f"label `{name}` has an effect only on a namespace", mark, "label the namespace")
        elif name == LINKERD:
            yield _misplaced(f"`{name}` is an annotation: Linkerd ignores the label", mark, "move it to annotations")
        elif name == QUEUE_LABEL:
            yield from _queue(context, mark)
    for name, mark in marks(context, "annotations").items():
        if name == QUEUE_LABEL:
            yield _misplaced(f"`{name}` is a label: its annotation is deprecated", mark, _use(mark))


def _queue(context: RuleContext, mark: Mark) -> Diagnostics:
    """https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#1-define-the-job, and .../plain_pods/ for groups of Pods."""
    if mark.direct and context.system.has_controller:
        message = f"on the pods of {context.system.a_kind} the label `{QUEUE_LABEL}` makes each wait by itself, if any"
        message += ": half may run"
        yield _misplaced(message, mark, _use(mark))
    elif context.job.queue is None:
        if context.system.queued == "by pods" and context.job.replicas.maximum > 1:
            message = f"with the label `{QUEUE_LABEL}` alone each Pod waits for quota by itself: half of a job may run"
            yield _misplaced(message, mark, _use(mark))
        elif context.job.replicas.elastic and context.system.queued == "at fixed size":
            return  # reported by checks/scheduling/queue.py
        elif context.job.replicas.elastic:
            message = f"with the label `{QUEUE_LABEL}` alone the elastic job waits for the quota of all its workers"
            yield _misplaced(message, mark, _use(mark))
        else:
            message = f"trainc does not see the queue of the label `{QUEUE_LABEL}` when it checks the job"
            yield note(codes.MISPLACED_LABEL, message, mark.span, help=_use(mark))


def _misplaced(message: str, mark: Mark, help_: str) -> Diagnostic:
    return warning(codes.MISPLACED_LABEL, message, mark.span, help=help_)


def _use(mark: Mark) -> str:
    return f"use `scheduling.queue: {mark.value}`"
