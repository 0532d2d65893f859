"""Rules about single fields of pods: images, access to the node, privileges."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible
from trainc.policy.images import is_pinned, parse_image
from trainc.policy.pod_fields import PodField, pod_fields
from trainc.policy.policy import Policy, Violation
from trainc.source.node import Mapping

_FORBIDDEN = {
    "hostPath": codes.POLICY_HOST_PATH,
    "hostNetwork": codes.POLICY_HOST_NAMESPACE,
    "hostPID": codes.POLICY_HOST_NAMESPACE,
    "hostIPC": codes.POLICY_HOST_NAMESPACE,
    "hostPorts": codes.POLICY_HOST_NAMESPACE,
    "privileged": codes.POLICY_PRIVILEGED,
}
_FEW = 3  # registries in a help


def violations(policy: Policy, document: Mapping) -> Iterator[Violation]:
    """Yield the violations in the fields of all pods that an object has templates or patches of."""
    for field in pod_fields(document):
        if field.name == "image":
            yield from _image(policy, document, field)
        elif field.name in policy.forbidden:
            yield _forbidden(document, field)


def _image(policy: Policy, document: Mapping, field: PodField) -> Iterator[Violation]:
    image, shown = parse_image(field.value), visible(field.value)
    if policy.registries and not (image and any(each.contains(image) for each in policy.registries)):
        message = f"image `{shown}` is not the name of an image: the policy does not allow it"
        if image:
            message = f"image `{shown}` is from {image.registry}/{image.path}, which the policy does not allow"
        yield Violation(
            code=codes.POLICY_REGISTRY,
            message=message,
            help=f"use an image from {_listed(policy)}",
            document=document,
            path=field.path,
            field="allowedRegistries",
        )
    if policy.pinned_images and image and not is_pinned(image, policy.pinned_images):
        needs_digest = policy.pinned_images == "digest"
        state = "has no digest" if needs_digest else "has neither a digest nor a tag other than `latest`"
        yield Violation(
            code=codes.POLICY_UNPINNED_IMAGE,
            message=f"image `{shown}` {state}: the policy requires pinned images",
            help="pin it by a digest: image@sha256:…" if needs_digest else "pin it by a version or a digest",
            document=document,
            path=field.path,
            field="pinnedImages",
        )


def _listed(policy: Policy) -> str:
    """Return the first registries of a policy."""
    names = [f"{each.host}/{each.path}".rstrip("/") for each in policy.registries]
    names = [*names[:_FEW], "another allowed registry"] if len(names) > _FEW + 1 else names
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _forbidden(document: Mapping, field: PodField) -> Violation:
    value = f" `{visible(field.value)}`" if field.value else ""
    name = "hostPort" if field.name == "hostPorts" else field.name
    return Violation(
        code=_FORBIDDEN[field.name],
        message=f"the policy forbids `{name}`{value}",
        help="remove it",
        document=document,
        path=field.path,
        field="forbidden",
        item=field.name,
    )
