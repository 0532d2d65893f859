"""What a job's training container starts, and the one launcher in it."""

from __future__ import annotations

from trainc.checks.context import RuleContext
from trainc.checks.shared.user_fields import training_container, variables
from trainc.commandline.word import UNKNOWN, Word, words
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.torchrun.spec import Torchrun
from trainc.record import Record
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text
from trainc.spec.launch import Deepspeed


class Started(Record):
    """A command line. One that is `wrapped` is started by the job's launcher, which is not among the words."""

    argv: list[Word]
    wrapped: bool
    where: Span


def started(context: RuleContext) -> Started:
    """The program, or what podTemplate puts in its place. In mode debug nothing is."""
    run, launch = context.spec.run, context.spec.launch
    where = run.where(run.kind)
    if context.spec.mode.name == "debug":
        return Started(argv=[], wrapped=False, where=where)
    container = training_container(context.spec.pod_template)
    command, args = (_words(container.get(name)) if container else None for name in ("command", "args"))
    if container is not None and (command is not None or args is not None):
        program = context.job.pod.program
        own = words(program.command) if command is None else command
        rest = words(program.args) if args is None else args
        return Started(argv=own + rest, wrapped=False, where=container.where("command" if command else "args"))
    before = {"python": ["python3"], "module": ["python3", "-m"], "exec": [], "entrypoint": [UNKNOWN]}[run.kind]
    wrapped = launch.wrap if isinstance(launch, Torchrun) else isinstance(launch, Deepspeed)
    return Started(argv=[*(Word(text=word) for word in before), *words(run.words)], wrapped=wrapped, where=where)


def launcher(context: RuleContext) -> Call | None:
    """The launcher that the program starts by itself. Of several each may have a world of its own: None."""
    program = started(context)
    found = [] if program.wrapped else calls(program.argv, _told(context))
    return found[0] if len(found) == 1 else None


def _told(context: RuleContext) -> dict[str, Word | None]:
    """The user's own variables, for a shell to fill in. Those of torchrun's own options other checks speak of."""
    given = ((name, value) for name, value, _ in variables(context) if not name.startswith("PET_"))
    return {name: Word(text=UNKNOWN) if value is None else words([value])[0] for name, value in given}


def launch_key(context: RuleContext) -> Span:
    """Where the job names its launcher."""
    launch = context.spec.node.get("launch")
    assert isinstance(launch, Mapping)
    return next(iter(launch.entries.values())).key.span


def number(word: Word | None) -> int | None:
    """A word that is a whole number, as Python reads it."""
    try:
        return int(word.text) if word is not None and word.known else None
    except ValueError:
        return None


def _words(node: Node | None) -> list[Word] | None:
    if not isinstance(node, Sequence):
        return None
    return words([Text(item.text, item.span) for item in node.items if isinstance(item, Scalar)])
