"""Service mesh proxy that keeps running after training."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.labels import Mark, marks

TRIGGERS = ("has_addon_label()",)

# Istio: https://istio.io/latest/docs/reference/config/labels/ and .../annotations/ (inject, nativeSidecar);
# https://istio.io/latest/blog/2023/native-sidecars/ says what happens to Jobs without native sidecars.
# Linkerd: https://linkerd.io/2/features/native-sidecars
ISTIO, ISTIO_NATIVE = "sidecar.istio.io/inject", "sidecar.istio.io/nativeSidecar"
LINKERD, LINKERD_NATIVE = "linkerd.io/inject", "config.beta.linkerd.io/proxy-enable-native-sidecar"
NATIVE = (ISTIO_NATIVE, LINKERD_NATIVE, "config.alpha.linkerd.io/proxy-enable-native-sidecar")
ENDS_IT = "quitquitquit"  # endpoint by which a program may stop the proxy


def check(context: RuleContext) -> Diagnostics:
    """Check the label, or the older annotation; the label has precedence."""
    labels, annotations = marks(context, "labels"), marks(context, "annotations")
    requested = _requested_mesh(labels, annotations)
    if requested is None or not context.system.ends:
        return
    mesh, mark, native = requested
    if any(annotations[name].value == "true" for name in NATIVE if name in annotations):
        return
    if any(ENDS_IT in word for word in context.spec.run.words):
        return
    message = f"{mesh}'s proxy keeps running after training: without native sidecars the job never completes"
    help_ = f'add the annotation {native}: "true" (Kubernetes 1.29), or disable the injection'
    yield warning(codes.ENDLESS_MESH_SIDECAR, message, mark.span, help=help_)


def _requested_mesh(labels: dict[str, Mark], annotations: dict[str, Mark]) -> tuple[str, Mark, str] | None:
    istio, linkerd = labels.get(ISTIO) or annotations.get(ISTIO), annotations.get(LINKERD)
    if istio is not None and istio.value == "true":
        return "Istio", istio, ISTIO_NATIVE
    if linkerd is not None and linkerd.value in ("enabled", "ingress"):
        return "Linkerd", linkerd, LINKERD_NATIVE
    return None
