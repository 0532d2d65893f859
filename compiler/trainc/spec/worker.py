"""`env`, `resources` and `network` of the container of each worker."""

from __future__ import annotations

from trainc.quantity import NANO, nanos
from trainc.source.node import Mapping, mappings
from trainc.span import Span, Text
from trainc.spec.section import Section, field, quantities, quantity, text
from trainc.tpu import default_chips
from trainc.typenames import Any
from trainc.well_known import NVIDIA_GPU

# HAMi's device plugin; each is per GPU, like gpu_memory and gpu_cores of TLaunch
# (https://project-hami.io/docs/userguide/nvidia-device/specify-device-memory-usage/).
GPU_MEMORY, GPU_CORES = "nvidia.com/gpumem", "nvidia.com/gpucores"
SSH_FOLDER = "/root/.ssh"
_KUBERNETES_NAMES = {"ephemeralStorage": "ephemeral-storage"}


class EnvVar(Section):
    """Variable with a value, or with the Kubernetes source of its value."""

    name: str
    value: str | None
    value_from: dict[str, Any] | None
    span: Span


def read_env(node: Mapping, name: str) -> tuple[EnvVar, ...]:
    """Return the variables in the order of the file, from a map or from Kubernetes' list."""
    env = node.get(name)
    if isinstance(env, Mapping):
        return tuple(
            EnvVar.read(entry.value, name=key, span=entry.key.span)
            if isinstance(entry.value, Mapping)
            else EnvVar(node=env, name=key, value=text(env, key), value_from=None, span=entry.key.span)
            for key, entry in env.entries.items()
        )
    return tuple(EnvVar.read(item, span=item.where("name")) for item in mappings(env))


class Gpu(Section):
    """GPUs of a worker; memory in MB and cores in percent, each of one shared GPU."""

    short_form = "count"

    count: int = 0
    resource: str = NVIDIA_GPU
    memory: int | None
    cores: int | None


def _both(node: Mapping, _: str) -> dict[str, str]:
    names = [name for name in node.entries if name not in ("gpu", "tpu", "claims", "requests", "limits")]
    return {_KUBERNETES_NAMES.get(name, name): quantity(node, name) or "" for name in names}


class Tpu(Section):
    """Slices of TPUs. `chips` are those of each worker."""

    accelerator: str
    topology: str
    chips: int | None
    slices: int = 1

    @property
    def chips_per_worker(self) -> int:
        """Chips of each worker, by default those of a node."""
        return self.chips or default_chips(self.topology)


class DeviceClaim(Section):
    """Devices by dynamic resource allocation, of a claim of the namespace or of a new one of each pod."""

    name: str
    resource_claim_name: str | None
    resource_claim_template_name: str | None
    request: str | None


class Resources(Section):
    """Quantities as they are typed. `both` holds values that are both request and limit."""

    both: dict[str, str] = field(_both)
    gpu: Gpu | None
    tpu: Tpu | None
    claims: tuple[DeviceClaim, ...]
    requests: dict[str, str] = field(quantities)
    limits: dict[str, str] = field(quantities)

    @property
    def gpu_count(self) -> int:
        """GPUs of a worker, from `gpu` or from the names of extended resources."""
        if self.gpu is not None:
            return self.gpu.count
        quantities = {**self.both, **self.requests, **self.limits}
        gpus = [nanos(count) // NANO for name, count in quantities.items() if name.endswith("/gpu") or "/mig-" in name]
        return max(gpus, default=0)


class LauncherPod(Section):
    """Pod that starts the processes of all workers; `worker_command` starts the workers' sshd."""

    resources: Resources
    mpi_implementation: str = "OpenMPI"
    ssh_auth_mount_path: str = SSH_FOLDER
    worker_command: tuple[str, ...]


class Rdma(Section):
    """RDMA devices of each worker, by resource name."""

    resource: str
    count: int = 1


class Network(Section):
    """Network of the workers. `networks` are further ones of each pod, by the names of their objects."""

    fabric: Text | None
    networks: tuple[str, ...]
    nvlink_domain: bool = False
    interface: Text | None
    rdma: Rdma | None
    host_network: bool = False
