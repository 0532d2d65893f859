"""Rendezvous id that a second run reuses on the same etcd server."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.ir.env import PodFact
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.rendezvous.endpoint",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun closes its rendezvous at exit, and etcd keeps it closed for two hours: a second run failed at once with
    RendezvousClosedError (torch 2.15, etcd 3.4). c10d's store ends with its run.

    https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/elastic/rendezvous/etcd_rendezvous_backend.py
    """
    launch = context.spec.launch
    if not isinstance(launch, Torchrun) or launch.rendezvous.backend not in ("etcd", "etcd-v2"):
        return
    rendezvous, once = launch.rendezvous, context.backend.fact(PodFact.RUN, context.job, 0)
    if rendezvous.endpoint is None or not (rendezvous.id or isinstance(once, str)):
        return
    where = rendezvous.where("id", "endpoint")
    name = rendezvous.id or once
    message = f"a second run within two hours fails: the first run closes rendezvous `{name}`"
    help_ = "remove rendezvous.id: the default is the Job's UID"
    if isinstance(once, str):
        help_ = "use `--backend job`, which has a new id for each run, or `managed: true` and delete the server too"
    yield warning(codes.RENDEZVOUS_ID_REUSED, message, where, help=help_)
