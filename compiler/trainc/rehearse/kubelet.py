"""The life of a pod, as the kubelet leads it: init containers, containers, restarts, probes, an end in good order.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
"""

from __future__ import annotations

import math
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.rehearse import linux
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.containers import start_container
from trainc.rehearse.pod import ContainerStatus, Pod
from trainc.rehearse.probes import watch
from trainc.rehearse.process import Process
from trainc.rehearse.sandbox import Sandbox
from trainc.rehearse.unsupported import containers_without_command
from trainc.rehearse.volumes import Volumes

# https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy
_FIRST_WAIT, _LONGEST_WAIT, _FORGET_AFTER = 10.0, 300.0, 600.0
_GRACE = 30


class Kubelet:
    """Of one pod."""

    def __init__(self, cluster: Cluster, pod: Pod) -> None:
        self.cluster, self.pod = cluster, pod
        self.policy = text(pod.definition.spec, "restartPolicy") or "Always"
        self.sandbox: Sandbox
        self.volumes: Volumes

    def run(self) -> None:
        """Until the pod is gone."""
        cluster, pod = self.cluster, self.pod
        try:
            delay = self._wait_for_room()
            self.sandbox = Sandbox(pod.definition, pod.number)
            scratch = cluster.scratch / "pods" / pod.uid
            with cluster.lock:
                pod.ip = self.sandbox.ip
            self._be_known_later()
            self.volumes = Volumes(pod.definition, cluster.known(pod), scratch, cluster.scratch / "shared")
            if delay:
                cluster.report("pod-pending", pod, text=f"its image comes in {delay:g} s", reason="ContainerCreating")
                cluster.sleep(delay, lambda: pod.deleting)
            if not pod.deleting and self._initialise():
                self._work()
            self._end()
        except OSError as problem:
            cluster.report("note", pod, text=f"the pod can't be made here: {problem}")
            self._over("Failed", "CreatePodSandboxError")
        cluster.sleep(None, lambda: pod.deleting)
        self._remove()

    def _wait_for_room(self) -> float:
        """Seconds by which its image is late, once it has a node."""
        cluster, pod = self.cluster, self.pod
        delay = 0.0 if pod.server else cluster.delays.pop(pod.definition.index, 0.0)
        if delay != math.inf:
            return delay
        pod.has_room = False
        cluster.report("pod-pending", pod, text="there is no room for it yet", reason="Unschedulable")
        cluster.sleep(None, lambda: pod.has_room or pod.deleting)
        return 0.0

    def _be_known_later(self) -> None:
        late = 0.0 if self.pod.server else self.cluster.dns_delays.get(f"\0{self.pod.definition.index}", 0.0)
        if not late:
            return
        self.pod.known = False

        def learn() -> None:
            self.cluster.sleep(late)
            self.pod.known = True

        threading.Thread(target=learn, daemon=True).start()

    def _runnable(self, field: str) -> list[Object]:
        """Without those whose program only their image knows."""
        unknown = containers_without_command(self.pod.definition)
        for one in unknown:
            if one in items(self.pod.definition.spec, field):
                self.cluster.report(
                    "note", self.pod, text(one, "name"), "only its image knows its program: it isn't run"
                )
        return [one for one in items(self.pod.definition.spec, field) if one not in unknown]

    def _initialise(self) -> bool:
        """One after another, each until it has succeeded; whether all have."""
        for given in self._runnable("initContainers"):
            sidecar = text(given, "restartPolicy") == "Always"
            status = ContainerStatus(given, sidecar)
            self.pod.statuses.append(status)
            if sidecar:
                threading.Thread(target=self._keep, args=(status, "Always"), daemon=True).start()
                self.cluster.sleep(None, lambda one=status: one.started or self.pod.deleting)  # type: ignore[misc]
                continue
            self._keep(status, "Never" if self.policy == "Never" else "OnFailure", init=True)
            if status.exit_code != 0:
                return False
            if self.pod.deleting:
                return False
        return True

    def _work(self) -> None:
        """All containers at once, until none of them is started again."""
        statuses = [ContainerStatus(given) for given in self._runnable("containers")]
        with self.cluster.lock:
            self.pod.statuses += statuses
            self.pod.phase = "Running"
        threads = [threading.Thread(target=self._keep, args=(one, self.policy), daemon=True) for one in statuses]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _keep(self, status: ContainerStatus, policy: str, init: bool = False) -> None:
        """Run a container as often as its policy says."""
        cluster, pod, wait = self.cluster, self.pod, _FIRST_WAIT
        while not pod.deleting:
            began = cluster.now
            process = start_container(cluster, pod, status, self.sandbox, self.volumes)
            with cluster.lock:
                status.process, late = process, pod.deleting
            if late:  # deleted meanwhile, when there was nothing to stop yet
                threading.Thread(target=self._stop, args=(process, status, pod.grace), daemon=True).start()
            status.started = not mapping(status.given, "startupProbe")
            kind = "init-started" if init else "container-restarted" if status.restarts else "container-started"
            cluster.report(kind, pod, status.name, restarts=status.restarts)
            if not init:
                watch(cluster, pod, status, self.look)
            self.look()
            code, number = process.wait()
            with cluster.lock:
                status.exit_code, status.ready = code, False
                status.started = status.started and status.sidecar
                cluster.report("container-exited", pod, status.name, exit_code=code, signal=number, init=init)
                self.look()
            if pod.deleting or policy == "Never" or (policy == "OnFailure" and code == 0):
                break
            if status.sidecar and self._all_else_over():
                break
            if cluster.now - began > _FORGET_AFTER:
                wait = _FIRST_WAIT
            cluster.sleep(wait / cluster.settings.pace, lambda: pod.deleting)
            wait = min(2 * wait, _LONGEST_WAIT)
            status.restarts += 1
        status.over = True

    def _all_else_over(self) -> bool:
        return all(one.over for one in self.pod.statuses if not one.sidecar)

    def look(self) -> None:
        """Whether the pod is ready is whether all its containers are."""
        with self.cluster.lock:
            running = [one for one in self.pod.statuses if one.given in listed(self.pod.definition.spec, "containers")]
            ready = bool(running) and all(one.ready for one in running)
            if ready != self.pod.ready:
                self.pod.ready = ready
                self.cluster.report("pod-ready" if ready else "pod-unready", self.pod)

    def _end(self) -> None:
        """Sidecars go last. The pod has succeeded if each of its containers has."""
        for one in reversed([one for one in self.pod.statuses if one.sidecar]):
            one.over = True
            self._stop(one.process, one, _GRACE)
        ends = [one for one in self.pod.statuses if not one.sidecar]
        done = [one for one in ends if one.given in listed(self.pod.definition.spec, "containers")]
        good = bool(done) and all(one.exit_code == 0 for one in ends)
        if self.pod.phase not in ("Succeeded", "Failed"):
            self._over("Succeeded" if good else "Failed", "" if good else "Error")

    def _over(self, phase: str, reason: str) -> None:
        with self.cluster.lock:
            pod = self.pod
            pod.phase, pod.reason, pod.ready, pod.ended = phase, pod.reason or reason, False, self.cluster.now
            what = f"pod-{phase.lower()}"
            self.cluster.report(what, pod, text=pod.reason, reason=pod.reason, exit_code=pod.exit_code)

    def _stop(self, process: Process | None, status: ContainerStatus, grace: float) -> None:
        """preStop, SIGTERM to the first process, SIGKILL after the grace period, which includes preStop."""
        if process is None or not process.runs:
            return
        until = self.cluster.now + grace
        hook = mapping(status.given, "lifecycle", "preStop")
        if grace and hook:
            words = list(map(str, listed(hook, "exec", "command")))
            if words:
                process.execute(words, status.env, grace)
            self.cluster.sleep(min(grace, number(hook, "sleep", "seconds") or 0), lambda: not process.runs)
        if grace:
            process.send(_signal(text(status.given, "lifecycle", "stopSignal")))
            _until(self.cluster, lambda: not process.runs, until)
        if process.runs:
            if grace:
                self.cluster.report("note", self.pod, status.name, f"it is still there after {grace:g} s: SIGKILL")
            process.kill()

    def delete(self, grace: float | None, disrupted: bool = False) -> None:
        """`kubectl delete pod`; returns at once."""
        with self.cluster.lock:
            pod = self.pod
            if pod.gone or (pod.deleting and grace is None):
                return
            pod.disrupted = pod.disrupted or disrupted
            own = number(pod.definition.spec, "terminationGracePeriodSeconds")
            pod.grace = grace if grace is not None else float(_GRACE if own is None else own)
            first = not pod.deleting
            pod.deleting = True
            self.cluster.changed.notify_all()
            if pod.grace == 0:
                for one in pod.statuses:
                    if one.process:
                        one.process.kill()
            elif first:
                for one in pod.statuses:
                    if not one.sidecar:
                        threading.Thread(target=self._stop, args=(one.process, one, pod.grace), daemon=True).start()

    def _remove(self) -> None:
        pod = self.pod
        with self.cluster.lock:
            pod.gone, pod.ready = True, False
            self.cluster.report("pod-deleted", pod)
        if hasattr(self, "sandbox"):
            self.sandbox.close()
        folder = self.cluster.scratch / "pods" / pod.uid
        _forget(folder)


def _forget(folder: Path) -> None:
    for volume in (folder / "volumes").glob("*"):
        if volume.is_mount():
            linux.unmount(str(volume))
    shutil.rmtree(folder, ignore_errors=True)


def _until(cluster: Cluster, done: Callable[[], bool], end: float) -> None:
    while not done() and cluster.now < end:
        cluster.sleep(0.05, done)


def _signal(name: str) -> int:
    return int(getattr(signal, name, signal.SIGTERM)) if name else int(signal.SIGTERM)
