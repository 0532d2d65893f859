"""Pods whose worker 0 starts the processes of all over ssh: scripts, keys, hostfile and sshd's port.

The scripts of templates/ssh are mounted as files. docs/adr/0006-deepspeed-over-ssh.md says why they are not shell
scripts, and why no variable passes through ssh.
"""

from __future__ import annotations

from trainc.ir.launch import Hosts, Launch
from trainc.ir.pod import PRIVATE_KEY, Files, Mount, Port, Program, Volume
from trainc.launchers.lowering import LaunchContext, PodSetup
from trainc.resources import read_text

FOLDER, KEY_FOLDER, STATE = "/etc/trainc/ssh", "/etc/trainc/ssh-key", "/run/trainc"
HOSTFILE = f"{FOLDER}/hostfile"
PYTHON = ("python3", "-I", "-u")
# Line of a hostfile, of DeepSpeed and Open MPI; and of Hydra, the mpirun of Intel MPI and MPICH.
SLOTS, HYDRA_SLOTS = "{} slots={}\n", "{}:{}\n"


def pod_setup(
    context: LaunchContext,
    scripts: tuple[str, ...],
    hosts: str,
    ssh_secret: str | None,
    ssh_port: int,
    debug_program: Program,
) -> PodSetup:
    """Return the setup of every pod; `hosts` is the text of the hostfile.

    With a launcher pod the operator mounts the keys in all pods, and a hostfile in that one.
    """
    operator_hostfile = context.target.system.launcher_hostfile
    name = f"{context.job.metadata.name}-ssh"
    # The file has Kubernetes' default mode 0644: root owns it, and the image's user may be another. start.py makes
    # the private copy that ssh requires.
    secret = ssh_secret or f"{name}-key"
    key = {"secretName": secret, "items": [{"key": PRIVATE_KEY, "path": "key"}]}
    volumes = (
        ("trainc-ssh", "configMap", {"name": name}, FOLDER),
        *(() if operator_hostfile else (("trainc-ssh-key", "secret", key, KEY_FOLDER),)),
        ("trainc-run", "emptyDir", {"medium": "Memory", "sizeLimit": "16Mi"}, STATE),
    )
    texts = {name: read_text("templates", "ssh", name) for name in scripts}
    return PodSetup(
        key_secret=None if operator_hostfile else secret,
        key_folder=KEY_FOLDER,
        files=Files(name=name, texts=texts if operator_hostfile else {"hostfile": hosts, **texts}),
        volumes=tuple(Volume(name=name, kind=kind, source=source) for name, kind, source, _ in volumes),
        mounts=tuple(Mount(volume=name, path=path, read_only=kind != "emptyDir") for name, kind, _, path in volumes),
        ready=Port(name="ssh", number=ssh_port),
        debug_program=debug_program,
    )


def hostfile(hosts: Hosts, launch: Launch, line: str = SLOTS) -> str:
    """Return a line for each worker by rank, with the host names that stay when a pod is replaced."""
    slots, workers = launch.processes_per_pod, launch.nodes[1]
    if workers == 1:
        return line.format(hosts.first, slots)
    return "".join(line.format(hosts.resolvable(index), slots) for index in range(workers))
