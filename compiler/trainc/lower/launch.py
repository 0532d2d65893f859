"""The launcher's command line and environment: one file for each launcher."""

from __future__ import annotations

from trainc.ir.env import Arg, EnvVar
from trainc.ir.job import LauncherCommand, Replicas
from trainc.ir.pod import Files, Mount, Port, Program, Volume
from trainc.launchers.torchrun.spec import Torchrun
from trainc.lower.rendezvous import Meeting
from trainc.record import Record
from trainc.spec.job import Run, TrainingJob
from trainc.spec.launch import Basic
from trainc.target import Target


class Equipment(Record):
    """What a launcher needs in every pod beside the program. `waiting` is what a pod runs in mode debug, `secret`
    holds the key by which the pods reach each other."""

    secret: str
    files: Files
    volumes: tuple[Volume, ...]
    mounts: tuple[Mount, ...]
    ready: Port
    waiting: Program


class Launched(Record):
    """What a launcher adds to a pod. `program` ends with the user's own words; more arguments may follow.

    The first `flags` arguments are the launcher's own; `options` are the names of all that it has. With `command` an
    operator starts the launcher, and the pods' own program is the operator's.
    """

    program: Program
    env: tuple[EnvVar, ...]
    flags: int = 0
    options: tuple[str, ...] = ()
    equipment: Equipment | None = None
    command: LauncherCommand | None = None

    def whole(self, more: tuple[Arg, ...]) -> Program:
        """The program with more arguments, and `--` before it if the launcher could take one for its own.

        argparse looks for abbreviations even behind the program's name: `torchrun train.py --log x` ends with
        "ambiguous option: --log could match --log-dir, --logs-specs". Behind `--` it doesn't look.
        """
        args = (*self.program.args, *more)
        own, words = args[: self.flags], args[self.flags :]
        separator = ("--",) if any(self._abbreviates(word) for word in words) else ()
        return self.program.replace(args=(*own, *separator, *words))

    def _abbreviates(self, word: Arg) -> bool:
        if not isinstance(word, str) or not word.startswith("--"):
            return False
        if word == "--":  # the program's own, which argparse would swallow
            return bool(self.options)
        name = word.partition("=")[0]
        return any(option.startswith(name) and option != name for option in self.options)


def lower_launch(job: TrainingJob, replicas: Replicas, meeting: Meeting, target: Target) -> Launched:
    """By the launcher that the job names."""
    if target.system.starts_launcher:
        from trainc.launchers.deepspeed.lower_operated import lower_deepspeed_operated

        return lower_deepspeed_operated(job)
    if isinstance(job.launch, Basic):
        from trainc.launchers.basic.lower import lower_basic

        return lower_basic(job, job.launch, replicas, meeting)
    if isinstance(job.launch, Torchrun):
        from trainc.launchers.torchrun.lower import lower_torchrun

        return lower_torchrun(job, job.launch, replicas, meeting, target)
    if job.launch.transport == "ssh":
        from trainc.launchers.deepspeed.lower_ssh import lower_deepspeed_ssh

        return lower_deepspeed_ssh(job, job.launch, replicas, meeting)
    from trainc.launchers.deepspeed.lower_direct import lower_deepspeed

    return lower_deepspeed(job, job.launch, replicas, meeting)


def alone(run: Run, more: tuple[Arg, ...] = ()) -> Program:
    """The program as one starts it by hand, without a launcher. Python's -u keeps the logs coming."""
    if run.kind == "entrypoint":
        return Program(command=(), args=(*run.words, *more))
    if run.kind == "exec":
        return Program(command=run.words[:1], args=(*run.words[1:], *more))
    start = ("python3", "-u", "-m") if run.kind == "module" else ("python3", "-u")
    return Program(command=start, args=(*run.words, *more))
