"""Scripts in a launcher's place or beside it, which may read any of the operator's variables."""

from __future__ import annotations

from typing import Any

from trainc.launchers.find_launchers import calls, shell_text
from trainc.span import Text
from trainc.systems.shared.reader.expansion import expand_arguments, referenced_variables
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.report import TranslationReport

SCRIPTS = (".sh", ".bash", ".py")


def required_variables(
    launch: dict[str, Any], kind: str, words: list[Text], world: InjectedEnv, report: TranslationReport
) -> dict[str, str]:
    """The other system's variables that our launcher doesn't set: those that the words use, or a script may."""
    if "torchrun" not in launch:
        return {}
    used = referenced_variables(words)
    found = (
        dict(world.replacements)
        if kind == "entrypoint" or may_run_scripts(words)
        else {name: at for name, at in world.replacements.items() if name in used}
    )
    if world.maximum == 1 or launch["torchrun"].get("rendezvous", {}).get("backend") == "static":
        return found
    for name, value in list(found.items()):
        if "$(PET_" in value:  # only the static rendezvous has them
            del found[name]
            if name in used:
                where = next(word.span for word in words if name in referenced_variables([word]))
                why = "the operator tells each pod, and torchrun of this rendezvous finds it out by itself"
                report.add_dropped(name, where, why, help="say rendezvous.backend: static, which has PET_MASTER_ADDR")
    return found


def may_run_scripts(words: list[Text]) -> bool:
    """Whether something other than a launcher starts that is no command of a shell's."""
    line = expand_arguments(words, {})
    launched = calls(line)
    text = shell_text(line)
    if text is None:
        return not launched
    started = {word.text for call in launched for word in call.parsed.program[:1]}
    pieces = [piece.strip("\"';&|()") for piece in text.text.split()]
    beside = [piece for piece in pieces if piece.endswith(SCRIPTS) and piece not in started]
    return not launched or bool(beside) or "source" in pieces
