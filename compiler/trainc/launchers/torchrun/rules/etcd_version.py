"""Managed etcd server without the v2 API."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.program.mutable_image_tag import LATEST, tag
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.launchers.torchrun.etcd import IMAGE
from trainc.launchers.torchrun.spec import Torchrun
from trainc.source.node import Mapping

TRIGGERS = ("launch.torchrun.rendezvous.managed",)

# First version without the v2 API (--enable-v2): https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/
GONE = (3, 6)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Check the image's tag. torch uses the v2 API through python-etcd, with both backends, etcd and etcd-v2."""
    launch = context.spec.launch
    if not isinstance(launch, Torchrun) or not launch.rendezvous.etcd_image:
        return
    managed, image = launch.rendezvous.node.get("managed"), launch.rendezvous.etcd_image
    assert isinstance(managed, Mapping)
    where, image_tag = managed.where("image"), tag(image)
    numbers = re.match(r"v?(\d+)\.(\d+)", image_tag or "")
    help_ = f"use 3.5, like {IMAGE}"
    if numbers and (int(numbers[1]), int(numbers[2])) >= GONE and "etcd" in image.rpartition("/")[2]:
        message = f"etcd {numbers[1]}.{numbers[2]} has no v2 API, which torchrun requires: the server exits at once"
        yield error(codes.ETCD_TOO_NEW, message, where, help=help_)
    elif image_tag in (None, LATEST) and "@" not in image:
        reason = "no tag" if image_tag is None else "the tag `latest`"
        message = f"etcd image with {reason} may lack the v2 API, which torchrun requires"
        yield warning(codes.ETCD_TOO_NEW, message, where, help=help_)
