"""Variables of the other system that a command line or a script in it reads."""

from __future__ import annotations

from typing import Any

from trainc.launchers.find_launchers import calls, shell_text
from trainc.span import Text
from trainc.systems.shared.reader.expansion import expand_arguments, referenced_variables
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.report import TranslationReport

SCRIPTS = (".sh", ".bash", ".py")


def required_variables(
    launch: dict[str, Any], kind: str, words: list[Text], injected: InjectedEnv, report: TranslationReport
) -> dict[str, str]:
    """Return the variables that launch.torchrun does not set, and that the words or a script may read."""
    if "torchrun" not in launch:
        return {}
    used = referenced_variables(words)
    everything = kind == "entrypoint" or may_run_scripts(words)
    variables = {name: value for name, value in injected.replacements.items() if everything or name in used}
    if injected.maximum == 1 or launch["torchrun"].get("rendezvous", {}).get("backend") == "static":
        return variables
    for name in [name for name, value in variables.items() if "$(PET_" in value]:  # the static rendezvous has these
        del variables[name]
        if name in used:
            where = next(word.span for word in words if name in referenced_variables([word]))
            help_ = "set rendezvous.backend: static, which sets PET_MASTER_ADDR and PET_NODE_RANK"
            report.add_dropped(name, where, "with this rendezvous torchrun assigns it at run time", help=help_)
    return variables


def may_run_scripts(words: list[Text]) -> bool:
    """Return whether the command line runs a program that is neither a launcher nor a plain shell command."""
    line = expand_arguments(words, {})
    launchers = calls(line)
    script = shell_text(line)
    if script is None or not launchers:
        return not launchers
    launched = {word.text for call in launchers for word in call.parsed.program[:1]}
    pieces = [piece.strip("\"';&|()") for piece in script.text.split()]
    return "source" in pieces or any(piece.endswith(SCRIPTS) and piece not in launched for piece in pieces)
