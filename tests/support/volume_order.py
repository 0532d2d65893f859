"""Objects of examples whose volumes have another order after an import."""

from __future__ import annotations

from typing import Any

# A fabric's volumes follow /dev/shm; the imported job has them in spec.volumes, which precedes it.
OTHER_ORDER_OF_VOLUMES = {"fabric-gke-rdma", "fabric-gke-tcpxo"}


def comparable(objects: Any, example: str) -> Any:
    """Return the objects of an example; with volumes by name if an import changes their order."""
    return _sort_volumes(objects) if example in OTHER_ORDER_OF_VOLUMES else objects


def _sort_volumes(value: Any) -> Any:
    """Return VALUE with volumes and their mounts by name."""
    if isinstance(value, list):
        return [_sort_volumes(each) for each in value]
    if not isinstance(value, dict):
        return value
    sorted_value: dict[str, Any] = {key: _sort_volumes(each) for key, each in value.items()}
    for key in {"volumes", "volumeMounts"} & sorted_value.keys():
        sorted_value[key].sort(key=lambda volume: volume["name"])
    return sorted_value
