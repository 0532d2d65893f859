"""Labels and annotations of service meshes, Kueue and Pod Security: misplaced ones, and endless proxies."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, move, note, warning
from trainc.checks.shared.user_fields import Mark, marks
from trainc.well_known import QUEUE_LABEL

TRIGGERS = ("has_addon_label()",)

# Istio: https://istio.io/latest/docs/reference/config/labels/ and .../annotations/ (inject, nativeSidecar);
# https://istio.io/latest/blog/2023/native-sidecars/ says what happens to Jobs without native sidecars.
# Linkerd: https://linkerd.io/2/features/native-sidecars
ISTIO, ISTIO_NATIVE = "sidecar.istio.io/inject", "sidecar.istio.io/nativeSidecar"
LINKERD, LINKERD_NATIVE = "linkerd.io/inject", "config.beta.linkerd.io/proxy-enable-native-sidecar"
NATIVE = (ISTIO_NATIVE, LINKERD_NATIVE, "config.alpha.linkerd.io/proxy-enable-native-sidecar")
ENDS_PROXY = "quitquitquit"  # endpoint by which a program may stop the proxy
# https://istio.io/latest/docs/reference/config/labels/#NamespaceIstioInjection
INJECTION = "istio-injection"
# https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces
SECURITY = "pod-security.kubernetes.io/"
QUEUE = "spec.scheduling.queue"
# Of a group of pods that Kueue admits together: https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/
POD_GROUP = "kueue.x-k8s.io/pod-group-name"


def check(context: RuleContext) -> Diagnostics:
    labels, annotations = marks(context, "labels"), marks(context, "annotations")
    if context.system.ends:
        yield from _endless_proxy(context, labels, annotations)
    for name, mark in labels.items():
        if name == INJECTION or name.startswith(SECURITY):
            message = f"label `{name}` has an effect only on a namespace"
            where_to = f'use {ISTIO}: "true" or "false"' if name == INJECTION else "label the namespace"
            yield warning(codes.MISPLACED_LABEL, message, mark.span, help=where_to)
        elif name == LINKERD:
            message = f"`{name}` is an annotation: Linkerd ignores the label"
            remedy = move(mark.span, "..annotations")
            yield warning(codes.MISPLACED_LABEL, message, mark.span, help="move it to annotations", remedy=remedy)
        elif name == QUEUE_LABEL and POD_GROUP not in labels:
            yield from _queue(context, mark)
    if QUEUE_LABEL in annotations:
        mark, message = annotations[QUEUE_LABEL], f"`{QUEUE_LABEL}` is a label: its annotation is deprecated"
        help_ = context.cure(Message("use `{scheduling.queue: {}}`", mark.value), "move it to the labels")
        remedy = move(mark.span, "..labels" if context.file_kind else QUEUE)
        yield warning(codes.MISPLACED_LABEL, message, mark.span, help=help_, remedy=remedy)


def _endless_proxy(context: RuleContext, labels: dict[str, Mark], annotations: dict[str, Mark]) -> Diagnostics:
    """Report a proxy that keeps running after training; Istio's label has precedence over its older annotation."""
    istio, linkerd = labels.get(ISTIO) or annotations.get(ISTIO), annotations.get(LINKERD)
    if istio is not None and istio.value == "true":
        mesh, native, where = "Istio", ISTIO_NATIVE, istio.span
    elif linkerd is not None and linkerd.value in ("enabled", "ingress"):
        mesh, native, where = "Linkerd", LINKERD_NATIVE, linkerd.span
    else:
        return
    has_native_sidecar = any(annotations[name].value == "true" for name in NATIVE if name in annotations)
    if not has_native_sidecar and not any(ENDS_PROXY in word for word in context.spec.run.words):
        message = f"{mesh}'s proxy keeps running after training: without native sidecars the job never completes"
        help_ = f'add the annotation {native}: "true" (Kubernetes 1.29), or disable the injection'
        yield warning(codes.ENDLESS_MESH_SIDECAR, message, where, help=help_)


def _queue(context: RuleContext, mark: Mark) -> Diagnostics:
    """Check the queue.

    https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#1-define-the-job, and .../plain_pods/ for groups of Pods.
    """
    system, replicas, severity = context.system, context.job.replicas, warning
    if mark.is_pod_only and system.has_controller and context.job.queue is None:
        message = f"label `{QUEUE_LABEL}` on the pods of {system.a_kind} queues each pod separately, or none"
        message += ": only some workers may run"
    elif context.job.queue is not None or (replicas.elastic and system.queued == "at fixed size"):
        return  # reported by checks/scheduling/placement.py
    elif system.queued == "by pods" and replicas.maximum > 1:
        message = f"with the label `{QUEUE_LABEL}` alone each Pod waits for quota separately: only some workers may run"
    elif replicas.elastic:
        message = f"with the label `{QUEUE_LABEL}` alone the elastic job waits for the quota of all its workers"
    else:
        message = f"trainc does not see the queue of the label `{QUEUE_LABEL}` when it checks the job"
        severity = note
    help_ = context.cure(
        Message("use `{scheduling.queue: {}}`", mark.value), f"move it to the labels of the {context.file_kind}"
    )
    remedy = None if context.file_kind else move(mark.span, QUEUE)
    yield severity(codes.MISPLACED_LABEL, message, mark.span, help=help_, remedy=remedy)
