"""An image whose name says another one tomorrow: pods of one job may run different programs."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, note, warning

TRIGGERS = ("has_mutable_tag()",)

LATEST = "latest"


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """https://kubernetes.io/docs/concepts/containers/images/#image-names and #imagepullpolicy-defaulting"""
    image = context.spec.image
    given = tag(image)
    if "@" in image or given not in (None, LATEST):
        return
    what = "has no tag, which means latest" if given is None else "has the tag latest"
    where, policy = context.spec.where("image"), context.spec.image_pull_policy
    help_ = "name a version, or a digest: image@sha256:…"
    if policy in ("IfNotPresent", "Never"):
        other = Related(span=context.spec.where("imagePullPolicy"), message="a node keeps what it has")
        message = f"the image {what}: each node runs the one that it happens to have"
        yield warning(codes.MUTABLE_IMAGE_TAG, message, where, help=help_, related=[other])
    else:
        message = f"the image {what}: a pod that is replaced later may run another one than the rest"
        yield note(codes.MUTABLE_IMAGE_TAG, message, where, help=help_)


def tag(image: str) -> str | None:
    """The tag of an image, None without one. A port of a registry is no tag."""
    _, colon, found = image.partition("@")[0].rpartition("/")[2].partition(":")
    return found if colon else None
