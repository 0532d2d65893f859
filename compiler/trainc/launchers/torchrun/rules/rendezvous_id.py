"""A rendezvous on a server that remembers the end of an earlier run by its name."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.ir.env import PodFact
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.rendezvous",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun closes a rendezvous at its end and etcd keeps that for two hours: a second run ended at once with
    RendezvousClosedError (torch 2.15, etcd 3.4). c10d's store goes with its run.

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
    message = f"a second run within two hours finds the rendezvous `{name}` closed by the first, and fails"
    help_ = "leave rendezvous.id out: it is then the Job's UID"
    if isinstance(once, str):
        help_ = "use the back end job, which has a new name for each run, or `managed: true` and delete the server, too"
    yield warning(codes.RENDEZVOUS_ID_REUSED, message, where, help=help_)
