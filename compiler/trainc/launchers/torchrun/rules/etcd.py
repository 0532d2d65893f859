"""etcd servers of the rendezvous: missing, unused, too new, or with a rendezvous that is closed already."""

from __future__ import annotations

import re

from trainc.checks.pod.image import LATEST, tag
from trainc.checks.rule import (
    Diagnostics,
    Help,
    Message,
    Remedy,
    RuleContext,
    codes,
    error,
    put,
    remove,
    replace,
    use_backend,
    warning,
)
from trainc.ir.env import PodFact
from trainc.ir.job import EtcdServer
from trainc.launchers.ports import host_and_port
from trainc.launchers.torchrun.options import ETCD
from trainc.launchers.torchrun.settings import ETCD_IMAGE
from trainc.launchers.torchrun.spec import Rendezvous, Torchrun
from trainc.span import Span
from trainc.spec.section import inside

TRIGGERS = ("launch.torchrun.rendezvous", "launch.torchrun.module")

# First version without the v2 API (--enable-v2): https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/
GONE = (3, 6)
_SERVER = (
    Message("set {launch.torchrun/rendezvous.endpoint}"),
    Message("set `{launch.torchrun/rendezvous.managed: true}`"),
)


def check(context: RuleContext) -> Diagnostics:
    """Check the managed server, or the endpoint of the user's own."""
    launch, lowered = Torchrun.of(context.spec), context.job.launch
    rendezvous, backend = launch.rendezvous, lowered.rendezvous.backend
    is_local = lowered.is_standalone and rendezvous.backend is None
    if rendezvous.managed:
        yield from _unused_server(rendezvous, backend)
    elif backend in ETCD and rendezvous.backend in (None, backend) and not (rendezvous.endpoint or is_local):
        message = f"rendezvous backend `{backend}` requires a server"
        where = rendezvous.where("backend") if launch.has("rendezvous") else launch.where("module")
        yield error(codes.ETCD_WITHOUT_ENDPOINT, message, where, help=_SERVER)
    if rendezvous.etcd_image:
        where = inside(rendezvous.node, "managed").where("image")
        yield from _too_new(rendezvous.etcd_image, where, f"use 3.5, like {ETCD_IMAGE}")
    server = _server(context, rendezvous)
    if server is not None and backend in ETCD:
        yield from _of_input(server)
    is_replaced = server is not None and rendezvous.managed and context.in_own_system
    if backend in ETCD and (rendezvous.endpoint is not None or is_replaced):
        yield from _reused_id(context, rendezvous, server)


def _server(context: RuleContext, rendezvous: Rendezvous) -> EtcdServer | None:
    """Return the server of the endpoint among the objects of the input.

    `managed` of another system's job stands for its server, which trainc would replace.
    """
    host = host_and_port(rendezvous.endpoint or "", 0)[0]
    servers = context.servers if rendezvous.endpoint or (rendezvous.managed and context.in_own_system) else ()
    return next((server for server in servers if not rendezvous.endpoint or server.serves(host)), None)


def _of_input(server: EtcdServer) -> Diagnostics:
    """Check the version and the options of a server in the input."""
    image, where = server.image, server.image.span
    assert where is not None
    diagnostics = list(_too_new(image, where, f"use 3.5, like {ETCD_IMAGE}, with `--enable-v2`"))
    yield from diagnostics
    if not diagnostics and not server.enables_v2 and (tag(image) or "").removeprefix("v").startswith(("3.4", "3.5")):
        message = "this etcd has its v2 API turned off, which torchrun requires"
        yield error(codes.ETCD_TOO_NEW, message, where, help="add `--enable-v2` to its command line")


def _unused_server(rendezvous: Rendezvous, backend: str) -> Diagnostics:
    if backend not in ETCD:
        field = "backend" if rendezvous.has("backend") else "managed"
        message = f"rendezvous backend `{backend}` does not use an etcd server"
        where, place = rendezvous.where(field), rendezvous.span_of("backend")
        remedy = replace(place, "etcd-v2") if place else put("spec.launch.torchrun.rendezvous.backend", "etcd-v2")
        yield error(
            codes.UNUSED_MANAGED_ETCD,
            message,
            where,
            help=Message("use `{launch.torchrun.rendezvous/backend: etcd-v2}`"),
            remedy=remedy,
        )
    elif rendezvous.endpoint:
        other = (rendezvous.where("managed"), "conflicts with this")
        message, where = "the workers use this server instead of the managed one", rendezvous.where("endpoint")
        yield error(codes.UNUSED_MANAGED_ETCD, message, where, help="remove one of them", related=[other])


def _too_new(image: str, where: Span, help_: str) -> Diagnostics:
    """Check an image's tag. torch uses the v2 API through python-etcd, with both backends, etcd and etcd-v2."""
    image_tag = tag(image)
    numbers = re.match(r"v?(\d+)\.(\d+)", image_tag or "")
    if numbers and (int(numbers[1]), int(numbers[2])) >= GONE and "etcd" in image.rpartition("/")[2]:
        message = f"etcd {numbers[1]}.{numbers[2]} has no v2 API, which torchrun requires: the server exits at once"
        yield error(codes.ETCD_TOO_NEW, message, where, help=help_)
    elif image_tag in (None, LATEST) and "@" not in image:
        reason = "no tag" if image_tag is None else "the tag `latest`"
        message = f"etcd image with {reason} may lack the v2 API, which torchrun requires"
        yield warning(codes.ETCD_TOO_NEW, message, where, help=help_)


def _reused_id(context: RuleContext, rendezvous: Rendezvous, server: EtcdServer | None) -> Diagnostics:
    """Report an id that is used again.

    torchrun closes its rendezvous at exit, and etcd keeps it closed for two hours: a second run failed at once with
    RendezvousClosedError (torch 2.15, etcd 3.4). c10d's store ends with its run.

    https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/elastic/rendezvous/etcd_rendezvous_backend.py
    """
    default_id = context.backend.fact(PodFact.RUN, context.job, 0)
    if not rendezvous.id and not isinstance(default_id, str):
        return
    help_: Help = Message("remove {launch.torchrun/rendezvous.id}: the default is the Job's UID")
    remedy: Remedy | None = remove(rendezvous.span_of("id"))
    if context.in_own_system:
        remedy = None
        if server is not None and server.image.span and server.image.span.source is context.job.origin.source:
            return  # in the file of the job, with which it is deleted
        uses_job_name = context.system.names_rendezvous
        default_id = context.job.name if uses_job_name else "none"  # torchrun's default
        help_ = (
            "use a new name for every run"
            if uses_job_name
            else Message("set {launch.torchrun/rendezvous.id} to a new value for every run")
        )
        if rendezvous.id:  # a field or an argument
            help_ = "use a new id for every run"
    message = f"a second run within two hours fails: the first run closes rendezvous `{rendezvous.id or default_id}`"
    if isinstance(default_id, str) and not context.in_own_system:
        by_hand = Message("set `{launch.torchrun.rendezvous/managed: true}`, and delete the server too")
        help_ = (use_backend("job", ", which has a new id for each run"), by_hand)
        remedy = None
    where = rendezvous.where("id", "endpoint", "managed")
    yield warning(codes.RENDEZVOUS_ID_REUSED, message, where, help=help_, remedy=remedy)
