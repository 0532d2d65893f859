"""Commands that start what trainc does not read: a launcher behind an unknown wrapper, or a job of a framework."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.commandline.shell import SHELLS, Variables
from trainc.commandline.word import Word
from trainc.commandline.wrappers import started
from trainc.launchers.find_launchers import PYTHON, Call, calls
from trainc.record import Record


class Hidden(Record):
    """Command that is not in the table of wrappers, and the launcher that its arguments seem to start."""

    command: Word
    call: Call

    @property
    def name(self) -> str:
        """Name of the command."""
        return self.command.base_name


def hidden_launcher(argv: Sequence[Word], env: Variables | None = None) -> Hidden | None:
    """Return the first launcher behind an unknown command; None if a launcher certainly starts, or none is named."""
    if calls(argv, env, plugins=True):
        return None
    lines = (line for line in started(argv, env) if not line.unwraps)
    return next(filter(None, (_behind(line.words, line.env) for line in lines)), None)


def _behind(words: Sequence[Word], env: Variables) -> Hidden | None:
    name = words[0].base_name
    if name.endswith(".py") or PYTHON.fullmatch(name) or name in SHELLS:
        return None
    for at in range(1, len(words)):
        call = next(iter(calls(words[at:], env, plugins=True)), None)
        if call is not None and _is_start(call):
            return Hidden(command=words[0], call=call)
    return None


def _is_start(call: Call) -> bool:
    """Return whether a launcher's name has a program behind it: not so `pip install deepspeed numpy`."""
    parsed = call.parsed
    return bool(parsed.program) and (bool(parsed.options) or parsed.program[0].text.endswith(".py"))


class Submitter(Record):
    """Command of a framework that submits a job of its own, or may: what it does in place of training in the pods, and
    the advice for a job.

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
