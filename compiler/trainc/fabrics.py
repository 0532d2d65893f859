"""Networks between GPU nodes: what the vendors' reference manifests add to a pod.

A file of schemas/fabrics has the facts of one fabric, with their sources and dates. It is read only for a job that
names the fabric.
"""

from __future__ import annotations

import json
from functools import cache

from trainc.record import Record
from trainc.resources import read_text
from trainc.typenames import Any

NONE = "none"  # the job's own statement that its nodes have only Ethernet
# Labels of nodes whose value decides about a fabric: the type of the instance, and GKE's name of its GPUs.
MACHINE_LABELS = ("node.kubernetes.io/instance-type", "cloud.google.com/gke-accelerator")


class Networks(Record):
    """Further networks of a pod. `names` are those of the reference manifests, `first` the number of their interface.

    `counts` are the networks of machines that have fewer.
    """

    annotation: str
    names: tuple[str, ...] = ()
    first: int = 1
    counts: dict[str, int] = {}
    required: bool = False


class Fabric(Record):
    """Facts of a fabric.

    `count` are the devices of a worker, a number or one for each machine. `gpus` are those of a node, which a worker
    has as a whole. `fixed` are variables that have no other value, `contradictions` values that disable the fabric.
    """

    name: str
    title: str
    sources: tuple[dict[str, str], ...]
    device: str = ""
    count: int | dict[str, int] = 0
    gpus: int = 0
    resources: dict[str, str] = {}
    machine_resources: dict[str, dict[str, str]] = {}
    capabilities: tuple[str, ...] = ()
    variables: dict[str, str] = {}
    machine_variables: dict[str, dict[str, str]] = {}
    fixed: tuple[str, ...] = ()
    contradictions: dict[str, list[str]] = {}
    annotations: dict[str, str] = {}
    networks: Networks | None = None
    volumes: tuple[dict[str, str], ...] = ()
    sidecar: dict[str, Any] | None = None

    def devices(self, machines: tuple[str, ...]) -> int | None:
        """Return the devices of a worker on a machine; None if the file doesn't have the machine."""
        if isinstance(self.count, int):
            return self.count
        return next((self.count[machine] for machine in machines if machine in self.count), None)

    def amounts(self, machines: tuple[str, ...]) -> dict[str, str]:
        """Return the other resources of a worker, of which some machines have others."""
        own = self.machine_resources
        return next((own[machine] for machine in machines if machine in own), self.resources)

    def environment(self, machines: tuple[str, ...]) -> dict[str, str]:
        """Return the variables, with those of the machine."""
        more = [self.machine_variables[machine] for machine in machines if machine in self.machine_variables]
        return {**self.variables, **(more[0] if more else {})}

    def network_names(self, machines: tuple[str, ...]) -> tuple[str, ...]:
        """Return the networks of the reference manifest for a machine."""
        if self.networks is None:
            return ()
        counts = self.networks.counts
        count = next((counts[machine] for machine in machines if machine in counts), len(self.networks.names))
        return self.networks.names[:count]


@cache
def load(name: str) -> Fabric:
    """Return a fabric by the name that job files have for it."""
    facts = json.loads(read_text("schemas", "fabrics", f"{name}.json"))
    networks = facts.pop("networks", None)
    return Fabric(
        **{_snake(key): _frozen(value) for key, value in facts.items()},
        networks=networks and Networks(**{key: _frozen(value) for key, value in networks.items()}),
    )


def machines(node_selector: dict[str, str] | None) -> tuple[str, ...]:
    """Return the names of the machine that a job selects."""
    selector = node_selector or {}
    return tuple(selector[label] for label in MACHINE_LABELS if label in selector)


def _snake(key: str) -> str:
    """Return the attribute of a key such as `machineVariables`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
