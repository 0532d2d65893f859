"""First process of every pod of a job with mpirun: sshd, and on worker 0 mpirun, which starts the processes of all.

    mpirun.py RANK PORT -- MPIRUN ARGUMENT...

RANK is `debug` where pods only run sshd, and `run` for a second process that starts mpirun there. Requires Python,
sshd, ssh and mpirun. start.py has the parts that DeepSpeed's jobs share: the keys, sshd, and the end of the other pods.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)  # which python3 -I leaves out

import start  # noqa: E402

HOSTFILE = HERE + "/hostfile"
SSH = start.STATE + "/bin/ssh"
PATIENCE = 3600  # seconds until the sshd of all workers must answer: GPUs wait meanwhile
NEEDED = {"sshd": "openssh-server", "ssh-keygen": "openssh-client", "ssh": "openssh-client"}


def main() -> int:
    rank, port, _, *command = sys.argv[1:]
    if rank == "run":
        return run(command, int(port), is_whole_job=False)
    for name, package in NEEDED.items():
        if shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin") is None:
            sys.exit(f"mpirun.py: the image has no {name}: install {package}")
    start.check_user()
    start.prepare(port)
    start.remember("mpirun", [])
    sshd = subprocess.Popen([start.program("sshd"), "-D", "-e", "-f", start.STATE + "/sshd_config"])
    return start.serve(sshd) if rank != "0" else run(command, int(port), is_whole_job=True)


def run(command: list[str], port: int, is_whole_job: bool) -> int:
    """Run mpirun once all workers let worker 0 in."""
    with open(HOSTFILE) as file:
        lines = file.read().splitlines()
    hosts = [re.split("[ :]", line)[0] for line in lines]
    if not reach(hosts, port):
        return 1
    if ":" in lines[0]:  # of Hydra, which otherwise tells the workers a host name without a domain
        command[1:1] = ["-localhost", hosts[0]]
    code = lead(command, len(hosts))
    if code == 0 and is_whole_job:
        for call in [subprocess.Popen([SSH, host, start.DONE]) for host in hosts[1:]]:
            call.wait()
    return code


def reach(hosts: list[str], port: int) -> bool:
    """Wait until the sshd of every worker answers and lets worker 0 in."""

    def stop(*_: object) -> None:
        sys.exit(f"mpirun.py: some of {len(hosts)} workers do not answer on port {port} within {PATIENCE} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    start.wait_for(hosts, port)
    signal.alarm(0)
    calls = [(host, subprocess.Popen([SSH, host, "true"])) for host in hosts]
    refused = [host for host, call in calls if call.wait() != 0]
    if refused:
        start.say(f"ssh to {' '.join(refused[:5])} failed: are all workers' keys those of one Secret?")
    return not refused


def lead(command: list[str], workers: int) -> int:
    """Return the exit code of mpirun."""
    try:
        mpirun = subprocess.Popen(command, env={**settings(workers), **os.environ})
    except OSError as problem:
        start.say(f"cannot run {command[0]}: {problem.strerror}")
        return 127
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: mpirun.terminate())
    return start.status(mpirun.wait())


def settings(workers: int) -> dict[str, str]:
    """Return the variables by which each mpirun finds ssh and the hosts; the container's own have precedence.

    Open MPI 4 would log in with names without their domain, and leave a daemon behind on each worker that no
    connection ends. With one session for each worker it refuses more than num_concurrent workers.
    """
    concurrent = str(max(128, workers))
    return {
        "OMPI_MCA_plm_rsh_agent": SSH,
        "OMPI_MCA_plm_rsh_no_tree_spawn": "true",
        "OMPI_MCA_plm_rsh_num_concurrent": concurrent,
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_leave_session_attached": "true",
        "PRTE_MCA_plm_ssh_agent": SSH,
        "PRTE_MCA_plm_ssh_no_tree_spawn": "true",
        "PRTE_MCA_plm_ssh_num_concurrent": concurrent,
        "HYDRA_HOST_FILE": HOSTFILE,
        "HYDRA_LAUNCHER": "ssh",
        "HYDRA_LAUNCHER_EXEC": SSH,
        "I_MPI_HYDRA_HOST_FILE": HOSTFILE,
        "I_MPI_HYDRA_BOOTSTRAP": "ssh",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC": SSH,
    }


if __name__ == "__main__":
    sys.exit(main())
