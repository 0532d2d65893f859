"""The first process of a rehearsal's namespaces: when it ends, the kernel takes all pods, mounts and links with it.

    python -m trainc.rehearse.supervisor

Reads orders and tells what happens, each a line of JSON. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trainc.plan.fields import Object, text
from trainc.plan.operators import native_objects
from trainc.rehearse import api_server, dns, linux, network
from trainc.rehearse.cluster import Cluster, Settings
from trainc.rehearse.controller import Controller
from trainc.rehearse.controllers import controllers
from trainc.rehearse.kubelet import Kubelet
from trainc.rehearse.pod import Pod
from trainc.rehearse.ranks import find_ranks

# A folder that every Linux has and that no program or virtual environment is in. It is ours in our mount namespace.
SCRATCH = Path("/dev/shm")  # noqa: S108
_PATIENCE = 5.0  # seconds in which a process may still come


class Supervisor:
    """Carries out orders."""

    def __init__(self, objects: list[Object], settings: Settings) -> None:
        self.cluster = Cluster(native_objects(objects), settings, SCRATCH, tell)
        self.controllers: list[Controller] = controllers(objects, self.cluster)

    def start(self, delays: dict[str, float], dns_delays: dict[str, float]) -> None:
        """Everything is applied."""
        cluster = self.cluster
        cluster.delays = {int(index): late for index, late in delays.items()}
        cluster.dns_delays = {f"\0{key}" if key.isdecimal() else key: late for key, late in dns_delays.items()}
        if cluster.has_account:
            api_server.serve(cluster.account, cluster.objects, self._scale_one)
        cluster.begin(lambda pod: Kubelet(cluster, pod))
        threading.Thread(target=self._control, daemon=True).start()
        if cluster.settings.silent:
            threading.Thread(target=self._watch_ranks, daemon=True).start()

    def _control(self) -> None:
        while True:
            with self.cluster.lock:
                for one in self.controllers:
                    one.reconcile()
            self.cluster.sleep(0.2)

    def _watch_ranks(self) -> None:
        """Tell of each process that has a rank, and of its end."""
        there: dict[int, Pod] = {}
        while True:
            with self.cluster.lock:
                running = [(pod, one.process) for pod in self.cluster.pods if not pod.gone for one in pod.statuses]
            now = {id_: (pod, told) for pod, one in running if one for id_, told in find_ranks(one.all()).items()}
            for id_ in there.keys() - now.keys():
                self.cluster.report("rank-gone", there.pop(id_), pid=id_)
            for id_, (pod, told) in now.items():
                if id_ not in there:
                    there[id_] = pod
                    self.cluster.report("rank", pod, pid=id_, **told)
            self.cluster.sleep(0.5)

    def kill_process(self, pod: str, target: int | str) -> None:
        """SIGKILL to a rank or to what matches, as soon as it is there."""
        found = self._pod(pod, f"kill_process {target}")
        until = self.cluster.now + _PATIENCE
        while self.cluster.now < until and not found.is_finished:
            running = [one.process for one in found.statuses if one.process]
            hit = [each for process in running for each in _meant(list(process.all()), target)]
            for each in hit:
                os.kill(each, signal.SIGKILL)
            if hit:
                return
            self.cluster.sleep(0.1)
        raise LookupError(f"{pod} has no process {target}")

    def kill_pod(self, pod: str, grace: float | None, evicted: bool) -> None:
        """Delete it."""
        self.cluster.delete(self._pod(pod, f"kill_pod {'now' if grace == 0 else ''}".strip()), grace, evicted)

    def disconnect(self, pod: str) -> None:
        """Its link."""
        network.disconnect(self._pod(pod, "cut").number)

    def reconnect(self, pod: str) -> None:
        """Its link."""
        network.reconnect(self._pod(pod, "mend").number)

    def schedule(self, pod: str) -> None:
        """There is room."""
        self._pod(pod, "arrive").has_room = True
        self.cluster.notify()

    def scale(self, to: int) -> None:
        """What trains."""
        with self.cluster.lock:
            for one in self.controllers:
                if one.runs_workers:
                    one.scale(to)
            self.cluster.report("scaled", to=to)

    def stop(self) -> None:
        """Delete everything."""
        with self.cluster.lock:
            for one in self.controllers:
                one.stop()
            self.cluster.report("fault", text="everything is deleted", action="stop")

    def _scale_one(self, kind: str, name: str, to: int) -> bool:
        """For a pod that asks the API server; whether there is such a thing."""
        with self.cluster.lock:
            for one in self.controllers:
                if kind == f"{text(one.manifest, 'kind').lower()}s" and one.name == name:
                    one.scale(to)
                    self.cluster.report("scaled", to=to)
                    return True
        return False

    def resume(self) -> None:
        """What is suspended."""
        with self.cluster.lock:
            for one in self.controllers:
                one.resume()
            self.cluster.notify()

    def _pod(self, name: str, action: str) -> Pod:
        found = [pod for pod in self.cluster.pods if pod.name == name and not pod.gone]
        if not found:
            raise LookupError(f"there is no pod {name}")
        self.cluster.report("fault", found[-1], text=action, action=action.partition(" ")[0])
        return found[-1]


_telling = threading.Lock()


def tell(what: dict[str, Any]) -> None:
    """A line for the one who rehearses."""
    with _telling:
        os.write(1, (json.dumps(what) + "\n").encode())


def _meant(processes: list[int], target: int | str) -> list[int]:
    """Those that are a rank, or whose command line matches."""
    if isinstance(target, int):
        return [process for process, told in find_ranks(processes).items() if told["rank"] == target]
    return [process for process in processes if re.search(target, _command(process))]


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _broken(failed: threading.ExceptHookArgs) -> None:
    tell({"broken": "".join(traceback.format_exception(failed.exc_type, failed.exc_value, failed.exc_traceback))})


def main() -> None:
    """Reads the settings first."""
    threading.excepthook = _broken
    try:
        linux.keep_mounts_apart()
        linux.mount("tmpfs", str(SCRATCH), "tmpfs", options="mode=755")
        network.open_bridge()
        first = json.loads(sys.stdin.readline())
        supervisor = Supervisor(first["objects"], Settings(first["settings"]))
        dns.serve(network.RESOLVER, supervisor.cluster.lookup)
    except (OSError, ValueError, KeyError) as problem:
        tell({"refused": str(problem)})
        return
    tell({"ready": True})
    _obey(supervisor, sys.stdin)
    os._exit(0)


def _obey(supervisor: Supervisor, orders: Iterable[str]) -> None:
    for line in orders:
        order = json.loads(line)
        work = getattr(supervisor, order.pop("do"))
        threading.Thread(target=_carry_out, args=(supervisor, work, order), daemon=True).start()


def _carry_out(supervisor: Supervisor, work: Any, order: dict[str, Any]) -> None:
    try:
        work(**order)
    except (LookupError, OSError) as problem:
        supervisor.cluster.report("note", text=str(problem))


if __name__ == "__main__":
    main()
