"""Commands of frameworks that submit a job of their own, or may: no launcher in the pods that trainc could read."""

from __future__ import annotations

from trainc.record import Record


class Submitter(Record):
    """Command with its subcommand: what it does in place of training in the pods, and the advice for a job.

    `training_command` starts the training in the pods.
    """

    source: str
    effect: str
    advice: str
    training_command: str
    submits_always: bool = True


_NEMO = Submitter(
    source="nemo_run 0.11.1, cli/api.py, RunContext",
    effect="trains in one process, or submits a job by the executor that its Python code names",
    advice="use `launch.torchrun` and no `executor=`: each of its processes then trains without an executor",
    training_command="torchrun --no-python nemo ARGUMENTS",
    submits_always=False,
)
SUBMITTERS = {
    "oumi launch": Submitter(
        source="oumi 0.9, cli/launch.py",
        effect="submits a job of its own to the cloud that its configuration names",
        advice="start `oumi train` in place of it: `launch: {torchrun: {}}`, `run: {module: [oumi, train, -c, FILE]}`",
        training_command="torchrun -m oumi train -c FILE",
    ),
    "nemo": _NEMO,
    "nemorun": _NEMO,
}
