"""Commands that start what trainc does not read: a launcher behind an unknown wrapper, or a job of a framework."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.commandline.shell import SHELLS, Variables, commands, shell_text
from trainc.commandline.word import Word
from trainc.commandline.wrappers import unwrap
from trainc.launchers.find_launchers import PYTHON, Call, calls
from trainc.record import Record


class Hidden(Record):
    """Command that is not in the table of wrappers, and the launcher that its arguments seem to start."""

    command: Word
    call: Call

    @property
    def name(self) -> str:
        """Name of the command."""
        return self.command.text.rpartition("/")[2]


def hidden_launcher(argv: Sequence[Word], env: Variables | None = None) -> Hidden | None:
    """Return the first launcher behind an unknown command; None if a launcher certainly starts, or none is named."""
    if not argv or calls(argv, env, plugins=True):
        return None
    name = argv[0].text.rpartition("/")[2]
    if name in SHELLS:
        text = shell_text(argv)
        lines = commands(text.text, text.span, env) if text is not None and text.known else []
        return next(filter(None, (_behind(list(line.words), {**(env or {}), **line.env}) for line in lines)), None)
    return _behind(list(argv), dict(env or {}))


def _behind(words: list[Word], env: Variables) -> Hidden | None:
    while words and (inner := unwrap(words[0].text.rpartition("/")[2], words[1:], env)) is not None:
        words = inner
    if not words or not words[0].known or words[0].text.endswith(".py"):
        return None
    if PYTHON.fullmatch(words[0].text.rpartition("/")[2]) or words[0].text.rpartition("/")[2] in SHELLS:
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
