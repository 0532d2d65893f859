"""Simulated kubelet of some nodes: it sets the pod status that the tests ask for. No container runs.

Behavior that it doesn't simulate isn't tested: a real kubelet decides whether and when a container restarts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address
from itertools import count

from tests.cluster.api import Api, ApiError, Object

CAPACITY = {"cpu": "96", "memory": "1Ti", "ephemeral-storage": "1Ti", "pods": "110", "nvidia.com/gpu": "8"}
FIRST_ADDRESS = IPv4Address("10.244.0.1")
TERMINATED = 143  # exit code of a program that doesn't handle SIGTERM
CREATING = ("ContainerCreating", "")  # reason and message of a waiting container
RENEWAL = 10  # seconds; a node with a lease older than 40 s counts as failed


class Kubelet:
    """Nodes and their pods: each pod runs and is ready until a test changes it."""

    def __init__(self, api: Api, nodes: int) -> None:
        self.api = api
        self.nodes = [f"trainc-node-{number}" for number in range(nodes)]
        self.unready: set[str] = set()  # namespaces whose pods run but never become ready
        self.held: set[str] = set()  # namespaces whose pods are scheduled but don't start
        self.lingering: set[str] = set()  # namespaces whose deleted pods remain for a second with their final phase
        self.silent: set[str] = set()  # nodes that don't report
        self._addresses = (str(FIRST_ADDRESS + number) for number in count())
        self._running: dict[str, str] = {}  # address by UID
        self._stop = threading.Event()

    def start(self) -> None:
        """Create the nodes and start to watch their pods."""
        for node in self.nodes:
            self.api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node, "labels": {"disk": node}}})
            self.revive(node)
        for work in (self._renew_all, self._watch_all):
            threading.Thread(target=work, daemon=True).start()

    def stop(self) -> None:
        """Delete the nodes."""
        self._stop.set()
        for node in self.nodes:
            self.api.delete("Node", "", node)

    def revive(self, node: str) -> None:
        """Let a node report, for the first time or again."""
        self.silent.discard(node)
        self._renew(node)
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": _now()}
        status = {"capacity": CAPACITY, "allocatable": CAPACITY, "conditions": [ready]}
        self.api.patch("Node", "", node, {"status": status}, "status")

    def exit(self, pod: Object, code: int, container: int = 0, reason: str = "") -> None:
        """Let a container exit. If the pod's policy restarts it, it runs at once with one more restart."""
        policy = pod["spec"]["restartPolicy"]
        is_restarted = policy == "Always" or (policy == "OnFailure" and code)
        self._report(pod, code=code, container=container, reason=reason, is_restarted=bool(is_restarted))

    def wait(self, pod: Object, reason: str, message: str = "") -> None:
        """Let the containers of a pod wait, as for an image or after a crash."""
        self._report(pod, waiting=(reason, message))

    def evict(self, pod: Object, message: str) -> None:
        """Evict a pod because its node runs out of a resource."""
        self._report(pod, code=137, eviction=message)

    def report_event(self, pod: Object, reason: str, message: str) -> None:
        """Create an event about a pod, as a kubelet does for problems that the pod's status doesn't show."""
        metadata, now = pod["metadata"], _now()
        about = {"kind": "Pod", "apiVersion": "v1", **{part: metadata[part] for part in ("name", "namespace", "uid")}}
        event = {"apiVersion": "v1", "kind": "Event", "metadata": {"generateName": f"{metadata['name']}."}}
        times = {"firstTimestamp": now, "lastTimestamp": now, "count": 1}
        source = {"component": "kubelet", "host": pod["spec"]["nodeName"]}
        event |= {"involvedObject": about, "type": "Warning", "reason": reason, "message": message, "source": source}
        self.api.call("POST", f"/api/v1/namespaces/{metadata['namespace']}/events", event | times)

    def _renew_all(self) -> None:
        while not self._stop.wait(RENEWAL):
            for node in self.nodes:
                with suppress(ApiError, OSError):
                    if node not in self.silent:
                        self._renew(node)

    def _renew(self, node: str) -> None:
        spec = {"holderIdentity": node, "leaseDurationSeconds": 40, "renewTime": _now("%Y-%m-%dT%H:%M:%S.%fZ")}
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": node}, "spec": spec}
        self.api.apply(lease, "kube-node-lease", force="true")

    def _watch_all(self) -> None:
        while not self._stop.is_set():
            with suppress(ApiError, OSError, ValueError):
                listed = self.api.call("GET", "/api/v1/pods")
                for pod in listed["items"]:
                    self._update(pod)
                for event, pod in self.api.watch("/api/v1/pods", listed["metadata"]["resourceVersion"]):
                    if event in ("ADDED", "MODIFIED"):
                        self._update(pod)
            time.sleep(0.1)

    def _update(self, pod: Object) -> None:
        if pod["spec"].get("nodeName") not in self.nodes:
            return
        uid, phase = pod["metadata"]["uid"], pod["status"].get("phase")
        with suppress(ApiError):  # changed meanwhile
            if pod["metadata"].get("deletionTimestamp"):
                self._delete(pod)
            elif uid not in self._running and phase == "Pending":
                self._running[uid] = next(self._addresses)
                self._report(pod, waiting=CREATING if pod["metadata"]["namespace"] in self.held else None)

    def _delete(self, pod: Object) -> None:
        """Finish a deletion: set a final phase, then remove the pod."""
        if pod["status"].get("phase") not in ("Succeeded", "Failed"):
            self._report(pod, code=TERMINATED)
        if pod["metadata"]["namespace"] in self.lingering:
            threading.Timer(1, self._remove, [pod]).start()
        else:
            self._remove(pod)

    def _remove(self, pod: Object) -> None:
        path = self.api.of_kind("Pod").path(pod["metadata"]["namespace"], pod["metadata"]["name"])
        with suppress(ApiError):  # removed meanwhile
            self.api.call("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": pod["metadata"]["uid"]}})

    def _report(
        self,
        pod: Object,
        code: int | None = None,
        container: int = 0,
        reason: str = "",
        is_restarted: bool = False,
        waiting: tuple[str, str] | None = None,
        eviction: str = "",
    ) -> None:
        """Set the status: waiting, running, restarted after an exit code, or finished with it."""
        metadata = pod["metadata"]
        ends = code is not None and not is_restarted
        ready = not ends and not waiting and metadata["namespace"] not in self.unready
        address = self._running.get(metadata["uid"], str(FIRST_ADDRESS))
        before = {each["name"]: each for each in pod["status"].get("containerStatuses", [])}
        containers = []
        for number, spec in enumerate(pod["spec"]["containers"]):
            old = before.get(spec["name"], {"restartCount": 0})
            exit_code = code if number == container else 0
            started = old.get("state", {}).get("running", {}).get("startedAt", _now())
            how = (reason if number == container else "") or ("Error" if exit_code else "Completed")
            terminated = {
                "terminated": {"exitCode": exit_code, "reason": how, "startedAt": started, "finishedAt": _now()}
            }
            state: Object = terminated if ends else {"running": {"startedAt": _now()}}
            if waiting:
                state = {"waiting": {"reason": waiting[0], **({"message": waiting[1]} if waiting[1] else {})}}
            restarts = is_restarted and number == container
            containers.append(
                {
                    **{part: spec[part] for part in ("name", "image")},
                    "imageID": "",
                    "ready": ready,
                    "restartCount": old["restartCount"] + restarts,
                    "state": state,
                    "lastState": terminated if restarts else old.get("lastState", {}),
                }
            )
        is_ready = "True" if ready else "False"
        kinds = {"Initialized": "True", "ContainersReady": is_ready, "Ready": is_ready}
        conditions = [{"type": kind, "status": value, "lastTransitionTime": _now()} for kind, value in kinds.items()]
        if eviction:
            disruption = {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}
            conditions.append({**disruption, "message": eviction, "lastTransitionTime": _now()})
        others = [each for each in pod["status"].get("conditions", []) if each["type"] not in kinds]
        status = {
            "phase": "Pending" if waiting else "Running" if not ends else "Failed" if code else "Succeeded",
            "podIP": address,
            "podIPs": [{"ip": address}],
            "startTime": pod["status"].get("startTime") or _now(),
            "containerStatuses": containers,
            "conditions": [*others, *conditions],
            **({"reason": "Evicted", "message": eviction} if eviction else {}),
        }
        if waiting and any(each["restartCount"] for each in containers):
            status["phase"] = "Running"  # a pod whose container has started stays in this phase
        self.api.patch("Pod", metadata["namespace"], metadata["name"], {"status": status}, "status")


@contextmanager
def kubelet(api: Api, nodes: int = 4) -> Iterator[Kubelet]:
    """Yield running nodes."""
    simulated = Kubelet(api, nodes)
    simulated.start()
    try:
        yield simulated
    finally:
        simulated.stop()


def _now(form: str = "%Y-%m-%dT%H:%M:%SZ") -> str:
    return datetime.now(UTC).strftime(form)
