"""The program that trains nothing: it says who it is, meets the others with gloo, adds up, and steps until it is told.

It stands in for a user's program, in any image with torch 1.13 or newer, so it imports nothing of trainc. Whatever
arguments it is given it ignores, but for a checkpoint's path and a share file. Every event is one JSON line in one
write, for ranks share a pipe. `control`, a JSON file, is read at every step: `finish` ends it with 0, `save` is how
many seconds its checkpoint takes after SIGTERM, `timeout` is the process group's in seconds.
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
from contextlib import suppress
from typing import Any

_E = os.environ
_STARTED = time.time()
_CHECKPOINT = r"--?[\w-]*(?:checkpoint|ckpt)[\w-]*"
_STEP = 0.2  # seconds


def control() -> dict[str, Any]:
    """What the rehearsal wants of the program now; nothing where it says nothing."""
    path = _E.get("TRAINC_PROBE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "control.json")
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def say(event: str, **facts: Any) -> None:
    """One line. A launcher that sends its processes' output to files doesn't hide it from the pod's own log."""
    line = (json.dumps({"probe": event, "t": round(time.time() - _STARTED, 2), **_WHO, **facts})[:3900] + "\n").encode()
    with suppress(OSError):
        os.write(1, line)
    if stat.S_ISREG(os.fstat(1).st_mode):
        with suppress(OSError):
            log = os.open("/proc/1/fd/1", os.O_WRONLY)
            os.write(log, line)
            os.close(log)


def _number(*names: str) -> int | None:
    """The first of the variables that is a number; None where none is."""
    return next((int(_E[name]) for name in names if _E.get(name, "").isdecimal()), None)


def _argument(pattern: str) -> str:
    """The value of the first option whose name matches; empty where none does."""
    words = sys.argv[1:]
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if re.fullmatch(pattern, name):
            return value if equals else "".join(words[place + 1 : place + 2])
    return ""


_WHO: dict[str, Any] = {"rank": _number("RANK"), "host": socket.gethostname(), "pid": os.getpid()}


def _facts() -> dict[str, Any]:
    return {
        "local_rank": _number("LOCAL_RANK"),
        "world": _number("WORLD_SIZE"),
        "local_world": _number("LOCAL_WORLD_SIZE", "LOCAL_SIZE"),
        "node": _number("GROUP_RANK", "CROSS_RANK"),
        "master": _E.get("MASTER_ADDR", ""),
        "port": _E.get("MASTER_PORT", ""),
        "restart": _number("TORCHELASTIC_RESTART_COUNT"),
        "most_restarts": _number("TORCHELASTIC_MAX_RESTARTS"),
        "id": _E.get("TORCHELASTIC_RUN_ID", ""),
        "argv": sys.argv[1:],
    }


class Stopping:
    """SIGTERM as it comes, also while the program waits for others: the time it has is what a checkpoint may take."""

    def __init__(self) -> None:
        self.told = False
        reads, writes = os.pipe()
        os.set_blocking(writes, False)
        signal.signal(signal.SIGTERM, lambda *_: None)
        signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
        threading.Thread(target=self._wait, args=(reads,), daemon=True).start()

    def _wait(self, reads: int) -> None:
        while signal.SIGTERM not in os.read(reads, 64):
            pass
        self.told, since = True, time.time()
        save = float(control().get("save", 0))
        say("told", save=save)
        while time.time() - since < save:
            time.sleep(max(0, min(0.5, save - (time.time() - since))))
            say("saving", seconds=round(time.time() - since, 1))
        say("saved", seconds=round(time.time() - since, 1))
        os._exit(0)


class Checkpoint:
    """A step in a file, where the program is given the path of one. Only rank 0 writes."""

    def __init__(self, path: str) -> None:
        self.path = os.path.join(path, "probe.json") if os.path.isdir(path) else path
        self.written = 0.0

    def read(self) -> int:
        try:
            with open(self.path, encoding="utf-8") as file:
                step = int(json.load(file)["step"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0
        say("resumed", step=step, path=self.path)
        return step

    def write(self, step: int) -> None:
        if not self.path or _WHO["rank"] not in (0, None) or time.time() - self.written < 1:
            return
        try:
            with open(self.path + ".probe", "w", encoding="utf-8") as file:
                json.dump({"step": step}, file)
            os.replace(self.path + ".probe", self.path)
            if not self.written:
                say("checkpoint", step=step, path=self.path)
        except OSError as problem:
            say("checkpoint-failed", path=self.path, why=problem.strerror)
            self.path = ""
        self.written = time.time()


def _meet(dist: Any, seconds: float) -> Any:
    """The process group; None for a program that is alone."""
    timeout = datetime.timedelta(seconds=seconds)
    shared = _argument(r"--share[_-]file")
    if not _E.get("MASTER_ADDR") and shared:
        rank, world = int(_argument("--rank") or _E["RANK"]), int(_argument(r"--world[_-]size") or _E["WORLD_SIZE"])
        _WHO["rank"] = rank
        dist.init_process_group("gloo", init_method="file://" + shared, rank=rank, world_size=world, timeout=timeout)
    elif _E.get("MASTER_ADDR") and _WHO["rank"] is not None:
        dist.init_process_group("gloo", timeout=timeout)
    else:
        return None
    return dist


def main() -> None:
    stopping = Stopping()
    say("up", **_facts())
    import torch  # type: ignore[import-not-found, unused-ignore]
    import torch.distributed  # type: ignore[import-not-found, unused-ignore]

    seconds = float(control().get("timeout", 30))
    try:
        group = _meet(torch.distributed, seconds)
        rank, world = (group.get_rank(), group.get_world_size()) if group else (0, 1)
        token = torch.tensor([int.from_bytes(os.urandom(6), "big")])
        total = torch.tensor([rank + 1])
        if group:
            group.broadcast(token, 0)
            group.all_reduce(total)
        facts = {**_facts(), "world": world}
        # Rank 0's number tells one world from another of the same size.
        say("world", token=int(token), total=int(total), meant=world * (world + 1) // 2, **facts)
        _step(torch, group, rank, stopping)
    except Exception as problem:
        if stopping.told:
            time.sleep(3600)  # the others are gone first: the checkpoint is still being written
        say("failed", why=(str(problem).splitlines() or [type(problem).__name__])[0][:300])
        os._exit(1)
    say("done")
    os._exit(0)


def _step(torch: Any, group: Any, rank: int, stopping: Stopping) -> None:
    checkpoint = Checkpoint(_argument(_CHECKPOINT))
    step = checkpoint.read() if checkpoint.path else 0
    said = 0.0
    while True:
        wants = control()
        exits = wants.get("exit") or {}
        if exits.get("rank") == rank:
            say("exits", code=exits.get("code", 1))
            os._exit(int(exits.get("code", 1)))
        both = torch.tensor([1, 1 if wants.get("finish") else 0, step if rank == 0 else 0])
        if group and not stopping.told:
            group.all_reduce(both)
            if int(both[0]) != group.get_world_size():
                raise RuntimeError(f"step {step}: {int(both[0])} ranks answered")
        if int(both[1]):
            break
        step = int(both[2]) + 1 if group else step + 1
        checkpoint.write(step)
        if time.time() - said > 2:
            say("step", step=step)
            said = time.time()
        time.sleep(_STEP)
    if group:
        group.barrier()


if __name__ == "__main__":
    main()
