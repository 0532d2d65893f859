"""A large job made small enough for one machine: fewer processes a pod, fewer pods.

The manifests are changed wherever they say one of the two, so that all of them still mean one world.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.launch.scripts import argument_names
from trainc.record import Record

_NAMESPACE = "default"
_SLOTS = re.compile(r"slots=\d+")
_PROCESSES, _NODES = ("nproc-per-node", "nproc_per_node"), ("nnodes",)


def with_namespace(given: Object) -> Object:
    """The object in the namespace where `kubectl apply` puts it if nobody says."""
    if text(given, "metadata", "namespace"):
        return given
    return {**given, "metadata": {**mapping(given, "metadata"), "namespace": _NAMESPACE}}


def downscale(objects: list[Object], processes: int | None, limit: int | None) -> list[Object]:
    """The manifests with so many processes a pod, and at most so many pods."""
    if processes is None and limit is None:
        return objects
    size = Size(processes=processes, limit=limit)
    pods = [one for one in objects if text(one, "kind") == "Pod"][limit:] if limit is not None else []
    return [size.of(one) for one in objects if one not in pods]


class Size(Record):
    """What a job is brought to; None is what it says itself."""

    processes: int | None
    limit: int | None

    def of(self, thing: Object) -> Object:
        """One object of this size."""
        kind, done = text(thing, "kind"), dict(thing)
        if kind == "ConfigMap" and "hostfile" in mapping(thing, "data"):
            done["data"] = {**thing["data"], "hostfile": self._hostfile(thing["data"]["hostfile"])}
            return done
        fields = {
            "Job": ("parallelism", "completions"),
            "StatefulSet": ("replicas",),
            "HorizontalPodAutoscaler": ("minReplicas", "maxReplicas"),
        }
        if isinstance(thing.get("spec"), dict):
            done["spec"] = self._within(thing["spec"])
            self._fewer(done["spec"], fields.get(kind, ()))
            if kind == "Job":
                self._succeeds(done["spec"])
            if kind == "PyTorchJob":
                self._pytorch_job(done["spec"])
            if kind == "ElasticJob":
                self._elastic_job(done["spec"])
            if kind == "DeepSpeedJob":
                self._deepspeed_job(done["spec"])
        return done

    def nodes(self, given: int) -> int:
        """Of so many pods, those that there are."""
        return given if self.limit is None else min(given, self.limit)

    def _fewer(self, spec: Object, fields: tuple[str, ...]) -> None:
        for field in fields:
            given = number(spec, field)
            if given is not None:
                spec[field] = self.nodes(given)

    def _succeeds(self, spec: Object) -> None:
        policy = mapping(spec, "successPolicy")
        rules = [dict(rule) for rule in items(policy, "rules")]
        for rule in rules:
            low, dash, high = text(rule, "succeededIndexes").partition("-")
            if dash and high.isdecimal():
                rule["succeededIndexes"] = f"{low}-{self.nodes(int(high) + 1) - 1}"
        if rules:
            spec["successPolicy"] = {**policy, "rules": rules}

    def _pytorch_job(self, spec: Object) -> None:
        roles = mapping(spec, "pytorchReplicaSpecs")
        left = self.limit if self.limit is None or "Master" not in roles else self.limit - 1
        spec["pytorchReplicaSpecs"] = {role: dict(given) for role, given in roles.items()}
        workers = mapping(spec, "pytorchReplicaSpecs", "Worker")
        if left is not None and number(workers, "replicas"):
            workers["replicas"] = min(workers["replicas"], max(left, 1))
        policy = dict(mapping(spec, "elasticPolicy"))
        if policy:
            self._fewer(policy, ("minReplicas", "maxReplicas"))
            spec["elasticPolicy"] = policy
        if self.processes is not None:
            field = "nProcPerNode" if "nProcPerNode" in policy else ""
            (policy if field else spec)[field or "nprocPerNode"] = self.processes if field else str(self.processes)

    def _elastic_job(self, spec: Object) -> None:
        self._fewer(spec, ("minReplicas", "maxReplicas"))
        roles = mapping(spec, "replicaSpecs")
        spec["replicaSpecs"] = {role: dict(given) for role, given in roles.items()}
        for role in spec["replicaSpecs"].values():
            self._fewer(role, ("replicas",))

    def _deepspeed_job(self, spec: Object) -> None:
        spec["worker"] = dict(mapping(spec, "worker"))
        self._fewer(spec["worker"], ("replicas",))
        if self.processes is not None:
            spec["config"] = {**mapping(spec, "config"), "slotsPerWorker": self.processes}

    def _hostfile(self, given: str) -> str:
        lines = given.splitlines()[: self.limit]
        if self.processes is not None:
            lines = [_SLOTS.sub(f"slots={self.processes}", line) for line in lines]
        return "\n".join(lines) + "\n"

    def _within(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._within(one) for one in value]
        if not isinstance(value, dict):
            return value
        done = {key: self._within(inner) for key, inner in value.items()}
        if "containers" in done:
            done["containers"] = [self._container(one) for one in items(done, "containers")]
        return done

    def _container(self, given: Object) -> Object:
        command, args = list(map(str, listed(given, "command"))), list(map(str, listed(given, "args")))
        words = command + args
        env = {text(one, "name"): text(one, "value") for one in items(given, "env")}
        count = _count(words)
        each = int(words[count]) if count is not None and words[count].isdecimal() else 1
        per_pod = self.processes if self.processes is not None and count is not None else each
        if count is not None:
            words[count] = str(per_pod)
        told = {"PET_NPROC_PER_NODE": self.processes, "LOCAL_WORLD_SIZE": per_pod}
        changed: dict[str, str] = {
            name: str(value) for name, value in told.items() if name in env and value is not None
        }
        if env.get("PET_NNODES"):
            changed["PET_NNODES"] = self._bounds(env["PET_NNODES"])
        world = ""
        if env.get("WORLD_SIZE", "").isdecimal():
            world = changed["WORLD_SIZE"] = str(self.nodes(int(env["WORLD_SIZE"]) // each) * per_pod)
        words = self._words(words, world)
        done = {**given}
        if "command" in given:
            done["command"] = words[: len(command)]
        if "args" in given:
            done["args"] = words[len(command) :]
        if "env" in given:
            done["env"] = [_with(one, changed.get(text(one, "name"))) for one in items(given, "env")]
        return done

    def _words(self, words: list[str], world: str) -> list[str]:
        done = list(words)
        for place, word in enumerate(words):
            option, equals, value = word.removeprefix("--").partition("=")
            if not word.startswith("--"):
                continue
            here, now = (place, value) if equals else (place + 1, words[place + 1] if place + 1 < len(words) else "")
            if option in _PROCESSES and self.processes is not None:
                new = str(self.processes)
            elif option in _NODES:
                new = self._bounds(now)
            elif option == "world_info":
                new = self._world_info(now)
            elif option == "world_size" and world:
                new = world
            else:
                continue
            if here < len(done):
                done[here] = f"--{option}={new}" if equals else new
        return done

    def _bounds(self, given: str) -> str:
        parts = given.split(":")
        if not all(part.isdecimal() for part in parts):
            return given
        return ":".join(str(self.nodes(int(part))) for part in parts)

    def _world_info(self, given: str) -> str:
        try:
            hosts = dict(list(json.loads(base64.urlsafe_b64decode(given)).items())[: self.limit])
        except (ValueError, AttributeError):
            return given
        if self.processes is not None:
            hosts = {host: list(range(self.processes)) for host in hosts}
        return base64.urlsafe_b64encode(json.dumps(hosts).encode()).decode()


def _count(words: list[str]) -> int | None:
    """The place of the word that tells a program of the manifest how many processes to start."""
    for place, word in enumerate(words[:-1]):
        names = argument_names(words[place + 1]) if word == "-c" else []
        if "count" in names:
            found = place + 2 + names.index("count")
            return found if found < len(words) else None
    return None


def _with(variable: Object, value: str | None) -> Object:
    return variable if value is None or at(variable, "valueFrom") is not None else {**variable, "value": value}
