"""Where a job is rehearsed: its pods run on this machine, and things can be done to them."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from trainc.plan.fields import Object
from trainc.plan.plan import Plan, plan
from trainc.rehearse.artifacts import write_artifacts
from trainc.rehearse.downscale import downscale, with_namespace
from trainc.rehearse.events import Event, PodState, Program, RehearsalError
from trainc.rehearse.image_substitute import inspect_python
from trainc.rehearse.spawn import spawn
from trainc.rehearse.unsupported import unsupported_features

_SECONDS = 10  # for all processes of a rehearsal to be killed; a loaded machine needs one
_READY = 60  # seconds for the namespaces to be there; a loaded machine needs two
_FLOOD = 5  # seconds by which reading what is there may be late


class Session:
    """The pods of one job's manifests.

        with Session(objects, program=Program(file=path), processes=2) as stage:
            stage.start()
            for event in stage.events(timeout=60):
                ...

    `image` is a folder that is laid over the machine's own files, which stand in for the image. `python` is the
    interpreter that the pods find as `python`, with what lies beside it (torchrun, deepspeed); by default the one that
    runs this. `processes` a pod and a `limit` of pods make a large job small: the manifests are changed before they
    run, and `plan` is that of the changed ones. `pace` divides the waits that Kubernetes itself makes (back-off,
    probes' periods); the grace period and all that is the job's own stay. `keep` is a folder for what would be gone
    otherwise: each container's output, its environment and command line, each pod's hosts and resolv.conf.

    Pods are named by their names, or by their index among the workers. Raises RehearsalError from __enter__ where the
    machine can't do it. Not for several threads, but for one that reads events and one that acts.
    """

    def __init__(
        self,
        objects: list[Object],
        *,
        image: Path | None = None,
        program: Program | None = None,
        python: str | None = None,
        processes: int | None = None,
        limit: int | None = None,
        pace: float = 1.0,
        keep: Path | None = None,
    ) -> None:
        self._objects = downscale([with_namespace(one) for one in objects], processes, limit)
        self.plan: Plan = plan(self._objects)
        self.unsupported: tuple[str, ...] = unsupported_features(self._objects)
        self._image, self._program, self._pace, self._keep = image, program, pace, keep
        self._python = python or sys.executable
        self._pods: dict[str, PodState] = {}
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._ended: Literal["complete", "failed"] | None = None
        self._broken = ""
        self._began: float | None = None
        self._zero: float | None = None
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None

    @property
    def pods(self) -> tuple[PodState, ...]:
        """All pods that there are now, those that have ended too, in the order of their creation."""
        return tuple(self._pods.values())

    @property
    def now(self) -> float:
        """Seconds since the start, as events count them; 0 before."""
        zero = self._began if self._zero is None else self._zero
        return 0.0 if zero is None else time.monotonic() - zero

    @property
    def finished(self) -> Literal["complete", "failed"] | None:
        """How the job ended; None while it goes on."""
        return self._ended

    def __enter__(self) -> Self:
        used = inspect_python(self._python)
        self._supervisor = spawn()
        settings = {
            "python": used.executable,
            "folders": used.folders,
            "program": str(self._program.file.resolve()) if self._program else "",
            "image": str(self._image.resolve()) if self._image else "",
            "silent": bool(self._program and self._program.silent),
            "pace": self._pace,
            "env": {"DS_ACCELERATOR": "cpu"} if self._is_deepspeed else {},
        }
        try:
            self._order(objects=self._objects, settings=settings)
            first = self._first(self._supervisor)
        except BaseException:
            self.close()
            raise
        if "ready" not in first:
            self.close()
            raise RehearsalError(f"the pods' namespaces can't be set up here: {first.get('refused', 'it ended')}")
        self._reader = threading.Thread(target=self._read, args=(self._supervisor,), daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it all at once; what it has used is gone when this returns."""
        if self._supervisor is None:
            return
        supervisor, self._supervisor = self._supervisor, None
        if supervisor.stdin:
            with suppress(OSError):
                supervisor.stdin.close()  # at which the first process of the namespaces ends, and then unshare
        try:
            supervisor.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            supervisor.kill()  # --kill-child takes the first process along
            supervisor.wait()
        if self._reader is not None:
            self._reader.join(_SECONDS)
        if supervisor.stdout:
            supervisor.stdout.close()

    def _first(self, supervisor: subprocess.Popen[bytes]) -> dict[str, Any]:
        """Its first word about itself, behind what there is to say of the manifests."""
        assert supervisor.stdout
        too_late = threading.Timer(_READY, supervisor.kill)
        too_late.start()
        try:
            for line in supervisor.stdout:
                told = json.loads(line)
                if "event" not in told:
                    return dict(told)
                self._take(told)
        finally:
            too_late.cancel()
        return {}

    @property
    def _is_deepspeed(self) -> bool:
        return any(one.launch.launcher == "deepspeed" for one in self.plan.workers)

    def events(self, timeout: float) -> Iterator[Event]:
        """What has happened since the last call, and what happens in the next `timeout` seconds."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0 or not self._events.empty():
            try:
                yield self._events.get(timeout=max(0.0, left))
            except queue.Empty:
                break
            if left < -_FLOOD:  # more is printed than anybody can follow: the rest is for the next call
                return
        if self._broken:
            raise RehearsalError(f"the rehearsal broke: {self._broken}")

    def start(
        self, delays: Mapping[int, float] | None = None, dns_delays: Mapping[int | str, float] | None = None
    ) -> None:
        """What `kubectl apply` does.

        `delays`: seconds by which a worker's containers start late (a slow image); with `math.inf` it finds no room and
        stays pending until it may `arrive`. `dns_delays`: seconds for which the DNS doesn't know a worker after it has
        its address, or a name after the start.
        """
        self._began = time.monotonic()
        self._order(do="start", delays=delays or {}, dns_delays=dns_delays or {})

    def schedule(self, pod: str | int) -> None:
        """There is room now for a worker that was held back."""
        self._fault("schedule", pod)

    def kill_process(self, pod: str | int, target: int | str) -> None:
        """SIGKILL to the process of a rank, or to those whose command line matches a regular expression."""
        self._fault("kill_process", pod, target=target)

    def kill_pod(self, pod: str | int, grace: float | None = None, evicted: bool = False) -> None:
        """`kubectl delete pod`: SIGTERM, and SIGKILL after the grace period; 0 is a node that dies.

        An evicted pod has the condition DisruptionTarget, which a Job may ignore.
        """
        self._fault("kill_pod", pod, grace=grace, evicted=evicted)

    def disconnect(self, pod: str | int) -> None:
        """Take a pod from the network, without a word to anybody."""
        self._fault("disconnect", pod)

    def reconnect(self, pod: str | int) -> None:
        """Undo `cut`."""
        self._fault("reconnect", pod)

    def scale(self, to: int) -> None:
        """`kubectl scale`, or for a Job the patch of its parallelism; with bare Pods, delete or create the last."""
        self._order(do="scale", to=to)

    def stop(self) -> None:
        """`kubectl delete` of all: every pod gets SIGTERM and its grace period."""
        self._order(do="stop")

    def resume(self) -> None:
        """`spec.suspend: false`."""
        self._order(do="resume")

    def _fault(self, action: str, pod: str | int, **how: object) -> None:
        self._order(do=action, pod=self._named(pod), **how)

    def _named(self, pod: str | int) -> str:
        """The name of the newest pod of an index that trains."""
        if isinstance(pod, str):
            return pod
        found = [one.name for one in self._pods.values() if one.index == pod and not one.server]
        if not found:
            raise LookupError(f"there is no pod {pod}")
        return found[-1]

    def _order(self, **order: object) -> None:
        if self._supervisor is None or self._supervisor.stdin is None:
            raise RehearsalError("the rehearsal isn't running")
        try:
            self._supervisor.stdin.write((json.dumps(order) + "\n").encode())
            self._supervisor.stdin.flush()
        except BrokenPipeError:
            raise RehearsalError(f"the rehearsal has ended: {self._broken or 'its first process is gone'}") from None

    def _read(self, supervisor: subprocess.Popen[bytes]) -> None:
        assert supervisor.stdout
        with suppress(ValueError, OSError):  # closed meanwhile
            for line in supervisor.stdout:
                told = json.loads(line)
                if "broken" in told:
                    self._broken = told["broken"]
                else:
                    self._take(told)

    def _take(self, told: dict[str, Any]) -> None:
        event = Event(**told["event"])
        if self._began is not None:
            # The fabric's clock began a little after the order. Never ahead of it: what follows an act must be later.
            zero = time.monotonic() - event.at
            self._zero = zero if self._zero is None else min(self._zero, zero)
        if told["state"]:
            state = PodState(**{**told["state"], "argv": tuple(told["state"]["argv"])})
            self._pods[state.uid] = state
            if event.kind == "pod-deleted":
                del self._pods[state.uid]
        if event.kind in ("job-complete", "job-failed"):
            self._ended = "complete" if event.kind == "job-complete" else "failed"
        if self._keep:
            write_artifacts(self._keep, event, self._pods.values(), self.plan)
        self._events.put(event)
