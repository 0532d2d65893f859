"""Rules about single fields of pods: images, access to the node, privileges."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible
from trainc.policy.images import is_pinned, parse_image
from trainc.policy.pod_fields import PodField, pod_fields
from trainc.policy.policy import Policy
from trainc.policy.violation import Violation
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
    if policy.registries and (image is None or not any(each.contains(image) for each in policy.registries)):
        reason = f"is in {image.registry}/{image.path}" if image else "is no valid reference"
        yield Violation(
            code=codes.POLICY_REGISTRY,
            message=f"image `{shown}` {reason}, which the policy does not allow",
            help=f"use an image of {_listed(policy)}",
            document=document,
            path=field.path,
            field="allowedRegistries",
        )
    if policy.pinned_images and (image is None or not is_pinned(image, policy.pinned_images)):
        needed = "a digest" if policy.pinned_images == "digest" else "a tag other than `latest`, or a digest"
        yield Violation(
            code=codes.POLICY_UNPINNED_IMAGE,
            message=f"image `{shown}` has no {needed.removeprefix('a ')}, which the policy requires",
            help=f"pin it by {needed}",
            document=document,
            path=field.path,
            field="pinnedImages",
        )


def _listed(policy: Policy) -> str:
    """Return the first registries of a policy."""
    names = [f"{each.host}/{each.path}".rstrip("/") for each in policy.registries[:_FEW]]
    return " or ".join([*names, "another allowed registry"] if len(policy.registries) > _FEW else names)


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
