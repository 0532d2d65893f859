"""Hosts and user of the mpirun or horovodrun of a launcher pod.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html, "Running as root": Open MPI refuses without a flag.
https://github.com/horovod/horovod/blob/v0.28.1/horovod/runner/launch.py: without hosts all processes run on localhost;
get_host_assignments of common/util/hosts.py rejects more processes than slots, and so does its mpirun.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, note, warning
from trainc.checks.shared.program_command import set_option
from trainc.checks.shared.user import is_root, other_than_root
from trainc.commandline.argparse import parse, table
from trainc.commandline.word import Word, parse_int, words
from trainc.commandline.wrappers import started
from trainc.launchers.mpirun.command import hosts_message, lacks_hosts, mpirun_call
from trainc.launchers.mpirun.starter import starter
from trainc.launchers.mpirun.traits import OPEN_MPI
from trainc.spec.section import inside

TRIGGERS = ("launcherPod", "launch.mpirun.allowRunAsRoot")

LOCAL = ("localhost", "127.0.0.1")
FLAG = "--allow-run-as-root"
VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
HOROVODRUN = "horovodrun"
_OPTIONS = table(
    "-v|--version -cb|--check-build --disable-cache --verbose --gloo --mpi --jsrun --tcp --autotune",
    "-np|--num-proc -p|--ssh-port -i|--ssh-identity-file -H|--hosts -hostfile|--hostfile --host-discovery-script"
    " --min-np|--min-num-proc --max-np|--max-num-proc --slots-per-host --start-timeout --elastic-timeout --reset-limit"
    " --network-interfaces --network-interface --output-filename --config-file --mpi-args --binding-args --log-level"
    " --fusion-threshold-mb --cycle-time-ms --cache-capacity --timeline-filename",
    abbreviates=False,
)


def check(context: RuleContext) -> Diagnostics:
    yield from _hosts(context)
    yield from _as_root(context)
    yield from _horovodrun(context)


def _hosts(context: RuleContext) -> Diagnostics:
    """Compare the hostfile with the operator's; one of the job's own is on a volume."""
    hostfile, launcher = context.system.launcher_hostfile, context.job.launcher_pod
    call = mpirun_call(words([*context.spec.run.words]))
    if call is None or launcher is None or context.spec.launcher_pod is None or not hostfile:
        return
    program = context.program
    variables = [each.name for each in context.pod.main.user_variables]
    if launcher.mpi_implementation == OPEN_MPI and lacks_hosts(call, variables):
        message, help_ = hosts_message(hostfile)
        yield note(codes.HOSTFILE_NOT_READ, message, call.name.span or program, help=help_)
    yield from _listed_hosts(context, call.value("host"), hostfile)
    for name in ("hostfile", "machinefile"):
        word = call.value(name)
        if word is None or not word.known or word.text == hostfile:
            continue
        if not any(f"{word.text}/".startswith(f"{mount.path}/") for mount in context.pod.mounts):
            message = f"`{word.text}` does not exist on the launcher pod: the operator's hostfile is {hostfile}"
            remedy = set_option(call.option(name), hostfile)
            yield error(codes.MPI_HOSTFILE, message, word.span or program, help=f"use {hostfile}", remedy=remedy)


def _listed_hosts(context: RuleContext, value: Word | None, hostfile: str) -> Diagnostics:
    """Report a name in -H that no worker has: mpirun starts processes there, although the hostfile lacks it."""
    if value is None or not value.known:
        return
    hosts, count = context.job.hosts, context.job.replicas.maximum
    workers = {name.partition(".")[0] for name in hosts.first_names(count)}
    for item in value.text.split(","):
        name = item.partition(":")[0]
        label = name.partition(".")[0]
        if label not in workers and not label.endswith("-launcher") and name not in LOCAL and label.strip("+"):
            message = f"`{name}` is no worker of the job: mpirun cannot start processes there"
            where = value.span or context.program
            yield error(codes.MPI_HOSTFILE, message, where, help=f"pass `--hostfile {hostfile}` in place of the hosts")
            return


def _as_root(context: RuleContext) -> Diagnostics:
    """Report a launcher that certainly is root: only root reads keys in /root."""
    mpirun = starter(context)
    if mpirun is None or not mpirun.is_open_mpi:
        return
    call = mpirun_call(words(mpirun.words))
    if call is None or "allow_run_as_root" in call.parsed.options:
        return
    pod, container = (inside(node, "securityContext") for node in (context.pod.spec, context.pod.main.node))
    names = {variable.name for variable in context.pod.main.user_variables}
    reads_root = mpirun.ssh_folder.startswith("/root/") and not other_than_root(container, pod)
    if not (reads_root or is_root(container, pod)) or names.issuperset(VARIABLES):
        return
    launch, run = context.spec.launch, context.spec.run
    if not call.parsed.complete and any(word == FLAG for word in run.words):
        return  # after an option that trainc does not know
    message = "mpirun refuses to run as root"
    flag = f"pass `{FLAG}`" if not launch.has("allowRunAsRoot") else "remove it"
    help_: Help = flag
    if reads_root:
        message += ", which reads the keys in /root/.ssh"
        help_ = (flag, Message("use an image with another user and its {launcherPod/sshAuthMountPath}"))
    where = launch.span_of("allowRunAsRoot") or call.name.span or run.where(run.kind)
    yield warning(codes.MPI_AS_ROOT, message, where, help=help_)


def _horovodrun(context: RuleContext) -> Diagnostics:
    lines = (line.words for line in started(words(context.spec.run.words)) if line.words[0].base_name == HOROVODRUN)
    argv, hostfile = next(lines, ()), context.system.launcher_hostfile
    slots, workers = context.job.launch.process_count, context.job.replicas.initial
    if not argv or not hostfile or slots is None:
        return
    parsed = parse(_OPTIONS, argv[1:])
    options, start = parsed.options, argv[0].span or context.spec.run.where("exec")
    if not options.keys().isdisjoint(("host_discovery_script", "min_num_proc")):
        return  # elastic: the number of processes follows the hosts
    count = options["num_proc"].value if "num_proc" in options else None
    wanted = parse_int(count)
    if parsed.complete and options.keys().isdisjoint(("hosts", "hostfile", "config_file")):
        message = f"{HOROVODRUN} starts all processes on the launcher pod: the command line names no hosts"
        yield error(codes.MPI_HOSTFILE, message, start, help=f"pass `--hostfile {hostfile}`")
    elif wanted is not None and count is not None and "hostfile" in options and wanted > slots * workers:
        message = f"{HOROVODRUN} refuses to start {wanted} processes: {workers} workers have {slots * workers} slots"
        help_ = f"pass `-np {slots * workers}`"
        yield error(codes.MPI_PROCESS_COUNT, message, count.span or start, help=help_)
