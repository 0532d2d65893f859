"""Options in `otherArgs` of a launcher, which stand before the program."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.commandline.argparse import Parsed, Table, parse
from trainc.commandline.word import Word
from trainc.record import Record
from trainc.span import span_of


class OtherArgs(Record):
    """Options with their values, and the first wrong word with the message; the message is empty if none is wrong.

    If not `is_option` the word belongs to no option, and the launcher takes it for the program.
    """

    parsed: Parsed
    word: Word
    message: str = ""
    is_option: bool = True


def parse_other_args(launcher: str, known: Table, arguments: Sequence[str], program: Sequence[str]) -> OtherArgs:
    """Parse the options as the launcher does: one without its value takes the name of the program."""
    name = Word(text=next(iter(program), "train.py"))
    parsed = parse(known, [*(Word(text=str(each), span=span_of(each)) for each in arguments), name])
    last = next((each.flag for each in parsed.options.values() if each.value is name), None)
    if last is not None:
        message = f"`{last.text}` has no value: {launcher} takes the program `{name.text}` for it"
        return OtherArgs(parsed=parsed, word=last, message=message)
    if parsed.problem is not None:
        word, reason = parsed.problem.word, parsed.problem.reason
        flag = word.text.partition("=")[0]
        messages = {"missing value": f"`{flag}` requires a value", "unexpected value": f"`{flag}` takes no value"}
        message = messages.get(reason, f"{launcher} has no option `{flag}`: it exits")
        return OtherArgs(parsed=parsed, word=word, message=message, is_option=reason in messages)
    first = next(iter(parsed.program), name)
    message = "" if first is name else f"`{first.text}` is no option: {launcher} takes it for the program"
    return OtherArgs(parsed=parsed, word=first, message=message, is_option=False)
