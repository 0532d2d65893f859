"""DeepSpeed's launcher on a worker, and the one that reaches the workers by ssh.

https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from trainc.commandline.argparse import parse
from trainc.commandline.word import Word
from trainc.launchers.deepspeed.options import grammar, node_grammar
from trainc.launchers.ports import MASTER_PORT
from trainc.plan.fields import Object, items, mapping, text
from trainc.plan.launch.worker_launch import WorkerLaunch
from trainc.plan.pods import Pod

MODULE = "deepspeed.launcher.launch"
# https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, _parse_hostfile
_HOST = re.compile(r"^(\S+)\s+slots=(\d+)", re.MULTILINE)


def direct(argv: Sequence[str]) -> WorkerLaunch | None:
    """`python -m deepspeed.launcher.launch`, which every pod starts itself."""
    if MODULE not in argv:
        return None
    words = argv[list(argv).index(MODULE) + 1 :]
    parsed = parse(node_grammar(), [Word(text=word) for word in words])
    given = {name: one.value.text for name, one in parsed.options.items() if one.value is not None}
    wrong = []
    if parsed.problem:
        wrong.append(f"DeepSpeed's launcher ends: its argument {parsed.problem.word.text} is {parsed.problem.why}")
    found = _world(given.get("world_info", ""))
    hosts = found or ()
    if found is None:
        wrong.append("DeepSpeed's launcher ends: its world_info can't be read")
    rank = _int(given.get("node_rank", "0"))
    if rank is None:
        wrong.append(f"DeepSpeed's launcher ends: its node_rank is {given.get('node_rank')!r}, which is no number")
    flags = parsed.options
    before = ["python", "-u", "-m"] if "module" in flags else [] if "no_python" in flags else ["python", "-u"]
    program = [word.text for word in parsed.program]
    local = [] if "no_local_rank" in flags else ["--local_rank=‹local rank›"]
    return WorkerLaunch(
        launcher="deepspeed",
        program=(*before, *program[:1], *local, *program[1:]),
        processes=hosts[rank][1] if rank is not None and rank < len(hosts) else None,
        nodes=(len(hosts), len(hosts)) if hosts else None,
        node_rank=rank,
        world=sum(slots for _, slots in hosts) if hosts else None,
        rendezvous_host=given.get("master_addr", "127.0.0.1"),
        port=_int(given.get("master_port", str(MASTER_PORT))),
        slots=hosts,
        errors=tuple(wrong),
    )


def by_ssh(argv: Sequence[str], pod: Pod, objects: list[Object]) -> WorkerLaunch | None:
    """The program of a ConfigMap that runs sshd on all workers, and on worker 0 the deepspeed command."""
    data = _folder(argv, pod, objects)
    if data is None or "--" not in argv:
        return None
    at = next(place for place, word in enumerate(argv) if word.endswith("/start.py"))
    cut = list(argv).index("--", at)
    head, words = list(argv[at + 1 : cut]), list(argv[cut + 1 :])
    rank, _, kind = (*head[:3], "", "", "")[:3]
    hosts = [(name, int(slots)) for name, slots in _HOST.findall(text(data, "hostfile"))]
    given = dict(word[2:].split("=", 1) for word in head[3:] if word.startswith("--") and "=" in word)
    before = {"python": ["python", "-u"], "module": ["python", "-u", "-m"]}.get(kind, [])
    local = [] if "--no_local_rank" in head else ["--local_rank=‹local rank›"]
    mine = _int(rank)
    return WorkerLaunch(
        launcher="deepspeed",
        ssh=True,
        program=(*before, *words[:1], *local, *words[1:]),
        processes=hosts[mine][1] if mine is not None and mine < len(hosts) else None,
        nodes=(len(hosts), len(hosts)) if hosts else None,
        node_rank=mine,
        world=sum(slots for _, slots in hosts) if hosts else None,
        rendezvous_host=given.get("master_addr", ""),
        port=_int(given.get("master_port", str(MASTER_PORT))),
        slots=tuple(hosts),
    )


def by_operator(pod: Pod, objects: list[Object]) -> WorkerLaunch:
    """The deepspeed command that an operator starts on one pod, with a hostfile of all."""
    files = (
        text(one, "data", "hostfile") for one in objects if text(one, "kind") == "ConfigMap" and text(one, "createdBy")
    )
    hosts = tuple((name, int(slots)) for name, slots in _HOST.findall(next(files, "")))
    if pod.start_command[0] != "deepspeed":
        return WorkerLaunch(launcher="none", program=pod.start_command)
    parsed = parse(grammar(), [Word(text=word) for word in pod.start_command[1:]])
    given = {name: one.value.text for name, one in parsed.options.items() if one.value is not None}
    wrong = []
    if parsed.problem:
        wrong.append(f"the deepspeed command ends: its argument {parsed.problem.word.text} is {parsed.problem.why}")
    flags, words = parsed.options, [word.text for word in parsed.program]
    own = ["python", "-u", "-m"] if "module" in flags else ["python", "-u"]
    before = [] if "no_python" in flags or "autotuning" in flags else own
    local = [] if "no_local_rank" in flags else ["--local_rank=‹local rank›"]
    mine = next((rank for rank, (name, _) in enumerate(hosts) if name == pod.name), None)
    return WorkerLaunch(
        launcher="deepspeed",
        ssh=True,
        program=(*before, *words[:1], *local, *words[1:]),
        processes=hosts[mine][1] if mine is not None else None,
        nodes=(len(hosts), len(hosts)) if hosts else None,
        node_rank=mine,
        world=sum(slots for _, slots in hosts) if hosts else None,
        # The command asks the first host for its address.
        rendezvous_host=given.get("master_addr", hosts[0][0] if hosts else ""),
        port=_int(given.get("master_port", str(MASTER_PORT))),
        slots=hosts,
        errors=tuple(wrong),
    )


def _folder(argv: Sequence[str], pod: Pod, objects: list[Object]) -> Object | None:
    """The ConfigMap that is mounted where the program stands."""
    program = next((word for word in argv if word.endswith("/start.py")), None)
    if program is None:
        return None
    volumes = {text(one, "name"): text(one, "configMap", "name") for one in items(pod.spec, "volumes")}
    for one in items(pod.spec, "containers"):
        for mount in items(one, "volumeMounts"):
            if text(mount, "mountPath").rstrip("/") + "/start.py" == program:
                name = volumes.get(text(mount, "name"), "")
                return next((mapping(thing, "data") for thing in objects if _is(thing, "ConfigMap", name)), None)
    return None


def _is(thing: Object, kind: str, name: str) -> bool:
    return text(thing, "kind") == kind and text(thing, "metadata", "name") == name


@cache  # thousands of pods have the same list, and it is long
def _world(given: str) -> tuple[tuple[str, int], ...] | None:
    """{host: [slot, …]} as JSON in base64; None of what is none."""
    try:
        found: Any = json.loads(base64.urlsafe_b64decode(given))
        return tuple((str(host), len(slots)) for host, slots in found.items())
    except (binascii.Error, ValueError, AttributeError, TypeError, RecursionError):
        return None


def _int(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else None
