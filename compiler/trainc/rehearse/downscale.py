"""Downscale a job to fit one machine: fewer processes per pod, fewer pods.

All sizes in the manifests change together, so that they still describe one world.
"""

from __future__ import annotations

import base64
import json
import re
from itertools import pairwise
from typing import Any

from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.launch import argument_names
from trainc.record import Record
from trainc.rehearse.controllers import controller_class
from trainc.well_known import ADDED

_SLOTS = re.compile(r"( slots=|:)(\d+)$")
_NPROC, _NNODES = ("nproc-per-node", "nproc_per_node"), ("nnodes", "num_machines")
# Processes of all machines, or of each pod without a number of machines, and the sizes whose product they are.
_ALL_PROCESSES, _MACHINES = "num_processes", "num_machines"
_SIZE = re.compile(r"parallelism_config_\w+_size")
_SHARDS = "parallelism_config_dp_shard_size"
# Arguments with the world size or a rank, in the annotation about the command line.
_ARGUMENTS = re.compile(r"(?:^|; )([^;]+) \(launch\.\w+\.arguments\)")


def downscale(objects: list[Object], processes: int | None, max_pods: int | None) -> list[Object]:
    """Return the manifests with a number of processes per pod and at most `max_pods` pods; None keeps the original."""
    if processes is None and max_pods is None:
        return objects
    size = ContainerSize(processes=processes, max_pods=max_pods, hosts=_hosts(objects))
    pods = [manifest for manifest in objects if text(manifest, "kind") == "Pod"]
    removed = [] if max_pods is None else pods[max_pods:]
    return [_resize(manifest, size) for manifest in objects if manifest not in removed]


def _hosts(objects: list[Object]) -> tuple[int, int]:
    """Return the hosts of the job's hostfile and the slots of each; zeros without one."""
    text_of_file = next((hosts for each in objects if (hosts := text(each, "data", "hostfile"))), "")
    lines = text_of_file.splitlines()
    slots = _SLOTS.search(lines[0]) if lines else None
    return (len(lines), int(slots[2])) if slots else (0, 0)


def _resize(manifest: Object, size: ContainerSize) -> Object:
    kind, resized = text(manifest, "kind"), dict(manifest)
    if kind == "ConfigMap" and "hostfile" in mapping(manifest, "data"):
        lines = manifest["data"]["hostfile"].splitlines()[: size.max_pods]
        if size.processes is not None:
            lines = [_SLOTS.sub(rf"\g<1>{size.processes}", line) for line in lines]
        resized["data"] = {**manifest["data"], "hostfile": "\n".join(lines) + "\n"}
    elif isinstance(manifest.get("spec"), dict):
        arguments = _ARGUMENTS.search(text(manifest, "metadata", "annotations", ADDED))
        size = size.replace(arguments=tuple(arguments[1].split(", ")) if arguments else ())
        spec = resized["spec"] = _resize_containers(manifest["spec"], size)
        if kind == "HorizontalPodAutoscaler":
            size.limit_fields(spec, "minReplicas", "maxReplicas")
        controller = controller_class(manifest)
        if controller is not None:
            controller.downscale(spec, size)
    return resized


def _resize_containers(value: Any, size: ContainerSize) -> Any:
    if isinstance(value, list):
        return [_resize_containers(inner, size) for inner in value]
    if not isinstance(value, dict):
        return value
    copy = {key: _resize_containers(inner, size) for key, inner in value.items()}
    if "containers" in copy:
        copy["containers"] = [size.resize(container) for container in items(copy, "containers")]
    return copy


class ContainerSize(Record):
    """Processes per pod and maximum number of pods; None keeps the original. `arguments` may pass the world size.

    `hosts` are the hosts and slots of the original hostfile.
    """

    processes: int | None
    max_pods: int | None
    arguments: tuple[str, ...] = ()
    hosts: tuple[int, int] = (0, 0)

    def limit(self, pods: int) -> int:
        """Limit a number of pods to the maximum."""
        return pods if self.max_pods is None else min(pods, self.max_pods)

    def limit_fields(self, spec: Object, *fields: str) -> None:
        """Limit the fields of a spec that are numbers of pods."""
        for field in fields:
            pods = number(spec, field)
            if pods is not None:
                spec[field] = self.limit(pods)

    def resize(self, container: Object) -> Object:
        """Return the container with this size."""
        command, args = list(map(str, listed(container, "command"))), list(map(str, listed(container, "args")))
        argv = command + args
        env = {text(variable, "name"): text(variable, "value") for variable in items(container, "env")}
        count, nodes = (_argument_index(argv, name) for name in ("count", "nnodes"))
        original = per_pod = int(argv[count]) if count is not None and argv[count].isdecimal() else 1
        if count is not None:
            per_pod = original if self.processes is None else self.processes
            argv[count] = str(per_pod)
        if nodes is not None:
            argv[nodes] = self._nnodes(argv[nodes])
        variables: dict[str, str] = {}
        if "PET_NPROC_PER_NODE" in env and self.processes is not None:
            variables["PET_NPROC_PER_NODE"] = str(self.processes)
        if "LOCAL_WORLD_SIZE" in env:
            variables["LOCAL_WORLD_SIZE"] = str(per_pod)
        if env.get("PET_NNODES"):
            variables["PET_NNODES"] = self._nnodes(env["PET_NNODES"])
        for name in ("WORLD_SIZE", "JAX_NUM_PROCESSES"):
            if env.get(name, "").isdecimal():
                variables[name] = str(self.limit(int(env[name]) // original) * per_pod)
        argv = self._resize_options(argv, variables.get("WORLD_SIZE", ""))
        for index, (argument, value) in enumerate(pairwise(argv)):
            if argument in self.arguments and "WORLD_SIZE" in variables and value == env["WORLD_SIZE"]:
                argv[index + 1] = variables["WORLD_SIZE"]  # no rank is equal to it
        env_list = [_with_value(entry, variables.get(text(entry, "name"))) for entry in items(container, "env")]
        resized = {"command": argv[: len(command)], "args": argv[len(command) :], "env": env_list}
        return {**container, **{field: value for field, value in resized.items() if field in container}}

    def _resize_options(self, argv: list[str], world_size: str) -> list[str]:
        resized = list(argv)
        count, slots = self.hosts
        is_local = any(flag in ("--host", "-host") and value[:9] == "localhost" for flag, value in pairwise(argv))
        for index, argument in enumerate(argv):
            if self.processes is not None and argument in ("-np", "--host") and is_local and argv[index + 1 :]:
                resized[index + 1] = f"localhost:{self.processes}" if argument == "--host" else str(self.processes)
            elif argument == "-np" and argv[index + 1 : index + 2] == [str(count * slots)]:
                resized[index + 1] = str(self.limit(count) * (slots if self.processes is None else self.processes))
            if not argument.startswith("--"):
                continue
            option, equals, value = argument.removeprefix("--").partition("=")
            target = index if equals else index + 1
            if not equals:
                value = argv[target] if target < len(argv) else ""
            changed = self._option(option, value, argv, world_size)
            if changed is not None and target < len(resized):
                resized[target] = f"--{option}={changed}" if equals else changed
        return resized

    def _option(self, option: str, value: str, argv: list[str], world_size: str) -> str | None:
        """Return the value of an option that describes the world, None for others."""
        if option in _NPROC:
            return None if self.processes is None else str(self.processes)
        if option in _NNODES:
            return self._nnodes(value)
        if option == "world_info":
            return self._world_info(value)
        if option == "world_size":
            return world_size or None
        if option == _ALL_PROCESSES or _SIZE.fullmatch(option):
            world = self._all_processes(argv)
            return world if option in (_ALL_PROCESSES, _SHARDS) else world and "1"
        return None

    def _all_processes(self, argv: list[str]) -> str | None:
        options = dict(argument.removeprefix("--").split("=", 1) for argument in argv if "=" in argument)
        processes, machines = options.get(_ALL_PROCESSES, ""), options.get(_MACHINES, "1")
        if not processes.isdecimal() or not machines.isdecimal():
            return None
        per_pod = int(processes) // max(int(machines), 1) if self.processes is None else self.processes
        return str(self.limit(int(machines)) * per_pod)

    def _nnodes(self, nnodes: str) -> str:
        bounds = nnodes.split(":")
        if not all(bound.isdecimal() for bound in bounds):
            return nnodes
        return ":".join(str(self.limit(int(bound))) for bound in bounds)

    def _world_info(self, world_info: str) -> str:
        try:
            hosts = dict(list(json.loads(base64.urlsafe_b64decode(world_info)).items())[: self.max_pods])
        except (ValueError, AttributeError):
            return world_info
        if self.processes is not None:
            hosts = {host: list(range(self.processes)) for host in hosts}
        return base64.urlsafe_b64encode(json.dumps(hosts).encode()).decode()


def _argument_index(argv: list[str], name: str) -> int | None:
    """Return the index of an argument that an embedded script gets, by its name there."""
    for index, argument in enumerate(argv[:-1]):
        names = argument_names(argv[index + 1]) if argument == "-c" else []
        if name in names:
            place = index + 2 + names.index(name)
            return place if place < len(argv) else None
    return None


def _with_value(variable: Object, value: str | None) -> Object:
    return variable if value is None or at(variable, "valueFrom") is not None else {**variable, "value": value}
