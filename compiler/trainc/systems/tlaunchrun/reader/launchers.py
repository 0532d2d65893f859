"""Translate tlaunchrun's launchers: k8s_launch, k8s_torchrun_launch and k8s_deepspeed_launch of its run.py."""

from __future__ import annotations

import re
from typing import Any

from trainc.source.node import Scalar, Sequence
from trainc.span import Text
from trainc.systems.tlaunchrun.reader.parser import CommandLine, Options, parse_int

_PORT = 8002  # of torchrun's rendezvous; 8001 is TLaunch's own
_BACKENDS = ("c10d", "static", "etcd", "etcd-v2")
# Options with the number of pods.
WORKERS = {"basic": "--num_trainer", "torchrun": "--nnodes", "deepspeed": "--num_nodes"}
# TLaunch never restarts a pod: lp-operator/controllers/lpjob_controller.go
NO_RESTARTS = {"restartPolicy": "Never", "backoffLimit": 0}
# Characters that /bin/sh interprets: TLaunch joins the words with spaces and passes them to a shell.
_SHELL = re.compile(r"""[\s$`"'\\;&|<>()*?\[\]]|^[~#]|^$""")

Fields = dict[str, Any]


def translate_launcher(line: CommandLine, gpus: int) -> Fields:
    """Return launch, run, workers, elastic and lifecycle."""
    for word in line.program:
        if _SHELL.search(word):
            message = "the argument is passed unchanged; tlaunchrun passes it to a shell without quotes"
            line.options.report.add_change(message, word.span)
    launchers = {"basic": _basic, "torchrun": _torchrun, "deepspeed": _deepspeed}
    fields = launchers[line.launcher](line.launcher_options, gpus)
    return {"launch": {line.launcher: fields.pop("launcher")}, "run": {"python": line.program}, **fields}


def _basic(options: Options, gpus: int) -> Fields:
    launcher = {"arguments": {"worldSize": "--world_size", "rank": "--rank"}}
    return {"launcher": launcher, "workers": _more_than_one(options.node("num_trainer", 1)), "lifecycle": NO_RESTARTS}


def _torchrun(options: Options, gpus: int) -> Fields:
    bounds = _bounds(options)
    processes = options.node("nproc_per_node", 1)
    launcher: Fields = {} if processes.value == (gpus or 1) else {"nprocPerNode": processes}
    if bounds is None:
        return {"launcher": launcher}
    minimum, maximum = bounds
    launcher["rendezvous"] = _rendezvous(options, single=maximum == 1)
    span = options.where("nnodes")
    fields: Fields = {"launcher": launcher, "workers": _more_than_one(Scalar(maximum, str(maximum), span))}
    if minimum == maximum:
        return {**fields, "lifecycle": NO_RESTARTS}
    message = "a failed pod is replaced, so that the world can grow again; TLaunch never restarts a pod"
    options.report.add_change(message, span)
    no_autoscaler = Sequence([], span)
    elastic = {Text("minReplicas", span): minimum, "maxReplicas": maximum, "metrics": no_autoscaler}
    return {**fields, "elastic": elastic}


def _bounds(options: Options) -> tuple[int, int] | None:
    """Return the bounds as torchrun parses --nnodes; TLaunch starts as many pods as the last number.

    https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/run.py, parse_min_max_nnodes
    """
    text = options.text("nnodes", "1")
    numbers = [parse_int(part) for part in text.split(":")]
    minimum, maximum = numbers[0], numbers[-1]
    if minimum is None or maximum is None or len(numbers) > 2 or not 0 < minimum <= maximum:
        message = f"invalid number of nodes `{text}`"
        options.report.add_error(message, text.span, expected="a number, or bounds like 1:2")
        return None
    return minimum, maximum


def _rendezvous(options: Options, single: bool) -> Fields | None:
    report, backend, run_id = options.report, options.text("rdzv_backend", "c10d"), None
    options.number("rdzv_id", 1)
    if backend not in _BACKENDS:
        message = f"unknown rendezvous backend `{backend}`"
        report.add_error(message, backend.span, expected=", ".join(_BACKENDS))
        return None
    if single and backend == "c10d" and "rdzv_id" not in options:
        report.add_change(f"a single pod needs no rendezvous at port {_PORT}", options.span)
        return None
    if "rdzv_id" in options:
        run_id = options.text("rdzv_id", "1")
    elif backend != "static":
        report.add_change("each run has its own rendezvous id; with tlaunchrun the id is always 1", options.span)
    if backend == "c10d":
        return {"port": _PORT, "id": run_id}
    if backend == "static":
        report.add_change("each pod has its own node rank; with tlaunchrun all pods have rank 0", backend.span)
        return {"backend": backend, "port": _PORT}
    message = "trainc deploys an etcd with the job; tlaunchrun expects an etcd on worker 0, where none runs"
    report.add_change(message, backend.span)
    return {"backend": backend, "managed": True, "id": run_id}


def _deepspeed(options: Options, gpus: int) -> Fields:
    """Return the documented behavior: deepspeed of 0.0.2 fails before it creates a pod."""
    report = options.report
    message = "tlaunchrun 0.0.2 cannot start deepspeed (it reads args.nnodes); the job does what its manual describes"
    report.add_change(message, options.span)
    nodes, slots = options.node("num_nodes", 1), options.node("num_gpus", gpus or 1)
    if isinstance(nodes.value, int) and nodes.value > 1:
        message = f"the job has {nodes.value} pods, as --num_nodes says; tlaunchrun's code would start one"
        report.add_change(message, nodes.span)
    if "num_gpus" not in options:
        report.add_change("--gpu is also the number of processes, as in tlaunchrun's code", options.span)
    elif slots.value != (gpus or 1):
        report.add_change("--num_gpus is the number of processes; tlaunchrun's code would use --gpu", slots.span)
    launcher = {} if slots.value == (gpus or 1) else {"slotsPerWorker": slots}
    return {"launcher": launcher, "workers": _more_than_one(nodes), "lifecycle": NO_RESTARTS}


def _more_than_one(count: Scalar) -> Scalar | None:
    return None if count.value == 1 else count
