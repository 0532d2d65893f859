"""Size of a job's containers: the processes in each pod and the number of pods, in arguments and variables."""

from __future__ import annotations

import base64
import json
import re
from itertools import pairwise

from trainc.plan.fields import Object, at, items, listed, number, text
from trainc.plan.launch import argument_names
from trainc.record import Record

_NPROC, _NNODES = ("nproc-per-node", "nproc_per_node"), ("nnodes", "num_machines")
# Processes of all machines, or of each pod without a number of machines, and the sizes whose product they are.
_ALL_PROCESSES, _MACHINES = "num_processes", "num_machines"
_SIZE = re.compile(r"parallelism_config_\w+_size")
_SHARDS = "parallelism_config_dp_shard_size"


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
