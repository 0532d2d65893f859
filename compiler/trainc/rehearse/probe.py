"""Probe: a program that trains nothing. It reports its ranks, joins the process group, all-reduces, and steps on.

It replaces a user's program in any image with torch 1.13 or newer, or with JAX, so it imports nothing of trainc. It
ignores all arguments but a checkpoint path and a share file. Every event is one JSON line in one write, since ranks
share a pipe.
It reads control.json at every step: `finish` makes it exit with 0, `checkpoint_seconds` is how long its checkpoint
takes after SIGTERM, `timeout` is the process group's in seconds, `exit` the rank and code of a process to exit,
`master` the host of rank 0 if no variable has it.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

_E = os.environ
_STARTED = time.time()
_CHECKPOINT = r"--?[\w-]*(?:checkpoint|ckpt)[\w-]*"
_CHECKPOINT_VARIABLE = r"(?=\w+\Z)\w*(?:CHECKPOINT|CKPT)\w*"
_STEP = 0.2  # seconds
_COORDINATOR = "JAX_COORDINATOR_ADDRESS"
# Variable of each field: torchrun's, else those of DeepSpeed's launcher, of Open MPI and of JAX.
_NUMBERS = {
    "rank": ("RANK", "OMPI_COMM_WORLD_RANK", "JAX_PROCESS_ID"),
    "world": ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "JAX_NUM_PROCESSES"),
    "local_rank": ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "JAX_LOCAL_DEVICE_IDS"),
    "local_world": ("LOCAL_WORLD_SIZE", "LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    "node": ("GROUP_RANK", "CROSS_RANK"),
    "restart": ("TORCHELASTIC_RESTART_COUNT",),
}


def control() -> dict[str, Any]:
    """Return the current settings from control.json; empty if there are none."""
    path = _E.get("TRAINC_PROBE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "control.json")
    try:
        with open(path, encoding="utf-8") as file:
            settings = json.load(file)
    except (OSError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}


def report(event: str, **fields: Any) -> None:
    """Print one event, also to the pod's log if the launcher redirects its processes' output to files."""
    values = {"probe": event, "t": round(time.time() - _STARTED, 2), **_IDENTITY, **fields}
    line = (json.dumps(values)[:3900] + "\n").encode()
    with suppress(OSError):
        os.write(1, line)
    if stat.S_ISREG(os.fstat(1).st_mode):
        with suppress(OSError):
            log = os.open("/proc/1/fd/1", os.O_WRONLY)
            os.write(log, line)
            os.close(log)


def _number(env: Mapping[str, str], *names: str) -> int | None:
    return next((int(env[name]) for name in names if env.get(name, "").isdecimal()), None)


def _argument(pattern: str) -> str:
    """Return the value of the first option whose name matches; empty if none does."""
    words = sys.argv[1:]
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if re.fullmatch(pattern, name):
            return value if equals else "".join(words[place + 1 : place + 2])
    return ""


def checkpoint_path() -> str:
    """Return the path in an argument or variable for checkpoints; empty if there is none."""
    paths = (value for name, value in sorted(_E.items()) if re.fullmatch(_CHECKPOINT_VARIABLE, name))
    return _argument(_CHECKPOINT) or next((path for path in paths if path.startswith("/")), "")


_IDENTITY: dict[str, Any] = {"rank": _number(_E, *_NUMBERS["rank"]), "host": socket.gethostname(), "pid": os.getpid()}


def rank_fields(env: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a rank's environment; empty for a process without a rank."""
    numbers = {field: _number(env, *names) for field, names in _NUMBERS.items()}
    fields = {field: number for field, number in numbers.items() if number is not None}
    if "rank" not in fields or "world" not in fields:
        return {}
    host, _, port = env.get(_COORDINATOR, "").rpartition(":")
    return {**fields, "master": env.get("MASTER_ADDR") or host, "port": env.get("MASTER_PORT") or port}


class Shutdown:
    """Shutdown on SIGTERM, handled at once even while the program waits for other ranks."""

    def __init__(self) -> None:
        self.started = False
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.signal(signal.SIGTERM, lambda *_: None)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        threading.Thread(target=self._wait, args=(read_end,), daemon=True).start()

    def _wait(self, read_end: int) -> None:
        while signal.SIGTERM not in os.read(read_end, 64):
            pass
        self.started, since = True, time.time()
        duration = float(control().get("checkpoint_seconds", 0))
        report("sigterm", checkpoint_seconds=duration)
        while time.time() - since < duration:
            time.sleep(max(0, min(0.5, duration - (time.time() - since))))
            report("saving", seconds=round(time.time() - since, 1))
        report("saved", seconds=round(time.time() - since, 1))
        os._exit(0)


class Checkpoint:
    """Step number in a file, if the program has a checkpoint path. Only rank 0 writes it."""

    def __init__(self, path: str) -> None:
        self.path = os.path.join(path, "probe.json") if os.path.isdir(path) else path
        self.written = 0.0

    def read(self) -> int:
        try:
            with open(self.path, encoding="utf-8") as file:
                step = int(json.load(file)["step"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0
        report("resumed", step=step, path=self.path)
        return step

    def write(self, step: int) -> None:
        if not self.path or _IDENTITY["rank"] not in (0, None) or time.time() - self.written < 1:
            return
        try:
            with open(self.path + ".probe", "w", encoding="utf-8") as file:
                json.dump({"step": step}, file)
            os.replace(self.path + ".probe", self.path)
            if not self.written:
                report("checkpoint", step=step, path=self.path)
        except OSError as problem:
            report("checkpoint-failed", path=self.path, reason=problem.strerror)
            self.path = ""
        self.written = time.time()


def _join(dist: Any, seconds: float) -> Any:
    """Join the process group; None for a program that runs alone."""
    timeout = datetime.timedelta(seconds=seconds)
    shared = _argument(r"--share[_-]file")
    if not _E.get("MASTER_ADDR") and shared:
        rank, world = int(_argument("--rank") or _E["RANK"]), int(_argument(r"--world[_-]size") or _E["WORLD_SIZE"])
        _IDENTITY["rank"] = rank
        dist.init_process_group("gloo", init_method="file://" + shared, rank=rank, world_size=world, timeout=timeout)
    elif _E.get("MASTER_ADDR") and _number(_E, "RANK") is not None:
        dist.init_process_group("gloo", timeout=timeout)
    elif (host := _E.get("MASTER_ADDR") or control().get("master")) and rank_fields(_E):  # mpirun sets no RANK
        fields, method = rank_fields(_E), f"tcp://{host}:{_E.get('MASTER_PORT') or 29500}"
        rank, world = fields["rank"], fields["world"]
        dist.init_process_group("gloo", init_method=method, rank=rank, world_size=world, timeout=timeout)
    else:
        return None
    return dist


def _uses_jax() -> bool:
    return _COORDINATOR in _E


def _library() -> Any:
    """Return torch, or what the probe uses of it in a program of JAX."""
    if not _uses_jax():
        # Only the Python of the pods has torch, so mypy may or may not find it.
        import torch.distributed  # type: ignore[import-not-found, unused-ignore]

        return torch
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(
        "jax_group", os.path.join(os.path.dirname(os.path.abspath(__file__)), "jax_group.py")
    )
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    shutdown = Shutdown()
    report("started", **rank_fields(_E))
    library = _library()
    seconds = float(control().get("timeout", 30))
    try:
        group = library.join(seconds) if _uses_jax() else _join(library.distributed, seconds)
        rank, world = (group.get_rank(), group.get_world_size()) if group else (0, 1)
        token = library.tensor([int.from_bytes(os.urandom(3 if _uses_jax() else 6), "big")])
        total = library.tensor([rank + 1])
        if group:
            group.broadcast(token, 0)
            group.all_reduce(total)
        # Rank 0's random token distinguishes worlds of the same size.
        report("world", token=int(token[0]), sum=int(total[0]), **{**rank_fields(_E), "world": world})
        _step(library, group, rank, shutdown)
    except Exception as problem:
        if shutdown.started:
            time.sleep(3600)  # lost its peers while it still writes its checkpoint
        report("failed", reason=(str(problem).splitlines() or [type(problem).__name__])[0][:300])
        os._exit(1)
    report("done")
    os._exit(0)


def _step(library: Any, group: Any, rank: int, shutdown: Shutdown) -> None:
    checkpoint = Checkpoint(checkpoint_path())
    step = checkpoint.read() if checkpoint.path else 0
    reported_at = 0.0
    while True:
        settings = control()
        leaver = settings.get("exit") or {}
        if leaver.get("rank") == rank:
            report("exiting", code=leaver.get("code", 1))
            os._exit(int(leaver.get("code", 1)))
        state = library.tensor([1, 1 if settings.get("finish") else 0, step if rank == 0 else 0])
        if group and not shutdown.started:
            group.all_reduce(state)
            if int(state[0]) != group.get_world_size():
                raise RuntimeError(f"step {step}: {int(state[0])} ranks answered")
        if int(state[1]):
            break
        step = int(state[2]) + 1 if group else step + 1
        checkpoint.write(step)
        if time.time() - reported_at > 2:
            report("step", step=step)
            reported_at = time.time()
        time.sleep(_STEP)
    if group:
        group.barrier()


if __name__ == "__main__":
    main()
