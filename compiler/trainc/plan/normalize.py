"""Normalize run ids and host names before comparing plans."""

from __future__ import annotations

import re

from trainc.plan.plan import Plan
from trainc.plan.process_env import fqdn

RUN_ID = "‹run id›"
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")


def normalize(text: str, plan: Plan, variable: str = "") -> str:
    """Replace run ids and host names; `variable` is the name of the variable whose value the text is.

    Only a Job has a uid for each run. Elsewhere the id is the job's name, which counts as an id only where nothing else
    can have it: alone in a variable for the id, or in `--rdzv_id` where an image's entrypoint is the launcher.
    """
    if plan.workers:
        text = text.replace("-‹random›", "")
        uid = plan.workers[0].pod.labels.get("batch.kubernetes.io/controller-uid", "")
        text = text.replace(uid, RUN_ID) if uid else text
    if variable in ("TRAINC_RUN_ID", "PET_RDZV_ID"):
        return RUN_ID if text == plan.name else text
    return _normalize_hosts(text.replace(f"--rdzv_id={plan.name}", f"--rdzv_id={RUN_ID}"), plan)


def _normalize_hosts(text: str, plan: Plan) -> str:
    """Replace `demo-0`, `demo-0.demo` and `demo-worker-0` by the worker's place in the order of ranks."""
    for domain in {fqdn(worker.pod).removeprefix(worker.pod.hostname) for worker in plan.workers[:1]} - {""}:
        text = text.replace(domain, "")
    if not any(worker.pod.hostname in text for worker in plan.workers):
        return text
    hosts = {
        name: f"‹worker {index}›"
        for index, pod in enumerate(worker.pod for worker in plan.workers)
        for name in (pod.hostname, f"{pod.hostname}.{pod.subdomain}")
    }
    return _HOST.sub(lambda match: hosts.get(match[0], match[0]), text)
