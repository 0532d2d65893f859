"""Processes and hosts of a program's horovodrun, against the slots of the workers.

https://github.com/horovod/horovod/blob/v0.28.1/horovod/runner/launch.py: without hosts all processes run on localhost;
get_host_assignments of common/util/hosts.py rejects more processes than slots, and so does its mpirun.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.commandline.argparse import parse, table
from trainc.commandline.word import parse_int, words
from trainc.commandline.wrappers import started

TRIGGERS = ("launcherPod",)

NAME = "horovodrun"
_OPTIONS = table(
    "-v|--version -cb|--check-build --disable-cache --verbose --gloo --mpi --jsrun --tcp --autotune",
    "-np|--num-proc -p|--ssh-port -i|--ssh-identity-file -H|--hosts -hostfile|--hostfile --host-discovery-script"
    " --min-np|--min-num-proc --max-np|--max-num-proc --slots-per-host --start-timeout --elastic-timeout --reset-limit"
    " --network-interfaces --network-interface --output-filename --config-file --mpi-args --binding-args --log-level"
    " --fusion-threshold-mb --cycle-time-ms --cache-capacity --timeline-filename",
    abbreviates=False,
)


def check(context: RuleContext) -> Diagnostics:
    lines = (line.words for line in started(words(context.spec.run.words)) if line.words[0].base_name == NAME)
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
        message = f"{NAME} starts all processes on the launcher pod: the command line names no hosts"
        yield error(codes.MPI_HOSTFILE, message, start, help=f"pass `--hostfile {hostfile}`")
    elif wanted is not None and count is not None and "hostfile" in options and wanted > slots * workers:
        message = f"{NAME} refuses to start {wanted} processes: {workers} workers have {slots * workers} slots"
        help_ = f"pass `-np {slots * workers}`"
        yield error(codes.MPI_PROCESS_COUNT, message, count.span or start, help=help_)
