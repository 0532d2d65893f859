"""What each of tlaunchrun's launchers starts: k8s_launch, k8s_torchrun_launch and k8s_deepspeed_launch of run.py."""

from __future__ import annotations

import re
from typing import Any

from trainc.source.node import Scalar, Sequence
from trainc.span import Text
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.tlaunchrun.reader.parser import CommandLine, Options, parse_int

_PORT = 8002  # of torchrun's rendezvous; 8001 is TLaunch's own
_BACKENDS = ("c10d", "static", "etcd", "etcd-v2")
# TLaunch never starts a pod a second time: lp-operator/controllers/lpjob_controller.go
ONCE = {"restartPolicy": "Never", "backoffLimit": 0}
# What /bin/sh makes something else of: TLaunch joins the words with blanks and has a shell run them.
_SHELL = re.compile(r"""[\s$`"'\\;&|<>()*?\[\]]|^[~#]|^$""")

Fields = dict[str, Any]


def translate_launcher(line: CommandLine, gpus: int, report: TranslationReport) -> Fields:
    """The fields launch, run, workers, elastic and lifecycle, and what goes with the launcher."""
    for word in line.program:
        if _SHELL.search(word):
            report.add_change("the word is passed as it is; tlaunchrun leaves it to a shell, unquoted", word.span)
    fields = {"basic": _basic, "torchrun": _torchrun, "deepspeed": _deepspeed}[line.launcher](line.own, gpus, report)
    options = fields.pop("options")
    return {"launch": {line.launcher: options}, "run": {"python": line.program}, **fields}


def _basic(own: Options, gpus: int, report: TranslationReport) -> Fields:
    return {"options": {}, "workers": _unless_one(own.node("num_trainer", 1)), "lifecycle": ONCE}


def _torchrun(own: Options, gpus: int, report: TranslationReport) -> Fields:
    bounds = _bounds(own, report)
    processes = own.node("nproc_per_node", 1)
    options: Fields = {} if processes.value == (gpus or 1) else {"nprocPerNode": processes}
    if bounds is None:
        return {"options": options}
    least, most = bounds
    options["rendezvous"] = _rendezvous(own, alone=most == 1, report=report)
    span = own.where("nnodes")
    fields: Fields = {"options": options, "workers": _unless_one(Scalar(most, str(most), span))}
    if least == most:
        return {**fields, "lifecycle": ONCE}
    why = "a pod that fails is replaced, so that the world can grow again; TLaunch never starts one a second time"
    report.add_change(why, span)
    nobody = Sequence([], span)  # no autoscaler
    return {**fields, "elastic": {Text("minReplicas", span): least, "maxReplicas": most, "metrics": nobody}}


def _bounds(own: Options, report: TranslationReport) -> tuple[int, int] | None:
    """As torchrun reads --nnodes; TLaunch itself makes as many pods as stand behind the last colon.

    https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/run.py, parse_min_max_nnodes
    """
    text = own.text("nnodes", "1")
    numbers = [parse_int(part) for part in text.split(":")]
    least, most = numbers[0], numbers[-1]
    if least is None or most is None or len(numbers) > 2 or not 0 < least <= most:
        report.add_error(f"`{text}` is no number of nodes", text.span, expected="a number, or bounds like 1:2")
        return None
    return least, most


def _rendezvous(own: Options, alone: bool, report: TranslationReport) -> Fields | None:
    backend, id_ = own.text("rdzv_backend", "c10d"), None
    own.number("rdzv_id", 1)
    if backend not in _BACKENDS:
        report.add_error(f"torchrun has no rendezvous `{backend}`", backend.span, expected=", ".join(_BACKENDS))
        return None
    if alone and backend == "c10d" and "rdzv_id" not in own:
        report.add_change(f"one pod is its own rendezvous, and needs no port {_PORT}", own.span)
        return None
    if "rdzv_id" in own:
        id_ = own.text("rdzv_id", "1")
    elif backend != "static":
        report.add_change("the rendezvous is named after the run; with tlaunchrun every job's is 1", own.span)
    if backend == "c10d":
        return {"port": _PORT, "id": id_}
    if backend == "static":
        report.add_change("each pod is told its number; tlaunchrun leaves it to 0 for all of them", backend.span)
        return {"backend": backend, "port": _PORT}
    report.add_change("an etcd is made with the job; tlaunchrun names worker 0 as one, where none runs", backend.span)
    return {"backend": backend, "managed": True, "id": id_}


def _deepspeed(own: Options, gpus: int, report: TranslationReport) -> Fields:
    """What is documented: the deepspeed of 0.0.2 ends before it has made anything."""
    report.add_change(
        "tlaunchrun 0.0.2 can't start deepspeed (it reads args.nnodes); what is documented is built", own.span
    )
    nodes, slots = own.node("num_nodes", 1), own.node("num_gpus", gpus or 1)
    if isinstance(nodes.value, int) and nodes.value > 1:
        report.add_change(f"{nodes.value} pods are made, as --num_nodes says; tlaunchrun means to make one", nodes.span)
    if "num_gpus" not in own:
        report.add_change("--gpu is also the number of processes, as tlaunchrun means to pass it", own.span)
    elif slots.value != (gpus or 1):
        report.add_change("the number of processes is --num_gpus; tlaunchrun means to pass --gpu", slots.span)
    options = {} if slots.value == (gpus or 1) else {"slotsPerWorker": slots}
    return {"options": options, "workers": _unless_one(nodes), "lifecycle": ONCE}


def _unless_one(count: Scalar) -> Scalar | None:
    return None if count.value == 1 else count
