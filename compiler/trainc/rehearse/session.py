"""A running rehearsal: the pods of one job on this machine, and the actions that a scenario takes on them."""

from __future__ import annotations

import json
import queue
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote

from trainc.launchers.registry import launcher_traits
from trainc.plan.fields import Object, with_namespace
from trainc.plan.plan import Plan, plan
from trainc.rehearse.beneath import append_below
from trainc.rehearse.downscale import downscale
from trainc.rehearse.events import Event, PodState, Program, RehearsalError
from trainc.rehearse.host_paths import refuse_sockets, unlinked
from trainc.rehearse.image_substitute import inspect_python
from trainc.rehearse.sandbox import network_files
from trainc.rehearse.supervisor_client import SupervisorClient
from trainc.rehearse.unsupported import refuse_invalid_pods, unsupported_features
from trainc.secrets.mask import Mask

_MAX_DELAY = 5  # seconds by which `events` may overrun its timeout while events keep arriving


class Session:
    """The pods of one job's manifests.

        with Session(objects, program=Program(file=path), processes=2) as session:
            session.start()
            for event in session.events(timeout=60):
                ...

    `image` is a directory laid over this machine's files, which replace the container image. `python` is the
    interpreter that pods find as `python`, with the launchers next to it (torchrun, deepspeed); the default is the
    current interpreter. `processes` per pod and `max_pods` downscale the manifests before they run; `plan` is the plan
    of the downscaled manifests. `pace` divides the waits that Kubernetes adds (backoff, probe periods), not the grace
    period or the job's own waits. `artifacts` is a directory for each container's output, environment and command line
    and each pod's hosts and resolv.conf; they are written to `artifacts_path` in it, which may not contain a link.

    A pod is given by its name or by its worker index. `__enter__` raises RehearsalError if this machine can't run pods.
    Not thread-safe, except that one thread may read events while another one acts.
    """

    def __init__(
        self,
        objects: list[Object],
        *,
        image: Path | None = None,
        program: Program | None = None,
        python: str | None = None,
        processes: int | None = None,
        max_pods: int | None = None,
        pace: float = 1.0,
        artifacts: Path | None = None,
        artifacts_path: str = ".",
    ) -> None:
        self._objects = downscale([with_namespace(manifest, "default") for manifest in objects], processes, max_pods)
        self.plan: Plan = plan(self._objects, every_pod=True)
        self._mask = Mask(self._objects)
        self.unsupported: tuple[str, ...] = unsupported_features(self._objects)
        self._image, self._program, self._pace = image, program, pace
        self._artifacts, self._artifacts_path = artifacts, artifacts_path
        self._python = python or sys.executable
        self._pods: dict[str, PodState] = {}
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._result: Literal["complete", "failed"] | None = None
        self._started: float | None = None
        self._zero: float | None = None
        self._supervisor = SupervisorClient(self._apply)

    @property
    def pods(self) -> tuple[PodState, ...]:
        """All existing pods, finished ones included, in the order of their creation."""
        return tuple(self._pods.values())

    @property
    def now(self) -> float:
        """Seconds since the start on the clock of the events; 0 before the start."""
        zero = self._started if self._zero is None else self._zero
        return 0.0 if zero is None else time.monotonic() - zero

    @property
    def finished(self) -> Literal["complete", "failed"] | None:
        """The job's result; None while it runs."""
        return self._result

    def __enter__(self) -> Self:
        refuse_invalid_pods(self._objects)
        if self._artifacts:
            unlinked(self._artifacts)
            try:
                self._append("events.jsonl", "")
            except OSError as problem:
                raise RehearsalError(f"can't write to {self._artifacts}: {problem}") from None
        if self._program:
            refuse_sockets(unlinked(self._program.file).parent, hidden=False)
        if self._image:
            refuse_sockets(unlinked(self._image))
        launchers = (launcher_traits(worker.launch.launcher) for worker in self.plan.workers)
        python = inspect_python(self._python)
        settings = {
            "python": python.executable,
            "folders": python.folders,
            "program": str(self._program.file.absolute()) if self._program else "",
            "image": str(self._image.absolute()) if self._image else "",
            "ranks_from_env": bool(self._program and self._program.ranks_from_env),
            "pace": self._pace,
            "env": next((launcher.cpu_env for launcher in launchers if launcher and launcher.cpu_env), {}),
        }
        self._supervisor.open(self._objects, settings)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill all pods and release all resources before returning."""
        self._supervisor.close()

    def events(self, timeout: float) -> Iterator[Event]:
        """Yield the events since the last call and those of the next `timeout` seconds."""
        end = time.monotonic() + timeout
        while (remaining := end - time.monotonic()) > 0 or not self._events.empty():
            try:
                yield self._events.get(timeout=max(0.0, remaining))
            except queue.Empty:
                break
            if remaining < -_MAX_DELAY:  # events arrive faster than they are read: leave the rest for the next call
                return
        if self._supervisor.failure:
            raise RehearsalError(f"the rehearsal crashed: {self._supervisor.failure}")

    def start(
        self, delays: Mapping[int, float] | None = None, dns_delays: Mapping[int | str, float] | None = None
    ) -> None:
        """Apply the manifests, like `kubectl apply`.

        `delays` holds the seconds by which a worker's containers start late (a slow image pull); with `math.inf` the
        worker stays unschedulable until `schedule`. `dns_delays` holds the seconds for which DNS lacks a worker after
        it got its address, or a name after the start.
        """
        self._started = time.monotonic()
        self._send(do="start", delays=delays or {}, dns_delays=dns_delays or {})

    def schedule(self, pod: str | int) -> None:
        """Make room for a worker that was unschedulable."""
        self._act("schedule", pod)

    def kill_process(self, pod: str | int, target: int | str) -> None:
        """Send SIGKILL to the process of a rank, or to those whose command line matches a regular expression."""
        self._act("kill_process", pod, target=target)

    def kill_pod(self, pod: str | int, grace: float | None = None, evicted: bool = False) -> None:
        """Delete a pod like `kubectl delete pod`: SIGTERM, then SIGKILL after the grace period; 0 is a node failure.

        An evicted pod has the condition DisruptionTarget, which a Job may ignore.
        """
        self._act("kill_pod", pod, grace=grace, evicted=evicted)

    def disconnect(self, pod: str | int) -> None:
        """Cut a pod's network link without closing its connections."""
        self._act("disconnect", pod)

    def reconnect(self, pod: str | int) -> None:
        """Restore the link that `disconnect` cut."""
        self._act("reconnect", pod)

    def scale(self, to: int) -> None:
        """Scale like `kubectl scale`, or patch a Job's parallelism; for bare Pods, delete or create the last ones."""
        self._send(do="scale", to=to)

    def delete(self) -> None:
        """Delete all objects like `kubectl delete`: every pod gets SIGTERM and its grace period."""
        self._send(do="delete")

    def resume(self) -> None:
        """Set `spec.suspend: false`."""
        self._send(do="resume")

    def _act(self, action: str, pod: str | int, **arguments: object) -> None:
        """Send an action on a pod, or on the newest worker with an index."""
        workers = [state.name for state in self._pods.values() if state.index == pod and not state.server]
        if isinstance(pod, int) and not workers:
            raise LookupError(f"there is no pod {pod}")
        self._send(do=action, pod=pod if isinstance(pod, str) else workers[-1], **arguments)

    def _send(self, **order: object) -> None:
        self._supervisor.send(**order)

    def _apply(self, message: dict[str, Any]) -> None:
        """Update the pods from one message of the supervisor and queue its event."""
        event = Event(**message["event"])
        if '{"probe"' not in event.text:  # verdicts and artifacts end up in CI
            event = event.replace(text=self._mask(event.text))
        if self._started is not None:
            # The supervisor's clock starts a little after the order. Keep ours behind it: the effects of an action must
            # have later times than the action.
            zero = time.monotonic() - event.at
            self._zero = zero if self._zero is None else min(self._zero, zero)
        if message["state"]:
            state = PodState(**{**message["state"], "argv": tuple(message["state"]["argv"])})
            self._pods[state.uid] = state
            if event.kind == "pod-deleted":
                del self._pods[state.uid]
        if event.kind in ("job-complete", "job-failed"):
            self._result = "complete" if event.kind == "job-complete" else "failed"
        if self._artifacts:
            self._write_artifacts(event)
        self._events.put(event)

    def _append(self, path: str, content: str, truncate: bool = False) -> None:
        """Write to a file of the artifacts."""
        assert self._artifacts
        append_below(self._artifacts, f"{self._artifacts_path}/{path}", content, truncate)

    def _write_artifacts(self, event: Event) -> None:
        """Write an event to events.jsonl or POD/CONTAINER.log, and its pod's pod.json, hosts and resolv.conf."""
        pod_folder = _file_name(event.pod)
        if event.kind == "line":
            self._append(f"{pod_folder}/{_file_name(event.container)}.log", event.text + "\n")
            return
        self._append("events.jsonl", json.dumps(vars(event)) + "\n")
        for state in self._pods.values():
            if state.name != event.pod:
                continue
            files = {"pod.json": self._mask(json.dumps(vars(state), indent=1, ensure_ascii=False)) + "\n"}
            for pod in (worker.pod for worker in self.plan.workers):
                if (pod.owner, pod.index) == (state.owner, state.index) and state.ip:
                    files |= {Path(path).name: content for path, content in network_files(pod, state.ip).items()}
            for name, content in files.items():
                self._append(f"{pod_folder}/{name}", content, truncate=True)


def _file_name(name: str) -> str:
    """Return a name without slashes that doesn't begin with a dot; names that Kubernetes accepts don't change."""
    quoted = quote(name, safe="")
    return quoted.replace(".", "%2E", 1) if quoted.startswith(".") else quoted
