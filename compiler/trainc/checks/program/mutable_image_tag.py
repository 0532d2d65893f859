"""Image with a mutable tag: pods of one job may run different versions."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, note, warning

TRIGGERS = ("has_mutable_tag()",)

LATEST = "latest"


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/containers/images/#image-names and #imagepullpolicy-defaulting"""
    image = context.spec.image
    image_tag = tag(image)
    if "@" in image or image_tag not in (None, LATEST):
        return
    reason = "has no tag" if image_tag is None else "has the tag `latest`"
    where, policy = context.spec.where("image"), context.spec.image_pull_policy
    help_ = "pin a version or a digest: image@sha256:…"
    if policy in ("IfNotPresent", "Never"):
        other = Related(span=context.spec.where("imagePullPolicy"), message="nodes use their cached image")
        message = f"image `{image}` {reason}: each node runs the version in its cache"
        yield warning(codes.MUTABLE_IMAGE_TAG, message, where, help=help_, related=[other])
    else:
        message = f"image `{image}` {reason}: a replacement pod may pull a different version"
        yield note(codes.MUTABLE_IMAGE_TAG, message, where, help=help_)


def tag(image: str) -> str | None:
    """Return the tag of an image or None; a registry's port is not a tag."""
    _, colon, image_tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    return image_tag if colon else None
