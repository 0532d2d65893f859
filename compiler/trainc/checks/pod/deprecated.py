"""Fields, volumes, annotations and node labels that the target Kubernetes lacks, removed, deprecated or renamed."""

from __future__ import annotations

from trainc.checks.pod.pod_template import OWNED
from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, note, rename, warning
from trainc.checks.shared.user_fields import marks, patch_spec
from trainc.kubernetes_fields import AUTOSCALER_FIELDS, POD_FIELDS, RELAXED_NAMES, new_fields
from trainc.source.node import Entry, Mapping, Scalar, mappings
from trainc.spec.section import inside

TRIGGERS = (
    "uses_beta_name()",
    "podTemplate",
    "securityContext",
    "has_scaling_tolerance()",
    "resources.claims",
    "network.nvlinkDomain",
    "sets_digit_name()",
)

# Volume types and the minor version that removed them (https://kubernetes.io/docs/concepts/storage/volumes/#volume-types);
# 29 is the oldest supported target and stands for any earlier version.
REMOVED = {
    **dict.fromkeys(("flocker", "glusterfs", "photonPersistentDisk", "quobyte", "scaleIO", "storageos"), 29),
    **dict.fromkeys(("cephfs", "rbd"), 31),
    # Off by default since 1.33 (feature gate), removed in 1.36: https://kep.k8s.io/5040
    "gitRepo": 36,
}
OFF = {"gitRepo": 33}
# CSI drivers, to be installed, that serve these volume types.
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
# Prefixes of annotations: the version since which they are ignored, and their replacement.
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
# Fields that the rule `pod_template` doesn't reject.
_POD_FIELDS = [field for field in POD_FIELDS if OWNED.keys().isdisjoint(field.paths)]
# The job's own security context has those of the pod.
_OWN_FIELDS = [field for field in POD_FIELDS if any(path.startswith("securityContext.") for path in field.paths)]


def check(context: RuleContext) -> Diagnostics:
    yield from _deprecated(context)
    yield from _fields(context)
    yield from _variable_names(context)


def _deprecated(context: RuleContext) -> Diagnostics:
    pod = patch_spec(context)
    if "serviceAccount" in pod.entries:
        message = "`serviceAccount` is deprecated, and trainc does not read it"
        where = pod.entries["serviceAccount"].key.span
        # The API server copies one field to the other.
        remedy = rename(where, "serviceAccountName", safe=True)
        yield warning(codes.DEPRECATED_IN_KUBERNETES, message, where, help="use serviceAccountName", remedy=remedy)
    for volume in mappings(pod.get("volumes")):
        for kind, entry in volume.entries.items():
            yield from _volume(context.target.minor, kind, entry)
    for name, mark in marks(context, "annotations").items():
        for prefix, (version, field) in IGNORED.items():
            if name.startswith(prefix):
                message = f"annotation `{name}` is ignored since Kubernetes {version}"
                yield warning(codes.DEPRECATED_IN_KUBERNETES, message, mark.span, help=f"use {field}")
        if name.startswith(APPARMOR) and context.target.minor >= APPARMOR_FIELD:
            message = f"annotation `{name}` is deprecated since Kubernetes 1.{APPARMOR_FIELD}"
            help_ = Message("use {securityContext.appArmorProfile} in {podTemplate}")
            yield note(codes.DEPRECATED_IN_KUBERNETES, message, mark.span, help=help_)
    for selector in (inside(context.spec.scheduling.node, "nodeSelector"), inside(pod, "nodeSelector")):
        for name, entry in selector.entries.items():
            if name in NODE_LABELS:
                message = f"node label `{name}` is deprecated: the pods stay Pending on nodes without it"
                where, new = entry.key.span, NODE_LABELS[name]
                remedy = rename(where, new)
                yield warning(codes.DEPRECATED_IN_KUBERNETES, message, where, help=f"use {new}", remedy=remedy)


def _volume(minor: int, kind: str, entry: Entry) -> Diagnostics:
    removed, help_, severity = REMOVED.get(kind), INSTEAD.get(kind, "use a claim or a csi volume"), note
    message = f"volume type `{kind}` is "
    if removed is not None and minor >= removed:
        since = "" if removed == min(REMOVED.values()) else f" since Kubernetes 1.{removed}"
        message, severity = f"{message}removed{since}: the pods never start", error
    elif kind in OFF and minor >= OFF[kind]:
        message, severity = f"{message}disabled by default since Kubernetes 1.{OFF[kind]}", warning
    elif removed is not None:
        message += f"deprecated and removed in Kubernetes 1.{removed}"
    elif kind in DRIVERS:
        message += f"deprecated and requires the CSI driver {DRIVERS[kind]}"
        help_ = "use a claim, or a csi volume of that driver"
    else:
        return
    yield severity(codes.DEPRECATED_IN_KUBERNETES, message, entry.key.span, help=help_)


def _fields(context: RuleContext) -> Diagnostics:
    if context.in_own_system:  # judge/objects.py checks the original object
        return
    job, minor = context.spec.node, context.target.minor
    claims = _claims(context)
    owners = (
        (patch_spec(context), _POD_FIELDS),
        (job, _OWN_FIELDS),
        (inside(job, "elastic"), AUTOSCALER_FIELDS),
        (claims, _POD_FIELDS),
    )
    yield from (
        warning(codes.KUBERNETES_TOO_OLD, each.message, each.span, help=each.help)
        for owner, fields in owners
        for each in new_fields(owner, fields, minor)
    )


def _claims(context: RuleContext) -> Mapping:
    """Return the pod's claims of devices by the job's own fields, at the first of these; empty without one."""
    claims = context.job.pod.device_claims
    where = claims[0].origin if claims else None
    if where is None:
        return Mapping({}, context.job.origin)
    name = Scalar("resourceClaims", "resourceClaims", where)
    return Mapping({"resourceClaims": Entry(name, name)}, where)


def _variable_names(context: RuleContext) -> Diagnostics:
    minor = context.target.minor
    for variable in context.job.pod.env if minor < RELAXED_NAMES else ():
        if variable.origin is not None and variable.name[:1].isdigit():
            message = f"Kubernetes 1.{minor} rejects the variable `{variable.name}`: its name starts with a digit"
            help_ = f"rename it, or set --kubernetes-version 1.{RELAXED_NAMES} or newer"
            yield error(codes.KUBERNETES_TOO_OLD, message, variable.origin, help=help_)
