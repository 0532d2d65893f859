"""Process group of the probe in a program of JAX: what the probe uses of torch.distributed, by JAX's own collectives.

It is copied next to the probe, and imports nothing of trainc.
"""

from __future__ import annotations

import os
from typing import Any

# Only the Python of the pods has jax and numpy, so that mypy may or may not find them.
import jax  # type: ignore[import-not-found, unused-ignore]  # installed in the pods, as the next two
import numpy  # type: ignore[import-not-found, unused-ignore]
from jax.experimental import multihost_utils  # type: ignore[import-not-found, unused-ignore]

_LARGEST = 2**31 - 1  # JAX's integers have 32 bits


def tensor(values: list[int]) -> Any:
    """Return numbers as an array that the group changes in place."""
    return numpy.array([min(value, _LARGEST) for value in values], dtype=numpy.int32)


def join(seconds: float) -> Group:
    """Call jax.distributed.initialize as documented for launch.jax. `seconds` is the heartbeat timeout."""
    jax.distributed.initialize(
        num_processes=int(os.environ["JAX_NUM_PROCESSES"]),
        process_id=int(os.environ["JAX_PROCESS_ID"]),
        heartbeat_timeout_seconds=int(seconds),
        shutdown_timeout_seconds=int(seconds),
    )
    return Group()


class Group:
    """All processes."""

    def get_rank(self) -> int:
        """Return the process id."""
        return int(jax.process_index())

    def get_world_size(self) -> int:
        """Return the number of processes."""
        return int(jax.process_count())

    def broadcast(self, values: Any, source: int) -> None:
        """Set the values to those of one process."""
        values[:] = self._gather(values)[source]

    def all_reduce(self, values: Any) -> None:
        """Set the values to the sums of all processes."""
        values[:] = self._gather(values).sum(axis=0)

    def barrier(self) -> None:
        """Wait for all processes."""
        multihost_utils.sync_global_devices("probe")

    def _gather(self, values: Any) -> Any:
        return numpy.asarray(multihost_utils.process_allgather(values)).reshape(self.get_world_size(), -1)
