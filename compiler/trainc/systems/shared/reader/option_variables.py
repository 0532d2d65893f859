"""PET_ variables in the environment of a foreign pod, which torchrun reads in place of options."""

from __future__ import annotations

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import Word
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.reader import is_expressible
from trainc.source.node import Scalar, scalar_text
from trainc.systems.shared.reader.env import variables, without_variables
from trainc.systems.shared.reader.pod import TranslatedPod

_OF_PROGRAM = ("module", "no_python")  # fields of `run`, if torchrun is removed from the command line
_BY_VARIABLE = {row.variable: row for row in BY_NAME.values() if row.variable}


def option_variables(pod: TranslatedPod) -> dict[str, ParsedOption]:
    """Return the options that variables of the pod set and that have fields; none for a value of the running pod."""
    options: dict[str, ParsedOption] = {}
    for name, value in variables(pod.fields.get("env")):
        row, text = _BY_VARIABLE.get(name), scalar_text(value)
        if row is None or not isinstance(value, Scalar) or "$(" in text:
            continue
        word = Word(text=text, span=value.span)
        option = ParsedOption(flag=word, value=None if row.kind == "switch" else word)
        if row.kind == "switch" and text.strip() != "1":
            continue  # 0 is the default, and other texts are for trainc's checks to report
        if is_expressible(row.name, option):
            options[row.name] = option
    return options


def remove_option_variables(pod: TranslatedPod, options: dict[str, ParsedOption], is_wrapped: bool) -> None:
    """Remove the variables of options that have become fields: those of the program only if trainc starts torchrun."""
    names = {BY_NAME[name].variable for name in options if is_wrapped or name not in _OF_PROGRAM}
    pod.fields["env"] = without_variables(pod.fields.get("env"), names) or None
