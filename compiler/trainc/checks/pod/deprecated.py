"""What the chosen Kubernetes no longer does, or does under another name."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.labels import marks
from trainc.checks.shared.patched import patch_of
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, note, warning
from trainc.source.node import Entry, Mapping, mappings
from trainc.spec.section import inside

TRIGGERS = ("metadata.annotations", "podTemplate", "scheduling.nodeSelector")

# Kinds of volumes and the minor version without them (https://kubernetes.io/docs/concepts/storage/volumes/#volume-types);
# 29 is the oldest that trainc compiles for, and these went before.
REMOVED = {
    **dict.fromkeys(("flocker", "glusterfs", "photonPersistentDisk", "quobyte", "scaleIO", "storageos"), 29),
    **dict.fromkeys(("cephfs", "rbd"), 31),
    # Off unless a feature gate turns it on since 1.33, and for good since 1.36: https://kep.k8s.io/5040
    "gitRepo": 36,
}
OFF = {"gitRepo": 33}
# What a CSI driver, which must be installed, does in the name of the volume.
DRIVERS = {
    "awsElasticBlockStore": "ebs.csi.aws.com",
    "azureDisk": "disk.csi.azure.com",
    "azureFile": "file.csi.azure.com",
    "cinder": "cinder.csi.openstack.org",
    "gcePersistentDisk": "pd.csi.storage.gke.io",
    "portworxVolume": "pxd.portworx.com",
    "vsphereVolume": "csi.vsphere.vmware.com",
}
INSTEAD = {"gitRepo": "clone in an init container into an emptyDir", "cephfs": "use csi: cephfs.csi.ceph.com"}
# Annotations by their beginnings: since when ignored, and what says it now.
# https://kubernetes.io/docs/reference/labels-annotations-taints/
IGNORED = {
    "seccomp.security.alpha.kubernetes.io/": ("1.27", "securityContext.seccompProfile"),
    "container.seccomp.security.alpha.kubernetes.io/": ("1.27", "securityContext.seccompProfile"),
    "scheduler.alpha.kubernetes.io/critical-pod": ("1.16", "scheduling.priorityClassName"),
    "scheduler.alpha.kubernetes.io/tolerations": ("1.6", "scheduling.tolerations"),
    "scheduler.alpha.kubernetes.io/affinity": ("1.6", "scheduling.affinity"),
    "pod.alpha.kubernetes.io/init-containers": ("1.8", "podTemplate.spec.initContainers"),
    "pod.beta.kubernetes.io/init-containers": ("1.8", "podTemplate.spec.initContainers"),
}
APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
APPARMOR_FIELD = 30  # https://kubernetes.io/docs/tutorials/security/apparmor/
# https://kubernetes.io/docs/reference/labels-annotations-taints/, of nodes
NODE_LABELS = {
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Of podTemplate, of annotations, and the labels that nodes are chosen by."""
    pod = patch_of(context)
    if "serviceAccount" in pod.entries:
        message = "`serviceAccount` is a deprecated name, which trainc does not look at"
        yield warning(
            codes.DEPRECATED_IN_KUBERNETES,
            message,
            pod.entries["serviceAccount"].key.span,
            help="use serviceAccountName",
        )
    for volume in mappings(pod.get("volumes")):
        for kind, entry in volume.entries.items():
            yield from _volume(context.target.minor, kind, entry)
    for name, mark in marks(context, "annotations").items():
        for beginning, (version, now) in IGNORED.items():
            if name.startswith(beginning):
                message = f"Kubernetes ignores the annotation `{name}` since {version}"
                yield warning(codes.DEPRECATED_IN_KUBERNETES, message, mark.span, help=f"use {now}")
        if name.startswith(APPARMOR) and context.target.minor >= APPARMOR_FIELD:
            message = f"the annotation is deprecated since 1.{APPARMOR_FIELD}: a field says it"
            yield note(
                codes.DEPRECATED_IN_KUBERNETES,
                message,
                mark.span,
                help="use securityContext.appArmorProfile in podTemplate",
            )
    for selector in (inside(context.spec.scheduling.node, "nodeSelector"), inside(pod, "nodeSelector")):
        yield from _node_labels(selector)


def _volume(minor: int, kind: str, entry: Entry) -> Iterator[Diagnostic]:
    where, gone = entry.key.span, REMOVED.get(kind)
    help_ = INSTEAD.get(kind, "use a CSI driver's volume or a claim")
    if gone is not None and minor >= gone:
        since = "" if gone == min(REMOVED.values()) else f" since 1.{gone}"
        message = f"Kubernetes has no volumes of kind {kind} any more{since}: the pods would never start"
        yield error(codes.DEPRECATED_IN_KUBERNETES, message, where, help=help_)
    elif kind in OFF and minor >= OFF[kind]:
        message = f"volumes of kind {kind} are off since Kubernetes 1.{OFF[kind]}, unless a feature gate allows them"
        yield warning(codes.DEPRECATED_IN_KUBERNETES, message, where, help=help_)
    elif gone is not None:
        message = f"volumes of kind {kind} are deprecated, and gone in Kubernetes 1.{gone}"
        yield note(codes.DEPRECATED_IN_KUBERNETES, message, where, help=help_)
    elif kind in DRIVERS:
        message = f"volumes of kind {kind} are deprecated, and need the CSI driver {DRIVERS[kind]}"
        yield note(codes.DEPRECATED_IN_KUBERNETES, message, where, help="use a claim, or a csi volume of that driver")


def _node_labels(selector: Mapping) -> Iterator[Diagnostic]:
    for name, entry in selector.entries.items():
        if name in NODE_LABELS:
            message = f"the node label `{name}` is deprecated: newer nodes may lack it, and the pods then wait for ever"
            yield warning(codes.DEPRECATED_IN_KUBERNETES, message, entry.key.span, help=f"use {NODE_LABELS[name]}")
