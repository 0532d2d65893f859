"""What a change means for a job, in words: the same in every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trainc.diff.drift import Drift
from trainc.diff.jobs import JobDiff, World
from trainc.diff.objects import ObjectDiff
from trainc.diff.redact import Redactor
from trainc.plan.fields import Object, text
from trainc.plan.quantity import plural
from trainc.report.document import Change
from trainc.systems.shared.changes import FieldChange
from trainc.well_known import JOB_LABEL

_RECREATED = ("fails", "needs re-creation", "moves")
_WITHOUT_NOTES = ("restarts", "fails", "starts", "moves")
_NAMED = 8  # pods in a command
_PODS = {
    "restarted": "containers restart in their pods",
    "replaced": "all pods are replaced",
    "ended": "the pods end",
    "started": "the pods start",
    "added": "pods are added",
    "removed": "pods are removed",
    "exchanged": "pods are added and removed",
    "unknown": "the effect on the pods is unknown",
}
_HEADS = {
    "continues": "changes in place",
    "restarts": "restarts",
    "fails": "fails",
    "stops": "is paused",
    "starts": "starts",
    "paused": "stays paused",
    "needs re-creation": "must be deleted and created again",
    "left running": "is left running",
    "moves": "moves to another system",
    "ended": "has ended",
    "unknown": "changes with unknown effect",
}


class Labels:
    """Texts of differences, without secrets. `apply` returns the command that applies the second version."""

    def __init__(self, jobs: Sequence[JobDiff], apply: Callable[[JobDiff], str]) -> None:
        self._redactor = Redactor([version for job in jobs for each in job.objects for version in (each.old, each.new)])
        self._apply = apply

    def redacted(self, line: str) -> str:
        """Return a line without secrets."""
        return self._redactor.line(line)

    def head(self, job: JobDiff) -> str:
        """Return the summary of a job."""
        name = self._redactor.line(job.name or "other objects")
        return f"{name}: {'no change' if not job.changes else _HEADS[job.training] if job.name else 'change'}"

    def reasons(self, each: ObjectDiff) -> list[str]:
        """Return why an object has its outcome, and what its pods do."""
        effect = each.effect
        if effect.refused:
            return list(dict.fromkeys(refusal.reason for refusal in effect.refused))
        pods = _PODS.get(effect.pods, "")
        return ["; ".join(filter(None, (pods, effect.reason)))] if pods or effect.reason else []

    def groups(self, job: JobDiff) -> list[tuple[str, ObjectDiff]]:
        """Return the objects that change or drift; objects in a row with the same change, as Pods, are one."""
        groups: list[tuple[str, list[ObjectDiff]]] = []
        for each in job.objects:
            if each.outcome == "nothing" and not each.drift:
                continue
            shown = repr(
                (text(each.some_version, "kind"), each.outcome, self.reasons(each), self.values(each), each.drift)
            )
            if not groups or groups[-1][0] != shown or not each.fields:
                groups.append((shown, []))
            groups[-1][1].append(each)
        return [(self._range([each.name for each in members]), members[0]) for _, members in groups]

    def _range(self, names: list[str]) -> str:
        return self._redactor.line(names[0] if len(names) == 1 else f"{names[0]} to {names[-1]} ({len(names)} objects)")

    def values(self, each: ObjectDiff) -> list[Change]:
        """Return the changed fields: the immutable ones, if there are any."""
        names = {refusal.field for refusal in each.effect.refused}
        return [self._value(each.some_version, field) for field in each.fields if not names or field.name in names]

    def _value(self, owner: Object, field: FieldChange) -> Change:
        old, new = (self._shown(owner, field.path, value) for value in (field.old, field.new))
        return Change(field=self._redactor.line(field.name), old=old, new=new)

    def _shown(self, owner: Object, path: tuple[str, ...], value: Any) -> str:
        return "" if value is None else self._redactor(owner, path, value)

    def training(self, job: JobDiff) -> str:
        """Return the effect on the training; empty for objects that belong to no job."""
        if not job.name or not job.changes:
            return ""
        begin = self._begin(job)
        if job.training == "needs re-creation":
            now = "stays paused" if _is_paused(job.old_world) else "continues unchanged"
            then = "is paused" if _is_paused(job.new_world) else f"starts {begin}"
            return f"{now} until the job is deleted, then {then}"
        sentences = {
            "continues": "continues",
            "restarts": f"all processes restart {begin}",
            "fails": f"fails without the processes of the pods that end; created again, the job starts {begin}",
            "stops": f"stops: the pods end until the job is resumed, then it starts {begin}",
            "starts": f"starts {begin}".rstrip(),
            "paused": "stays paused",
            "left running": "goes on: `kubectl apply` deletes no object; Argo CD and Flux delete it if they prune",
            "moves": f"both versions train at once, unless the old one is deleted first; the new one starts {begin}",
            "ended": "has ended; it starts again only if the job is deleted and created again",
            "unknown": "unknown: trainc does not know which changes the controller applies to pods that run",
        }
        notes = () if job.training in _WITHOUT_NOTES else self._notes(job)
        return "; ".join((sentences[job.training], *notes))

    def _notes(self, job: JobDiff) -> Iterator[str]:
        if job.is_pending:
            if _is_paused(job.old_world):
                yield "the new version has no effect until the job is deleted and created again"
            else:
                yield "the pods that run keep the old version until they are replaced"
        if any(each.effect.pods in ("added", "removed", "exchanged") for each in job.objects) and job.resizes:
            old, new = (world.pods if world else 0 for world in (job.old_world, job.new_world))
            yield f"the pods that run expect a world of {plural(old, 'pod')}, not of {new}"

    def _begin(self, job: JobDiff) -> str:
        if job.start is None:
            return ""
        old, new = (self._redactor.line(each.path) if each else "" for each in (job.old_checkpoint, job.checkpoint))
        if job.start == "checkpoint":
            return f"from the checkpoint {new}"
        if job.start == "unknown":
            return f"from what the program has saved (`{new}`)"
        reason = f"the checkpoint path changes from {old} to {new}" if old else "the old version has no checkpoint path"
        return f"from scratch: {reason if new else 'no checkpoint path is set'}"

    def checkpoint(self, job: JobDiff) -> str | None:
        """Return the checkpoint path of a job that starts again, or the name of what may have it."""
        return self._redactor.line(job.checkpoint.path) if job.checkpoint else None

    def world(self, job: JobDiff) -> str:
        """Return the sizes of the world; empty if they are the same."""
        if not job.resizes or job.old_world is None or job.new_world is None:
            return ""
        return f"{_size(job.old_world)} → {_size(job.new_world)}"

    def drift(self, each: ObjectDiff, drift: Drift) -> str:
        """Return who has changed a field in the cluster, and what applying does."""
        applied, live = (self._shown(each.some_version, drift.path, value) for value in (drift.applied, drift.live))
        who = " and ".join(map(self._redactor.line, drift.managers)) or "someone else"
        change = f"sets {live}, in place of {applied}" if drift.applied is not None else f"adds {live}"
        then = "applying resets it" if drift.is_reset else "applying keeps it"
        return f"{self._redactor.line(drift.field)}: {who} {change}; {then}"

    def commands(self, job: JobDiff) -> list[tuple[str, str]]:
        """Return commands, each after its purpose."""
        space = f" -n {job.namespace}" if job.namespace else ""
        commands = []
        if job.recreate:
            is_refused = any(each.outcome == "re-create" for each in job.objects)
            purpose = "re-create" if is_refused or job.training in _RECREATED else "apply now"
            # In the foreground: no pod of the new version starts before the last of the old one has ended.
            names = _names(job, job.recreate)
            commands.append((purpose, f"kubectl delete --cascade=foreground{space} {names} && {self._apply(job)}"))
        if job.left:
            commands.append(("delete", f"kubectl delete{space} {_names(job, job.left)}"))
        return [(purpose, self._redactor.line(command)) for purpose, command in commands]


def _is_paused(world: World | None) -> bool:
    return world is not None and world.pods == 0


def _names(job: JobDiff, names: Sequence[str]) -> str:
    """Return the arguments of `kubectl delete`: the label of the pods in place of many names."""
    pods = [name for name in names if name.startswith("pod/")]
    are_all = len(names) == len(pods) > _NAMED and len(pods) == sum(
        text(each.old, "kind") == "Pod" for each in job.objects
    )
    if not are_all or not all(text(each.some_version, "metadata", "labels", JOB_LABEL) for each in job.objects):
        return " ".join(names)
    return f"pod -l {JOB_LABEL}={job.name}"


def _size(world: World) -> str:
    processes = "" if world.processes is None else f", {plural(world.processes, 'process', 'es')}"
    bounds = f" ({world.minimum} to {world.maximum})" if world.minimum != world.maximum else ""
    return f"{plural(world.pods, 'pod')}{bounds}{processes}"
