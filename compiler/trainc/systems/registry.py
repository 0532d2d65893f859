"""Systems by name and by kind. Only the parts of the system that is used are imported.

A system is a package with some of the modules in PARTS, which docs/adding-a-system.md describes. Other distributions
add systems by entry points: group `trainc.systems`, the system's name, its package. They are searched only for a name
or kind that trainc itself doesn't have.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from trainc.record import Record
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.systems.traits import Traits

GROUP = "trainc.systems"
PARTS = ("traits", "objects", "reader", "model", "validation", "rehearsal", "status", "changes", "rules")
DEFAULT = "job"


class BrokenPlugin(Exception):
    """Package of another distribution that cannot be imported. `help` is printed after the message."""

    help = "uninstall or update the package"

    def __init__(self, name: str, package: str, problem: Exception) -> None:
        super().__init__(f"plug-in `{name}` of the package {package} fails: {type(problem).__name__}: {problem}")


_module = cache(import_module)


class System(Record):
    """Package of a system, the kind of its resource, and the parts that it has."""

    name: str
    package: str
    kind: str
    parts: tuple[str, ...]

    def part(self, name: str) -> Any:
        """Import and return one of its modules."""
        try:
            return _module(f"{self.package}.{name}")
        except Exception as problem:
            if self.name in _SYSTEMS:
                raise
            raise BrokenPlugin(self.name, self.package, problem) from problem

    @property
    def traits(self) -> Traits:
        """Behavior that the rest of the compiler may ask about."""
        traits: Traits = self.part("traits").TRAITS
        return traits

    @property
    def groups(self) -> set[str]:
        """API groups of the versions that trainc knows."""
        return {version.partition("/")[0] for version in self.traits.api_versions}


# Kind of the resource, and parts of the system. Of systems with one kind, Kubernetes' own is first.
_TABLE = {
    "pods": ("Pod", "traits objects reader model validation rehearsal status changes"),
    "job": ("Job", "traits objects reader model validation rehearsal status changes rules"),
    "statefulset": ("StatefulSet", "traits objects reader model validation rehearsal status changes rules"),
    "jobset": ("JobSet", "traits objects reader model rehearsal status changes rules"),
    "trainjob": ("TrainJob", "traits objects reader model rehearsal status changes rules"),
    "pytorchjob": ("PyTorchJob", "traits objects reader model rehearsal status changes rules"),
    "deepspeedjob": ("DeepSpeedJob", "traits objects reader model rehearsal status changes rules"),
    "elasticjob": ("ElasticJob", "traits objects reader model rehearsal status changes rules"),
    "pytorchtrainingjob": ("PyTorchTrainingJob", "traits reader model status"),
    "mpijob": ("MPIJob", "traits objects reader model rehearsal status changes rules"),
    "vcjob": ("Job", "traits objects reader model rehearsal status changes rules"),
    "deployment": ("Deployment", "traits model rehearsal changes"),
    "rayjob": ("RayJob", "traits objects reader model status changes rules"),
    "leaderworkerset": ("LeaderWorkerSet", "traits"),
    "genericjob": ("GenericJob", "traits"),
    "lpjob": ("LpJob", "traits"),
}
_SYSTEMS = {
    name: System(name=name, package=f"trainc.systems.{name}", kind=kind, parts=tuple(parts.split()))
    for name, (kind, parts) in _TABLE.items()
}
# Modules of the readers of other systems' command lines, by the command's name; other commands are launchers'.
_COMMANDS = {"tlaunchrun": "trainc.systems.tlaunchrun.reader.translate"}
COMMAND_NAMES = tuple(_COMMANDS)
SYSTEM_NAMES = tuple(_SYSTEMS)
# Systems that trainc emits objects for, and those whose files it reads.
NAMES = tuple(name for name, system in _SYSTEMS.items() if "objects" in system.parts)
READABLE = tuple(system for system in _SYSTEMS.values() if "reader" in system.parts)


def readable_kinds() -> list[str]:
    """Return the kinds that trainc reads. If two systems have a kind, the second has its API group, as for kubectl."""
    kinds: list[str] = []
    for system in READABLE:
        kinds.append(system.kind if system.kind not in kinds else f"{system.kind}.{min(system.groups)}")
    return kinds


def find(name: str) -> System:
    """Return the system of this name. Raises KeyError for an unknown name."""
    return _SYSTEMS.get(name) or _plugins()[name]


def of_kind(kind: str, api_version: str = "") -> System | None:
    """Return the system of a kind, ignoring case, preferably of this API group; None if unknown."""
    group = api_version.partition("/")[0]
    own = _with_kind(_SYSTEMS, kind, group)
    if "." not in group or group.endswith((".k8s.io", "trainc.dev")) or (own is not None and group in own.groups):
        return own
    plugin = _with_kind({name: system for name, system in _plugins().items() if group in system.groups}, kind, group)
    return plugin or own or _with_kind(_plugins(), kind, group)


def group_help(api_version: str) -> str | None:
    """Return the advice about all kinds of an API group of which trainc reads none; None for another group."""
    group = api_version.partition("/")[0] if "/" in api_version else ""
    advice = [system.traits.foreign_help for system in _SYSTEMS.values() if group in system.groups]
    return advice[0] if advice and all(advice) else None


def is_template(kind: str) -> bool:
    """Return whether no controller creates the pods of a kind: other objects refer to it."""
    systems = (*_SYSTEMS.values(), *_plugins().values())
    return kind == "PodTemplate" or any(kind in system.traits.template_kinds for system in systems)


def of_template(kind: str, api_version: str) -> System | None:
    """Return the system whose jobs refer to objects of a kind of this API group for their pods; None if none does."""
    group = api_version.partition("/")[0]
    systems = (*_SYSTEMS.values(), *_plugins().values())
    return next((each for each in systems if kind in each.traits.template_kinds and group in each.groups), None)


def effect(kind: str, api_version: str) -> Any:
    """Return the function that tells the effect of a change of an object; None if no system knows its kind.

    A system knows kinds next to that of its jobs, of the same API group.
    """
    group = api_version.partition("/")[0] if "/" in api_version else ""
    own = of_kind(kind, api_version)
    for system in (own,) if own else _SYSTEMS.values():
        if "changes" in system.parts and (own or group in system.groups):
            function = system.part("changes").EFFECTS.get(kind)
            if function is not None:
                return function
    return None


def _with_kind(systems: dict[str, System], kind: str, group: str) -> System | None:
    systems_of_kind = [system for system in systems.values() if system.kind.lower() == kind.lower()]
    if len(systems_of_kind) > 1 and "." in group:
        systems_of_kind.sort(key=lambda system: group not in system.groups)
    return next(iter(systems_of_kind), None)


def command_reader(name: str) -> Any:
    """Return the module that translates a launch command with this name."""
    return import_module(_COMMANDS.get(name, "trainc.systems.command.reader.translate"))


def script_reader() -> Any:
    """Return the reader of shell scripts and of commands on trainc's own command line."""
    return import_module("trainc.systems.command.reader")


def traits(name: str) -> Traits:
    """Return the traits of a system. Raises KeyError for an unknown name."""
    return find(name).traits


def is_backend(name: str) -> bool:
    """Return whether trainc can emit objects for a system of this name."""
    return name in NAMES or name in backend_names()


def backend_names() -> tuple[str, ...]:
    """Return the names of all back ends, those of other distributions last."""
    return (*NAMES, *(name for name, system in _plugins().items() if "objects" in system.parts))


def launcher_pod_backend() -> str:
    """Return the first back end with a launcher pod."""
    return next(name for name in NAMES if traits(name).has_launcher_pod)


def plugin_packages() -> tuple[str, ...]:
    """Return the packages of all systems of other distributions."""
    return tuple(system.package for system in _plugins().values())


@cache
def _plugins() -> dict[str, System]:
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    systems = {}
    for entry in entry_points(group=GROUP):
        package = entry.value
        try:
            parts = tuple(part for part in PARTS if find_spec(f"{package}.{part}"))
            kind = import_module(f"{package}.traits").TRAITS.kind
        except Exception as problem:
            raise BrokenPlugin(entry.name, package, problem) from problem
        systems[entry.name] = System(name=entry.name, package=package, kind=kind, parts=parts)
    return systems
