"""Simulated kubelet: runs the init containers, containers, restarts and deletion of one pod.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
"""

from __future__ import annotations

import math
import shutil
import signal
import threading
from pathlib import Path

from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.rehearse import linux
from trainc.rehearse.cluster import Cluster
from trainc.rehearse.containers import start_container
from trainc.rehearse.pod import ContainerStatus, Pod
from trainc.rehearse.probes import start_probes
from trainc.rehearse.process import Process
from trainc.rehearse.sandbox import Sandbox
from trainc.rehearse.unsupported import containers_without_command
from trainc.rehearse.volumes import Volumes
from trainc.well_known import GRACE_PERIOD

# https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy
_FIRST_BACKOFF, _MAX_BACKOFF, _BACKOFF_RESET = 10.0, 300.0, 600.0


class Kubelet:
    """Kubelet of one pod."""

    def __init__(self, cluster: Cluster, pod: Pod) -> None:
        self.cluster, self.pod, self.spec = cluster, pod, pod.definition.spec
        self.policy = text(self.spec, "restartPolicy") or "Always"
        self.sandbox: Sandbox
        self.volumes: Volumes

    def run(self) -> None:
        """Run the pod until it is gone."""
        cluster, pod = self.cluster, self.pod
        try:
            delay = self._wait_until_scheduled()
            self.sandbox = Sandbox(pod.definition, pod.number)
            with cluster.lock:
                pod.ip = self.sandbox.ip
            self._delay_dns()
            self._scratch.mkdir(parents=True)
            shared = cluster.scratch / "shared"
            self.volumes = Volumes(pod.definition, cluster.runtime_values(pod), self._scratch, shared)
            if delay:
                cluster.report("pod-pending", pod, text=f"image pull takes {delay:g} s", reason="ContainerCreating")
                cluster.sleep(delay, lambda: pod.deleting)
            if not pod.deleting and self._run_init_containers():
                self._run_containers()
            self._finish()
        except OSError as problem:
            cluster.report("note", pod, text=f"can't create the pod: {problem}")
            self._set_phase("Failed", "CreatePodSandboxError")
        cluster.sleep(None, lambda: pod.deleting)
        self._remove()

    @property
    def _scratch(self) -> Path:
        return self.cluster.scratch / "pods" / self.pod.uid

    def _wait_until_scheduled(self) -> float:
        """Wait for a node; return the seconds that the image pull takes on it."""
        cluster, pod = self.cluster, self.pod
        delay = 0.0 if pod.server else cluster.delays.pop(pod.definition.index, 0.0)
        if delay != math.inf:
            return delay
        pod.is_schedulable = False
        cluster.report("pod-pending", pod, text="no node has room for it", reason="Unschedulable")
        cluster.sleep(None, lambda: pod.is_schedulable or pod.deleting)
        return 0.0

    def _delay_dns(self) -> None:
        delay = 0.0 if self.pod.server else self.cluster.dns_delays.get(f"\0{self.pod.definition.index}", 0.0)
        if not delay:
            return
        self.pod.in_dns = False

        def add_to_dns() -> None:
            self.cluster.sleep(delay)
            self.pod.in_dns = True

        threading.Thread(target=add_to_dns, daemon=True).start()

    def _runnable(self, field: str) -> list[Object]:
        """Return the containers of a field, without those whose command is only in their image."""
        unknown = containers_without_command(self.pod.definition)
        for container in items(self.spec, field):
            if container in unknown:
                message = "not run: its command is only in its image"
                self.cluster.report("note", self.pod, text(container, "name"), message)
        return [container for container in items(self.spec, field) if container not in unknown]

    def _run_init_containers(self) -> bool:
        """Run each init container until it has succeeded; return whether all have."""
        for container in self._runnable("initContainers"):
            sidecar = text(container, "restartPolicy") == "Always"
            status = ContainerStatus(container, sidecar)
            self.pod.statuses.append(status)
            if sidecar:
                threading.Thread(target=self._run_container, args=(status, "Always"), daemon=True).start()
                self._wait_for_start(status)
                continue
            self._run_container(status, "Never" if self.policy == "Never" else "OnFailure", init=True)
            if status.exit_code != 0 or self.pod.deleting:
                return False
        return True

    def _wait_for_start(self, status: ContainerStatus) -> None:
        self.cluster.sleep(None, lambda: status.started or self.pod.deleting)

    def _run_containers(self) -> None:
        """Run all containers in parallel until none of them restarts."""
        statuses = [ContainerStatus(container) for container in self._runnable("containers")]
        with self.cluster.lock:
            self.pod.statuses += statuses
            self.pod.phase = "Running"
        threads = [
            threading.Thread(target=self._run_container, args=(status, self.policy), daemon=True) for status in statuses
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _run_container(self, status: ContainerStatus, policy: str, init: bool = False) -> None:
        """Run a container and restart it as its policy says."""
        cluster, pod, backoff = self.cluster, self.pod, _FIRST_BACKOFF
        while not pod.deleting:
            started_at = cluster.now
            process = start_container(cluster, pod, status, self.sandbox, self.volumes)
            with cluster.lock:
                status.process, is_late = process, pod.deleting
            if is_late:  # the deletion saw no process to stop
                threading.Thread(target=self._stop, args=(process, status, pod.grace), daemon=True).start()
            status.started = not mapping(status.manifest, "startupProbe")
            kind = "init-started" if init else "container-restarted" if status.restarts else "container-started"
            cluster.report(kind, pod, status.name, restarts=status.restarts)
            if not init:
                start_probes(cluster, pod, status, self.update_readiness)
            self.update_readiness()
            code, signal_number = process.wait()
            with cluster.lock:
                status.exit_code, status.ready = code, False
                status.started = status.started and status.sidecar
                cluster.report("container-exited", pod, status.name, exit_code=code, signal=signal_number, init=init)
                self.update_readiness()
            if pod.deleting or policy == "Never" or (policy == "OnFailure" and code == 0):
                break
            if status.sidecar and all(other.finished for other in pod.statuses if not other.sidecar):
                break
            if cluster.now - started_at > _BACKOFF_RESET:
                backoff = _FIRST_BACKOFF
            process.discard()
            cluster.sleep(backoff / cluster.settings.pace, lambda: pod.deleting)
            backoff = min(2 * backoff, _MAX_BACKOFF)
            status.restarts += 1
        status.finished = True

    def update_readiness(self) -> None:
        """Set the pod ready if all its containers are."""
        with self.cluster.lock:
            statuses = [status for status in self.pod.statuses if self._is_main(status)]
            ready = bool(statuses) and all(status.ready for status in statuses)
            if ready != self.pod.ready:
                self.pod.ready = ready
                self.cluster.report("pod-ready" if ready else "pod-unready", self.pod)

    def _is_main(self, status: ContainerStatus) -> bool:
        return status.manifest in listed(self.spec, "containers")

    def _finish(self) -> None:
        """Stop the sidecars, last started first, and set the pod's phase from its containers' exit codes."""
        for status in reversed([status for status in self.pod.statuses if status.sidecar]):
            status.finished = True
            self._stop(status.process, status, GRACE_PERIOD)
        statuses = [status for status in self.pod.statuses if not status.sidecar]
        succeeded = any(map(self._is_main, statuses)) and all(status.exit_code == 0 for status in statuses)
        if self.pod.phase not in ("Succeeded", "Failed"):
            self._set_phase("Succeeded" if succeeded else "Failed", "" if succeeded else "Error")

    def _set_phase(self, phase: str, reason: str) -> None:
        with self.cluster.lock:
            pod = self.pod
            pod.phase, pod.reason, pod.ready = phase, pod.reason or reason, False
            kind = f"pod-{phase.lower()}"
            self.cluster.report(kind, pod, text=pod.reason, reason=pod.reason, exit_code=pod.exit_code)

    def _stop(self, process: Process | None, status: ContainerStatus, grace: float) -> None:
        """Run preStop and send SIGTERM to the first process; send SIGKILL after the grace period, preStop included."""
        if process is None or not process.runs:
            return
        end = self.cluster.now + grace
        hook = mapping(status.manifest, "lifecycle", "preStop")
        if grace and hook:
            command = list(map(str, listed(hook, "exec", "command")))
            if command:
                process.execute(command, grace)
            self.cluster.sleep(min(grace, number(hook, "sleep", "seconds") or 0), lambda: not process.runs)
        if grace:
            process.send(_signal(text(status.manifest, "lifecycle", "stopSignal")))
            while process.runs and self.cluster.now < end:
                self.cluster.sleep(0.05, lambda: not process.runs)
        if process.runs:
            if grace:
                message = f"SIGKILL: still running after its grace period of {grace:g} s"
                self.cluster.report("note", self.pod, status.name, message)
            process.kill()

    def delete(self, grace: float | None, disrupted: bool = False) -> None:
        """Delete the pod like `kubectl delete pod`, without waiting."""
        with self.cluster.lock:
            pod = self.pod
            if pod.gone or (pod.deleting and grace is None):
                return
            pod.disrupted = pod.disrupted or disrupted
            own_grace = number(self.spec, "terminationGracePeriodSeconds")
            pod.grace = grace if grace is not None else float(GRACE_PERIOD if own_grace is None else own_grace)
            is_first = not pod.deleting
            pod.deleting = True
            self.cluster.changed.notify_all()
            for status in pod.statuses:
                if pod.grace == 0 and status.process:
                    status.process.kill()
                elif pod.grace and is_first and not status.sidecar:
                    arguments = (status.process, status, pod.grace)
                    threading.Thread(target=self._stop, args=arguments, daemon=True).start()

    def _remove(self) -> None:
        pod = self.pod
        with self.cluster.lock:
            pod.gone, pod.ready = True, False
            self.cluster.report("pod-deleted", pod)
        if hasattr(self, "sandbox"):
            self.sandbox.close()
        for volume in (self._scratch / "volumes").glob("*"):
            if volume.is_mount():
                linux.unmount(str(volume))
        shutil.rmtree(self._scratch, ignore_errors=True)


def _signal(name: str) -> int:
    return int(getattr(signal, name, signal.SIGTERM)) if name else int(signal.SIGTERM)
