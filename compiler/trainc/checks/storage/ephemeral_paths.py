"""Checkpoints and results on ephemeral or read-only volumes."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, warning

TRIGGERS = ("checkpoint", "save")

# https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/
WITH_THE_POD = ("emptyDir", "ephemeral")
# The kubelet mounts these read-only: https://kubernetes.io/docs/concepts/storage/volumes/
READ_ONLY = ("configMap", "secret", "projected", "downwardAPI", "image")


def check(context: RuleContext) -> Diagnostics:
    """`checkpoint.path` and `save.path` belong on a writable volume that survives the pods."""
    for field, stored in (("checkpoint", context.spec.checkpoint), ("save", context.spec.save)):
        if stored is None or not stored.path:
            continue
        mount, where = context.pod.mount_of(stored.path), stored.where("path")
        if mount is None:
            message = f"`{field}` is on no volume: it is deleted with the pod"
            help_ = "mount a persistent volume, like a claim, at or above the path"
            yield warning(codes.EPHEMERAL_PATH, message, where, help=help_)
            continue
        volume = mount.volume
        related = [Related(span=mount.origin, message="mounted here")] if mount.origin else []
        if volume.kind in WITH_THE_POD:
            what = "the emptyDir" if volume.kind == "emptyDir" else "the ephemeral volume"
            message = f"`{field}` is on {what} `{volume.name}`: it is deleted with the pod"
            help_ = "use a persistent volume, like a claim"
            yield warning(codes.EPHEMERAL_PATH, message, where, help=help_, related=related)
        elif mount.read_only or volume.source.get("readOnly") is True or volume.kind in READ_ONLY:
            message = f"`{field}` is on `{volume.name}`, which is read-only"
            yield warning(codes.READ_ONLY_PATH, message, where, help="use a writable volume", related=related)
