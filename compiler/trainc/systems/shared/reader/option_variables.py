"""PET_ variables in the environment of a foreign pod, which torchrun reads in place of options."""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import Word
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.reader import is_expressible
from trainc.source.node import Mapping, Node, Scalar, scalar_text
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.tree import child

_BY_VARIABLE = {row.variable: row for row in BY_NAME.values() if row.variable}


def option_variables(pod: TranslatedPod) -> dict[str, ParsedOption]:
    """Return the options that variables of the pod set and that have fields; none for a value of the running pod."""
    options: dict[str, ParsedOption] = {}
    for name, value in _variables(pod.fields.get("env")):
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


def remove_option_variables(pod: TranslatedPod, options: dict[str, ParsedOption]) -> None:
    """Remove the variables of options that have become fields."""
    names = {BY_NAME[name].variable for name in options}
    env = pod.fields.get("env")
    if isinstance(env, dict):
        pod.fields["env"] = {name: value for name, value in env.items() if name not in names} or None
    elif isinstance(env, list):
        pod.fields["env"] = [item for item in env if scalar_text(child(item, "name")) not in names] or None


def _variables(env: Any) -> list[tuple[str, Node | None]]:
    """Return names and literal values of a mapping or of Kubernetes' list; of two definitions the last one wins."""
    if isinstance(env, dict):
        return list(env.items())
    items = env if isinstance(env, list) else []
    return [(scalar_text(child(item, "name")), child(item, "value")) for item in items if isinstance(item, Mapping)]
