"""Labels and annotations of a job that work only on its pods: operators built on kubeflow/common copy none to them.

createNewPod in https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/common/pod.go
"""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import warning
from trainc.source.node import Mapping, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child

# Starts of names → what reads them on pods.
# https://istio.io/latest/docs/reference/config/annotations/ and .../labels/,
# https://linkerd.io/2/reference/proxy-configuration/,
# https://k8snetworkplumbingwg.github.io/multus-cni/docs/quickstart.html,
# https://kubernetes.io/docs/reference/labels-annotations-taints/#cluster-autoscaler-kubernetes-io-safe-to-evict,
# https://karpenter.sh/docs/concepts/disruption/#pod-level-controls,
# https://cloud.google.com/kubernetes-engine/docs/how-to/persistent-volumes/cloud-storage-fuse-csi-driver-setup,
# https://developer.hashicorp.com/vault/docs/deploy/kubernetes/injector/annotations,
# https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/#user-facing-apis
READERS = {
    "sidecar.istio.io/": "Istio",
    "traffic.sidecar.istio.io/": "Istio",
    "proxy.istio.io/": "Istio",
    "linkerd.io/inject": "Linkerd",
    "config.linkerd.io/": "Linkerd",
    "config.alpha.linkerd.io/": "Linkerd",
    "config.beta.linkerd.io/": "Linkerd",
    "k8s.v1.cni.cncf.io/networks": "Multus",
    "networking.gke.io/": "GKE",
    "gke-gcsfuse/": "GKE",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "the cluster autoscaler",
    "karpenter.sh/do-not-disrupt": "Karpenter",
    "vault.hashicorp.com/": "Vault",
    "kueue.x-k8s.io/podset-": "Kueue",
}


def report_pod_metadata(job: ForeignMapping, template: ForeignMapping) -> None:
    """Report labels and annotations on the job that its pods lack, where alone they have an effect."""
    kind = scalar_text(job.node.get("kind"))
    for field in ("labels", "annotations"):
        own, of_pods = child(job.node, "metadata", field), child(template.node, "metadata", field)
        has = of_pods.entries if isinstance(of_pods, Mapping) else {}
        for name, entry in own.entries.items() if isinstance(own, Mapping) else ():
            reader = next((reader for start, reader in READERS.items() if name.startswith(start)), None)
            if reader is not None and name not in has:
                message = f"{field[:-1]} `{name}` has no effect on the {kind}: {reader} reads it on the pods"
                help_ = f"move it to `metadata.{field}` of each pod template"
                job.report.diagnostics.append(warning(codes.MISPLACED_LABEL, message, entry.key.span, help=help_))
