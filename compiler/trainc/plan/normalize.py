"""Texts of a plan without what a back end alone decides: the run's id, and what the workers are called."""

from __future__ import annotations

import re

from trainc.plan.plan import Plan
from trainc.plan.process_env import fqdn

RUN = "‹the run's id›"
_ID = f"--rdzv_id={RUN}"  # where an image's entrypoint is the launcher
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")


def normalize(text: str, plan: Plan, name: str = "") -> str:
    """Without the run's id, which elsewhere is the job's name, alone in the variable `name`; hosts as workers."""
    for given, instead in _runs(plan):
        text = text.replace(given, instead)
    if name in ("TRAINC_RUN_ID", "PET_RDZV_ID"):  # no host, though it may look like one
        return RUN if text == plan.name else text
    return _hosts(text.replace(f"--rdzv_id={plan.name}", _ID), plan)


def _runs(plan: Plan) -> list[tuple[str, str]]:
    """What only a Job has in the names of its pods and for the run, and what to compare instead."""
    if not plan.workers:
        return []
    run = plan.workers[0].pod.labels.get("batch.kubernetes.io/controller-uid", "")
    return [("-‹random›", "")] + ([(run, RUN)] if run else [])


def _hosts(text: str, plan: Plan) -> str:
    """`demo-0`, `demo-0.demo` and `demo-worker-0` are the same worker in the order of ranks."""
    for tail in {fqdn(one.pod).removeprefix(one.pod.hostname) for one in plan.workers[:1]} - {""}:
        text = text.replace(tail, "")
    if not any(one.pod.hostname in text for one in plan.workers):
        return text
    known = {}
    for number, one in enumerate(plan.workers):
        for name in (one.pod.hostname, f"{one.pod.hostname}.{one.pod.subdomain}"):
            known[name] = f"‹worker {number}›"
    return _HOST.sub(lambda found: known.get(found[0], found[0]), text)
