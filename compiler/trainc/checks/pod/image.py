"""Mutable image tags, with which pods of one job may run different versions, and duplicate pull secrets."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, note, remove, warning
from trainc.source.node import mappings, scalar_text
from trainc.span import Span

TRIGGERS = ("has_mutable_tag()", "imagePullSecrets")

LATEST = "latest"


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/containers/images/#image-names and #imagepullpolicy-defaulting

    Server-side apply merges the pull secrets by name and fails with "duplicate entries for key":
    https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
    """
    image, where = context.spec.image, context.spec.where("image")
    image_tag = tag(image)
    if "@" not in image and image_tag in (None, LATEST):
        reason = "has no tag" if image_tag is None else "has the tag `latest`"
        help_ = "pin a version or a digest: image@sha256:…"
        if context.spec.image_pull_policy in ("IfNotPresent", "Never"):
            other = (context.spec.where("imagePullPolicy"), "nodes use their cached image")
            message = f"image `{image}` {reason}: each node runs the version in its cache"
            yield warning(codes.MUTABLE_IMAGE_TAG, message, where, help=help_, related=[other])
        else:
            message = f"image `{image}` {reason}: a replacement pod may pull a different version"
            yield note(codes.MUTABLE_IMAGE_TAG, message, where, help=help_)
    first: dict[str, Span] = {}
    for item in mappings(context.spec.node.get("imagePullSecrets")):
        name, where = scalar_text(item.get("name")), item.where("name")
        if first.setdefault(name, where) is not where:
            message, related = f"duplicate pull secret `{name}`", [(first[name], "first entry")]
            remedy = remove(where, safe=True)
            yield warning(codes.DUPLICATE_PULL_SECRET, message, where, help="remove it", related=related, remedy=remedy)


def tag(image: str) -> str | None:
    """Return the tag of an image or None; a registry's port is not a tag."""
    _, colon, image_tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    return image_tag if colon else None
