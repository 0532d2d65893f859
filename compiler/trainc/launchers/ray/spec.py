"""`launch.ray`: options of the cluster."""

from __future__ import annotations

from trainc.launchers.ray.options import DASHBOARD_PORT, PORT, START_TIMEOUT, STATUS_PORT
from trainc.launchers.ray.traits import TRAITS
from trainc.spec.launch import Launch
from trainc.spec.section import Quantity, Section, field


class Ray(Launch):
    """Options of the cluster, and of `ray start` on all workers, on worker 0, and on the others."""

    traits = TRAITS

    # trainc's script is started before the program, but starts it once.
    wraps_program: bool = False
    requested_processes: int = field(lambda _, __: 1)
    port: int = PORT
    status_port: int = STATUS_PORT
    dashboard: bool = False
    num_cpus: int | None
    num_gpus: int | None
    object_store_memory: Quantity | None
    start_timeout: int = START_TIMEOUT
    other_args: tuple[str, ...]
    head_args: tuple[str, ...]
    worker_args: tuple[str, ...]

    @property
    def needs_program(self) -> bool:
        """The script needs a program to start."""
        return True

    @property
    def ports(self) -> dict[str, int]:
        """Ports of worker 0 by their names, the head's first."""
        ports = {"gcs": self.port, "status": self.status_port}
        return {**ports, "dashboard": DASHBOARD_PORT} if self.dashboard else ports

    def port_field(self, name: str) -> tuple[Section, str]:
        """Return the field of a port of worker 0."""
        return self, {"status": "statusPort", "dashboard": "dashboard"}.get(name, "port")


SECTION = Ray
