"""Supervisor: first process of a rehearsal's namespaces; when it exits, the kernel removes all pods, mounts and links.

    python -m trainc.rehearse.supervisor

Reads orders and writes events, each a line of JSON. It exits at the end of its input.
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
from trainc.plan.models import native_objects
from trainc.rehearse import api_server, dns, linux, network
from trainc.rehearse.cluster import Cluster, Settings
from trainc.rehearse.controllers import Controller, controllers
from trainc.rehearse.kubelet import Kubelet
from trainc.rehearse.pod import Pod
from trainc.rehearse.ranks import find_ranks

# Every Linux has this directory, and no program or virtual environment is in it. The mount namespace makes it private.
SCRATCH = Path("/dev/shm")  # noqa: S108  private, see above
_PROCESS_TIMEOUT = 5.0  # seconds to wait for a process that is to be killed


class Supervisor:
    """Executes orders; each public method is one."""

    def __init__(self, objects: list[Object], settings: Settings) -> None:
        self.cluster = Cluster(native_objects(objects), settings, SCRATCH, write_message)
        self.controllers: list[Controller] = controllers(objects, self.cluster)

    def start(self, delays: dict[str, float], dns_delays: dict[str, float]) -> None:
        """Apply all manifests."""
        cluster = self.cluster
        cluster.delays = {int(index): seconds for index, seconds in delays.items()}
        cluster.dns_delays = {f"\0{key}" if key.isdecimal() else key: seconds for key, seconds in dns_delays.items()}
        if cluster.has_account:
            api_server.serve(cluster.account, cluster.objects, self._scale_object)
        cluster.begin(lambda pod: Kubelet(cluster, pod))
        threading.Thread(target=self._run_controllers, daemon=True).start()
        if cluster.settings.ranks_from_env:
            threading.Thread(target=self._report_ranks, daemon=True).start()

    def _run_controllers(self) -> None:
        while True:
            with self.cluster.lock:
                for controller in self.controllers:
                    controller.reconcile()
            self.cluster.sleep(0.2)

    def _report_ranks(self) -> None:
        """Report the start and exit of each process that has a rank."""
        known: dict[int, Pod] = {}
        while True:
            with self.cluster.lock:
                containers = [
                    (pod, status.process) for pod in self.cluster.pods if not pod.gone for status in pod.statuses
                ]
            ranks = {
                pid: (pod, rank)
                for pod, container in containers
                if container
                for pid, rank in find_ranks(container.all()).items()
            }
            for pid in known.keys() - ranks.keys():
                self.cluster.report("rank-exited", known.pop(pid), pid=pid)
            for pid, (pod, rank) in ranks.items():
                if pid not in known:
                    known[pid] = pod
                    self.cluster.report("rank", pod, pid=pid, **rank)
            self.cluster.sleep(0.5)

    def kill_process(self, pod: str, target: int | str) -> None:
        """Send SIGKILL to a rank or to matching command lines, as soon as such a process exists."""
        victim = self._find(pod, f"kill_process {target}")
        end = self.cluster.now + _PROCESS_TIMEOUT
        while self.cluster.now < end and not victim.is_finished:
            containers = [status.process for status in victim.statuses if status.process]
            pids = [pid for container in containers for pid in _matching(list(container.all()), target)]
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            if pids:
                return
            self.cluster.sleep(0.1)
        raise LookupError(f"{pod} has no process {target}")

    def kill_pod(self, pod: str, grace: float | None, evicted: bool) -> None:
        """Delete a pod."""
        self.cluster.delete(self._find(pod, f"kill_pod {'now' if grace == 0 else ''}".strip()), grace, evicted)

    def disconnect(self, pod: str) -> None:
        """Cut a pod's link."""
        network.disconnect(self._find(pod, "disconnect").number)

    def reconnect(self, pod: str) -> None:
        """Restore a pod's link."""
        network.reconnect(self._find(pod, "reconnect").number)

    def schedule(self, pod: str) -> None:
        """Make room for an unschedulable pod."""
        self._find(pod, "schedule").is_schedulable = True
        self.cluster.notify()

    def scale(self, to: int) -> None:
        """Scale all workloads that train."""
        with self.cluster.lock:
            for controller in self.controllers:
                if controller.runs_workers:
                    controller.scale(to)
            self.cluster.report("scaled", to=to)

    def delete(self) -> None:
        """Delete all objects."""
        with self.cluster.lock:
            for controller in self.controllers:
                controller.stop()
            self.cluster.report("fault", text="all objects are deleted", action="delete")

    def resume(self) -> None:
        """Resume all suspended objects."""
        with self.cluster.lock:
            for controller in self.controllers:
                controller.resume()
            self.cluster.notify()

    def _scale_object(self, kind: str, name: str, to: int) -> bool:
        """Scale one object for a call of the API server; return whether it exists."""
        with self.cluster.lock:
            for controller in self.controllers:
                if kind == f"{text(controller.manifest, 'kind').lower()}s" and controller.name == name:
                    controller.scale(to)
                    self.cluster.report("scaled", to=to)
                    return True
        return False

    def _find(self, name: str, action: str) -> Pod:
        """Return a pod and report the action on it. Raises LookupError if there is no such pod."""
        pods = [pod for pod in self.cluster.pods if pod.name == name and not pod.gone]
        if not pods:
            raise LookupError(f"there is no pod {name}")
        self.cluster.report("fault", pods[-1], text=action, action=action.partition(" ")[0])
        return pods[-1]


_write_lock = threading.Lock()


def write_message(message: dict[str, Any]) -> None:
    """Write one line to the client."""
    with _write_lock:
        os.write(1, (json.dumps(message) + "\n").encode())


def _matching(pids: list[int], target: int | str) -> list[int]:
    """Return the processes that have a rank, or whose command line matches a regular expression."""
    if isinstance(target, int):
        return [pid for pid, rank in find_ranks(pids).items() if rank["rank"] == target]
    return [pid for pid in pids if re.search(target, _command_line(pid))]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _report_crash(crash: threading.ExceptHookArgs) -> None:
    lines = traceback.format_exception(crash.exc_type, crash.exc_value, crash.exc_traceback)
    write_message({"broken": "".join(lines)})


def main() -> None:
    """Set up the namespaces from the first line of input, then execute orders."""
    threading.excepthook = _report_crash
    try:
        _isolate()
        network.open_bridge()
        first = json.loads(sys.stdin.readline())
        supervisor = Supervisor(first["objects"], Settings(first["settings"]))
        dns.serve(network.RESOLVER, supervisor.cluster.lookup)
    except (OSError, ValueError, KeyError) as problem:
        write_message({"refused": str(problem)})
        return
    write_message({"ready": True})
    _execute_orders(supervisor, sys.stdin)
    os._exit(0)


def _isolate() -> None:
    """Make this machine's files read-only for the supervisor itself, except for a new directory in memory."""
    os.umask(0o022)
    linux.make_mounts_private()
    linux.restrict_mount("/", linux.READ_ONLY | linux.NO_SUID)
    linux.mount("proc", "/proc", "proc", linux.NO_SUID | linux.NO_DEV | linux.NO_EXEC)
    linux.mount("tmpfs", str(SCRATCH), "tmpfs", linux.NO_SUID | linux.NO_DEV, "mode=755")


def _execute_orders(supervisor: Supervisor, orders: Iterable[str]) -> None:
    for line in orders:
        order = json.loads(line)
        method = getattr(supervisor, order.pop("do"))
        threading.Thread(target=_execute, args=(supervisor, method, order), daemon=True).start()


def _execute(supervisor: Supervisor, method: Any, arguments: dict[str, Any]) -> None:
    try:
        method(**arguments)
    except (LookupError, OSError) as problem:
        supervisor.cluster.report("note", text=str(problem))


if __name__ == "__main__":
    main()
