"""deepspeed over ssh: every pod runs sshd, and worker 0 the `deepspeed` command, which starts all processes by pdsh.

What runs in the pods is templates/deepspeed/start.py, session.py and rank.py, which reach them as files;
docs/adr/0006-deepspeed-over-ssh.md says why it is not a shell script and there is no .deepspeed_env.
"""

from __future__ import annotations

import os
from typing import Any

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import Replicas
from trainc.ir.pod import PRIVATE_KEY, Files, Mount, Port, Program, Volume
from trainc.lower.launch import Equipment, Launched
from trainc.lower.processes import processes_per_pod
from trainc.lower.rendezvous import Meeting
from trainc.resources import folder
from trainc.spec.job import TrainingJob
from trainc.spec.launch import Deepspeed

SCRIPTS = ("rank.py", "session.py", "start.py")
FOLDER, KEY_FOLDER, STATE = "/etc/trainc/ssh", "/etc/trainc/ssh-key", "/run/trainc"


def lower_deepspeed_ssh(job: TrainingJob, options: Deepspeed, replicas: Replicas, meeting: Meeting) -> Launched:
    """The flags of the `deepspeed` command, then the job's own words, which no shell sees."""
    kind = job.run.kind if options.autotune == "none" else "autotune"
    flags = [f"--master_addr={meeting.host}", f"--master_port={meeting.port}", "--force_multi"]
    if kind == "autotune":
        flags.append(f"--autotuning={options.autotune}")
    if not options.local_rank:
        flags.append("--no_local_rank")
    rank: Arg = FactArg(fact=PodFact.INDEX, variable="NODE_RANK")
    args = (str(options.ssh_port), kind, *flags, *options.other_args, "--")
    command = ("python3", "-u", f"{FOLDER}/start.py")
    waiting = Program(command=command, args=("debug", *args, *job.run.words))
    return Launched(
        program=Program(command=command, args=(rank, *args, *job.run.words)),
        env=(EnvVar(name="NODE_RANK", value=PodFact.INDEX),),
        flags=len(args) + 1,
        equipment=_equipment(job, options, replicas, meeting, waiting),
    )


def _equipment(
    job: TrainingJob, options: Deepspeed, replicas: Replicas, meeting: Meeting, waiting: Program
) -> Equipment:
    name = f"{job.metadata.name}-ssh"
    # With Kubernetes' own mode 0644 for the file: root owns it, and the image's user may be another. start.py makes
    # the copy that ssh wants, which nobody else may read.
    secret = options.ssh_secret or f"{name}-key"
    key = {"secretName": secret, "items": [{"key": PRIVATE_KEY, "path": "key"}]}
    volumes: dict[str, tuple[str, dict[str, Any], str]] = {
        "trainc-ssh": ("configMap", {"name": name}, FOLDER),
        "trainc-ssh-key": ("secret", key, KEY_FOLDER),
        "trainc-run": ("emptyDir", {"medium": "Memory", "sizeLimit": "16Mi"}, STATE),
    }
    return Equipment(
        secret=secret,
        files=Files(name=name, texts={"hostfile": hostfile(job, replicas, meeting), **scripts()}),
        volumes=tuple(Volume(name=name, kind=kind, source=source) for name, (kind, source, _) in volumes.items()),
        mounts=tuple(
            Mount(volume=name, path=path, read_only=kind != "emptyDir") for name, (kind, _, path) in volumes.items()
        ),
        ready=Port(name="ssh", number=options.ssh_port),
        waiting=waiting,
    )


def hostfile(job: TrainingJob, replicas: Replicas, meeting: Meeting) -> str:
    """A line for each worker, in the order of their ranks. The names are those that stay when a pod is replaced."""
    hosts, slots = meeting.hosts, processes_per_pod(job)
    if replicas.maximum == 1:
        return f"{hosts.first} slots={slots}\n"
    return "".join(f"{hosts.reached(index)} slots={slots}\n" for index in range(replicas.maximum))


def scripts() -> dict[str, str]:
    """The pods' own programs."""
    found = {}
    for name in SCRIPTS:
        with open(os.path.join(folder("templates"), "deepspeed", name), encoding="utf-8") as file:
            found[name] = file.read()
    return found
