"""Names that Kubernetes rejects only when the pods are created, and reserved labels."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, warning
from trainc.spec.section import inside
from trainc.systems.shared.facts import POD_LABEL_PREFIXES, POD_LABELS
from trainc.systems.shared.objects.base import Backend
from trainc.well_known import GROUP

TRIGGERS = ("always()",)

LONGEST_LABEL = 63  # RFC 1123; a pod's hostname and every label value


def check(context: RuleContext) -> Diagnostics:
    """Require a DNS label as the longest derived name, and a namespace for fully qualified names.

    Services and controllers select pods by the reserved labels, so a job must not set them.
    """
    job, system = context.job, context.system
    known = job.namespace is not None or not system.has_full_names
    if context.target.cluster_domain and not known and job.headless_service:
        message = "`--cluster-domain` requires a namespace and has no effect"
        help_ = Message("set --namespace or {metadata.namespace}")
        yield warning(codes.CLUSTER_DOMAIN_WITHOUT_NAMESPACE, message, job.origin, help=help_)
    last, etcd = f"{system.pod_infix}-{job.replicas.maximum - 1}", "-etcd" if job.etcd else ""
    last += system.pod_suffix if system.limits_pod_names else ""
    suffix = max(len(last), system.name_suffix, len(etcd))
    excess = len(job.name) + suffix - LONGEST_LABEL
    # In Kubernetes' own objects the rules of the API server check the names of the pods.
    # An operator's webhook, which is asked, knows the names in its file.
    is_own = context.in_own_system and context.file_system is not None
    is_validated = is_own and (not system.operator or context.has_own_hosts)
    if excess > 0 and not (is_validated and suffix == len(last)):
        ending = next((word for word in (last, etcd) if len(word) == suffix), "-<revision>")
        message = f"the name is {excess} character{'s' if excess > 1 else ''} too long"
        message += f": `{job.name}{ending}` exceeds {LONGEST_LABEL} characters"
        yield error(codes.NAME_TOO_LONG, message, job.origin, expected=f"at most {LONGEST_LABEL - suffix} characters")
    for name, entry in inside(context.spec.metadata.node, "labels").entries.items():
        if is_reserved(name, context.backend):
            whose = "trainc" if name.startswith(f"{GROUP}/") else "a controller"
            if name in system.pod_labels:
                whose = f"the operator of the {system.kind}"
            message = f"label `{name}` is reserved: {whose} sets it"
            yield error(codes.RESERVED_LABEL, message, entry.key.span, help="rename it")


def is_reserved(name: str, backend: Backend) -> bool:
    """Return whether trainc or a controller sets the label."""
    return name.startswith((f"{GROUP}/", *POD_LABEL_PREFIXES)) or name in (*POD_LABELS, *backend.traits.pod_labels)
