"""Options in otherArgs that lack their value, or have one although they are switches."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, replace
from trainc.commandline.argparse import Parsed, parse
from trainc.commandline.word import Word
from trainc.launchers import option
from trainc.launchers.deepspeed.options import BY_FLAG, OPTIONS, DeepspeedOption
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.span import span_of

TRIGGERS = ("launch.deepspeed.otherArgs",)


def check(context: RuleContext) -> Diagnostics:
    """Parse otherArgs and the program, which follows them: an option without its value takes the program's name.

    The rule `other_args` reports unknown options, and those that trainc sets.
    """
    launch, run = Deepspeed.of(context.spec), context.spec.run
    program = Word(text=next(iter(run.words), "train.py"))
    words = [*(Word(text=str(word), span=span_of(word)) for word in launch.other_args), program]
    parsed = parse(option.grammar(OPTIONS), words)
    where, message = _fault(parsed, program)
    row = BY_FLAG.get(where.text.partition("=")[0])
    if message and not (row and row.instead):
        span = where.span or launch.where("otherArgs")
        is_true = where.text.partition("=")[2].lower() in ("true", "1", "yes", "on")
        remedy = replace(where.span, f"--{row.name}", safe=True) if row and row.kind == "switch" and is_true else None
        yield error(codes.INVALID_LAUNCHER_OPTION, message, span, help=_help(row), remedy=remedy)


def _fault(parsed: Parsed, program: Word) -> tuple[Word, str]:
    """Return the first wrong word and what is wrong with it; an empty message if nothing is."""
    last = next((each.flag for each in parsed.options.values() if each.value is program), None)
    if last is not None:
        return last, f"`{last.text}` has no value: DeepSpeed's launcher takes the program `{program.text}` for it"
    if parsed.problem is not None:
        word = parsed.problem.word
        messages = {"missing value": "requires a value", "unexpected value": "takes no value"}
        message = messages.get(parsed.problem.reason)
        return word, f"`{word.text.partition('=')[0]}` {message}" if message else ""
    first = next(iter(parsed.program), program)
    if first is program or first.text.startswith("-"):  # the rule other_args reports -1
        return first, ""
    return first, f"DeepSpeed's launcher takes `{first.text}` for the program: it belongs to no option"


def _help(row: DeepspeedOption | None) -> Help:
    if row is None:
        return ("remove it", Message("move arguments of the program to {spec.run}"))
    if row.kind == "switch":
        return f"write `--{row.name}`"
    return f"write `--{row.name}={row.examples[0] if row.examples else 'VALUE'}`, or remove it"
