"""Start of the processes: fields and keys of ssh, a blocked sshd, unreadable hostfiles, and too many hosts.

Seen with OpenSSH 9.2 and templates/deepspeed/start.py: as root, sshd needs three capabilities and /run/sshd, as
another user none of them.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, no_effect, put, remove, warning
from trainc.checks.shared.sshd import blocked_sshd, missing_key, port_conflict
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.deepspeed.traits import TRAITS
from trainc.well_known import MAX_ARGUMENT

TRIGGERS = ("launch.deepspeed", "launcherPod.mpiImplementation")

_READABLE = "OpenMPI"  # with lines like `HOST slots=8`


def check(context: RuleContext) -> Diagnostics:
    yield from _transport(context)
    yield from _hostfile(context)
    yield from _list_of_hosts(context)


def _transport(context: RuleContext) -> Diagnostics:
    """Require `transport: ssh` for its fields, and for it keys, ports and an sshd that starts."""
    launch = Deepspeed.of(context.spec)
    if launch.disable_custom_env and not context.system.starts_launcher:
        reason = "every process has the container's variables"
        yield no_effect(context, "spec.launch.deepspeed.disableCustomEnv", reason, "remove it", removable=True)
    if launch.container_command and not context.system.starts_launcher:
        reason = "the containers start the program"
        yield no_effect(context, "spec.launch.deepspeed.containerCommand", reason, "remove it", removable=True)
    if context.system.starts_launcher:
        pass  # the operator makes keys and ports
    elif context.system.has_launcher_pod:
        yield from port_conflict(launch, launch.port, launch.ssh_port)
    elif launch.transport == "ssh":
        if launch.ssh_secret is None:
            yield from missing_key(context, Message("`{launch.deepspeed/transport: ssh}`"), launch.where("transport"))
        yield from port_conflict(launch, launch.port, launch.ssh_port)
    else:
        for field in ("sshSecret", "sshPort"):
            if launch.has(field):
                message = Message("`{}` has no effect without `{launch.deepspeed/transport: ssh}`", field)
                where, remedy = launch.where(field), put("spec.launch.deepspeed.transport", "ssh")
                yield warning(
                    codes.REQUIRES_SSH,
                    message,
                    where,
                    help=Message("add `{launch.deepspeed/transport: ssh}`"),
                    remedy=remedy,
                )
        if launch.autotune != "none":
            message = Message(
                "`autotune` requires `{launch.deepspeed/transport: ssh}`: otherwise every worker tunes only for itself"
            )
            where, remedy = launch.where("autotune"), put("spec.launch.deepspeed.transport", "ssh")
            yield error(
                codes.REQUIRES_SSH,
                message,
                where,
                help=Message("add `{launch.deepspeed/transport: ssh}`"),
                remedy=remedy,
            )
    if context.job.launch.starts_workers:
        yield from blocked_sshd(context)


def _hostfile(context: RuleContext) -> Diagnostics:
    """Report the hostfile of another MPI than Open MPI, in which DeepSpeed finds no slots, whatever its --launcher is.

    _parse_hostfile of https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, and
    newConfigMap of https://github.com/kubeflow/mpi-operator/blob/v0.8.2/pkg/controller/mpi_job_controller.go
    """
    launcher, section, launch = context.job.launcher_pod, context.spec.launcher_pod, context.spec.launch
    if (
        launcher is None
        or section is None
        or launch.traits.name != TRAITS.name
        or launcher.mpi_implementation == _READABLE
    ):
        return
    where = section.where("mpiImplementation")
    mpi = {"Intel": "Intel MPI"}.get(launcher.mpi_implementation, launcher.mpi_implementation)
    message = f"deepspeed cannot read the hostfile of {mpi}: it has `HOST:N`, not `HOST slots=N`"
    help_ = "remove it: deepspeed starts the processes over ssh, without MPI"
    yield error(codes.HOSTFILE_OF_OTHER_MPI, message, where, help=help_, remedy=remove(where))


def _list_of_hosts(context: RuleContext) -> Diagnostics:
    """Report more hosts than an argument of the launcher can list."""
    if context.job.launch.starts_workers:
        size, lines = _hostfile_size(context)
    else:
        size = max((len(arg) for arg in context.job.pod.program.args if isinstance(arg, str)), default=0)
        lines = context.job.replicas.maximum
    if size >= MAX_ARGUMENT:
        message = f"the launcher's list of {lines} workers is an argument of at least {size:,} bytes; Linux"
        yield error(codes.WORLD_INFO_TOO_LONG, f"{message} takes {MAX_ARGUMENT - 1:,}", context.spec.where("workers"))


def _hostfile_size(context: RuleContext) -> tuple[int, int]:
    """Return bytes and lines of the list of all hosts with their slots, one base64 argument of pdsh and ssh."""
    job = context.job
    hostfile = job.files.texts.get("hostfile", "") if job.files else ""
    if not hostfile:  # an operator's
        names = [job.hosts.resolvable(index) for index in range(job.replicas.maximum)]
        hostfile = "".join(f"{name} slots={job.launch.processes_per_pod}\n" for name in names)
    lines = hostfile.count("\n")
    slots = len(",".join(map(str, range(min(context.job.launch.process_count or 1, MAX_ARGUMENT)))))
    return (len(hostfile) + lines * slots) * 4 // 3, lines
